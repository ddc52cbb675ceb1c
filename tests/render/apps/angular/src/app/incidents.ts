import { afterNextRender, Component, computed, DestroyRef, ElementRef, inject, signal, viewChild } from "@angular/core";
import { ActivatedRoute, Router } from "@angular/router";
import { getJson, loaded } from "./api";

interface IncidentEntry {
  number: number;
  what: string;
}
interface IncidentPage {
  incidents: IncidentEntry[];
  next: number | null;
}

@Component({
  selector: "app-incidents",
  template: `
    <h1>Incidents</h1>
    @for (incident of incidents(); track incident.number) {
      <section class="incident" (click)="open(incident)"><b>#{{ incident.number }}</b> {{ incident.what }}</section>
    }
    <div #end class="end">{{ next() ? "Loading older ones" : "That is all" }}</div>
  `,
})
export class Incidents {
  private readonly router = inject(Router);
  private readonly end = viewChild.required<ElementRef<HTMLElement>>("end");
  readonly incidents = signal<IncidentEntry[]>([]);
  readonly next = signal<number | null>(1);

  constructor() {
    const destroyed = inject(DestroyRef);
    afterNextRender(() => {
      const observer = new IntersectionObserver(([entry]) => {
        if (entry.isIntersecting) this.load(observer);
      });
      observer.observe(this.end().nativeElement);
      destroyed.onDestroy(() => observer.disconnect());
    });
  }
  open(incident: IncidentEntry) {
    this.router.navigate(["/incidents", incident.number]);
  }
  private async load(observer: IntersectionObserver) {
    const end = this.end().nativeElement;
    observer.unobserve(end);
    const page = await getJson<IncidentPage>(`incidents?page=${this.next()}`);
    this.incidents.update((known) => [...known, ...page.incidents]);
    this.next.set(page.next);
    if (page.next) observer.observe(end);
  }
}

@Component({
  selector: "app-incident",
  template: `
    @if (heading()) {
      <h1>{{ heading() }}</h1>
      <p>Closed, understood, not forgotten.</p>
    }
  `,
})
export class Incident {
  private readonly number: string = inject(ActivatedRoute).snapshot.params["number"];
  private readonly recent = loaded<IncidentPage>("incidents?page=1");
  private readonly older = loaded<IncidentPage>("incidents?page=2");
  readonly heading = computed(() => {
    const [recent, older] = [this.recent(), this.older()];
    if (!recent || !older) return "";
    const all = [...recent.incidents, ...older.incidents];
    return all.some((each) => String(each.number) === this.number) ? `Incident ${this.number}` : "Page not found";
  });
}
