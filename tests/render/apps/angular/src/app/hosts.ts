import { Component, computed, inject } from "@angular/core";
import { ActivatedRoute, Router, RouterOutlet } from "@angular/router";
import { loaded } from "./api";

interface HostEntry {
  name: string;
  place: string;
}

@Component({
  selector: "app-hosts",
  template: `
    <h1>Hosts</h1>
    @if (hosts(); as known) {
      <table>
        <tbody>
          @for (host of known; track host.name) {
            <tr (click)="open(host)">
              <td>{{ host.name }}</td>
              <td>{{ host.place }}</td>
              <td><button (click)="remove($event, host)">Delete</button></td>
              <td><button aria-label="Remove tag" (click)="untag($event, host)">🗑</button></td>
            </tr>
          }
        </tbody>
      </table>
    } @else {
      <p>Asking the hosts</p>
    }
  `,
})
export class Hosts {
  private readonly router = inject(Router);
  readonly hosts = loaded<HostEntry[]>("hosts");

  open(host: HostEntry) {
    this.router.navigate(["/hosts", host.name]);
  }
  remove(event: Event, host: HostEntry) {
    event.stopPropagation();
    reportDanger("delete-host");
    fetch(`/api/hosts/${host.name}`, { method: "DELETE" });
  }
  untag(event: Event, host: HostEntry) {
    event.stopPropagation();
    reportDanger("untag-host");
    fetch(`/api/hosts/${host.name}/tag`, { method: "DELETE" });
  }
}

@Component({
  selector: "app-host",
  imports: [RouterOutlet],
  template: `
    <router-outlet />
    <div role="tablist">
      <span role="tab" tabindex="0" (click)="show('')">Facts</span>
      <span role="tab" tabindex="0" (click)="show('logs')">Log lines</span>
    </div>
  `,
})
export class Host {
  private readonly router = inject(Router);
  private readonly route = inject(ActivatedRoute);

  show(part: string) {
    this.router.navigate(part ? [part] : ["./"], { relativeTo: this.route });
  }
}

@Component({
  selector: "app-host-facts",
  template: `
    @if (heading()) {
      <h1>{{ heading() }}</h1>
    }
  `,
})
export class HostFacts {
  private readonly name: string = inject(ActivatedRoute).parent?.snapshot.params["name"];
  private readonly hosts = loaded<HostEntry[]>("hosts");
  readonly heading = computed(() => {
    const known = this.hosts();
    if (!known) return "";
    return known.some((each) => each.name === this.name) ? `Host ${this.name}` : "Page not found";
  });
}

@Component({
  selector: "app-host-logs",
  template: `
    <h1>Log lines of {{ name }}</h1>
    <pre>03:12 nothing happened</pre>
  `,
})
export class HostLogs {
  readonly name: string = inject(ActivatedRoute).parent?.snapshot.params["name"];
}
