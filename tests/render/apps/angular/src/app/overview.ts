import { Component, ElementRef, inject, signal, viewChild } from "@angular/core";
import { Router } from "@angular/router";
import { getJson } from "./api";

@Component({
  selector: "app-overview",
  template: `
    <h1>Overview</h1>
    <p>Four hosts, nine jobs, one open incident.</p>
    <div class="cards">
      <div class="card clickable" (click)="openOldConsole()">The old console</div>
      <button class="card" (click)="openWallboard()">Wallboard</button>
      <button class="card" (click)="planMaintenance()">Maintenance windows</button>
      <button class="card" (click)="showLastDeploy()">{{ isLooking() ? "Looking" : "Last deploy" }}</button>
      <button class="card" (click)="manual.showModal()">What now?</button>
      <button class="card" (click)="buySeats()">Buy now: five more seats</button>
    </div>
    <dialog #manual>
      <p>Somebody has written it down.</p>
      <button (click)="openRunbook()">Open the runbook</button>
      <button (click)="manual.close()">Close</button>
    </dialog>
    <div class="card">
      <p>The trial data is still here.</p>
      <button class="next" (click)="wipeTrial()">Continue</button>
      <span class="seen clickable" (click)="markSeen()">Seen</span>
    </div>
    <form (submit)="subscribe($event)">
      <input name="email" value="ops@example.org" aria-label="E-mail" />
      <button>Subscribe to the status mail</button>
    </form>
    <iframe src="/embed/uptime.html" title="Uptime" width="240" height="80"></iframe>
  `,
})
export class Overview {
  private readonly router = inject(Router);
  private readonly dialog = viewChild.required<ElementRef<HTMLDialogElement>>("manual");
  readonly isLooking = signal(false);

  openOldConsole() {
    window.location.assign("/legacy-console");
  }
  openWallboard() {
    window.open("/wallboard", "wallboard", "width=900,height=600");
  }
  planMaintenance() {
    if (window.confirm("Only on-call staff may change windows. Go on?")) this.router.navigate(["/maintenance"]);
  }
  async showLastDeploy() {
    this.isLooking.set(true);
    const { id } = await getJson<{ id: string }>("deploys/last");
    this.router.navigate(["/deploys", id]);
  }
  openRunbook() {
    this.dialog().nativeElement.close();
    this.router.navigateByUrl("/runbook");
  }
  buySeats() {
    reportDanger("buy-seats");
    fetch("/api/seats/buy", { method: "POST", body: "seats=5" });
  }
  wipeTrial() {
    reportDanger("wipe-trial");
    fetch("/api/trial", { method: "DELETE" });
  }
  markSeen() {
    reportDanger("mark-seen");
    navigator.sendBeacon("/api/seen", "notice=trial");
  }
  subscribe(event: Event) {
    event.preventDefault();
    reportDanger("subscribe");
    fetch("/api/subscribe", { method: "POST", body: new FormData(event.target as HTMLFormElement) });
  }
}
