import { Component, ElementRef, inject, signal } from "@angular/core";
import { Router, RouterLink, RouterLinkActive, RouterOutlet } from "@angular/router";
import { Colophon } from "./colophon";

@Component({
  selector: "app-tools-menu",
  template: `
    <div class="menu">
      <button type="button" aria-haspopup="true" (click)="isOpen.set(!isOpen())">Tools</button>
      @if (isOpen()) {
        <div class="panel" role="menu">
          <div role="menuitem" (click)="choose('/alerts')">Alerts</div>
          <div role="menuitem" (click)="choose('/reports')">Reports</div>
        </div>
      }
    </div>
  `,
  host: { "(document:click)": "closeOutside($event)" },
})
export class ToolsMenu {
  private readonly router = inject(Router);
  private readonly element = inject<ElementRef<HTMLElement>>(ElementRef);
  readonly isOpen = signal(false);

  choose(path: string) {
    this.isOpen.set(false);
    this.router.navigateByUrl(path);
  }
  closeOutside(event: Event) {
    if (!this.element.nativeElement.contains(event.target as Node)) this.isOpen.set(false);
  }
}

@Component({
  selector: "app-root",
  imports: [Colophon, RouterLink, RouterLinkActive, RouterOutlet, ToolsMenu],
  template: `
    <div class="shell">
      <div class="side">
        <a routerLink="/" class="brand">Relay console</a>
        <a routerLink="/hosts" routerLinkActive="active">Hosts</a>
        <ul>
          <li class="clickable" routerLink="/jobs">Jobs</li>
          <li class="clickable" routerLink="/incidents">Incidents</li>
        </ul>
        <a routerLink="/settings">Settings</a>
        <div class="shortcut" tabindex="0" (keydown.enter)="router.navigateByUrl('/audit')">Audit trail (Enter)</div>
      </div>
      <div class="work">
        <div class="top">
          <app-tools-menu />
          <a href="/logout" (click)="leave()">Log out</a>
        </div>
        <router-outlet />
        <app-colophon />
      </div>
    </div>
  `,
})
export class Console {
  readonly router = inject(Router);

  leave() {
    reportDanger("logout");
  }
}
