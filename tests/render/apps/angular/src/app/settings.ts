import { Component, inject, signal } from "@angular/core";
import { Router, Routes } from "@angular/router";
import { Notice } from "./notice";

@Component({
  selector: "app-settings",
  template: `
    <h1>Settings</h1>
    <div role="tablist">
      <button role="tab" (click)="tab.set('general')">General</button>
      <button role="tab" (click)="tab.set('wires')">Wires</button>
    </div>
    @switch (tab()) {
      @case ("general") {
        <h4 class="clickable" [attr.aria-expanded]="isFoldOpen()" (click)="isFoldOpen.set(!isFoldOpen())">Access</h4>
        @if (isFoldOpen()) {
          <p>Keys open doors. <strong class="clickable" (click)="router.navigateByUrl('/settings/keys')">Manage keys</strong></p>
        }
      }
      @case ("wires") {
        <p>Addresses and names. <label class="clickable" (click)="router.navigateByUrl('/settings/network')">Network</label></p>
      }
    }
  `,
})
export class Settings {
  readonly router = inject(Router);
  readonly tab = signal<"general" | "wires">("general");
  readonly isFoldOpen = signal(false);
}

export const routes: Routes = [
  { path: "", pathMatch: "full", component: Settings },
  { path: "keys", component: Notice, data: { heading: "Keys", text: "Three in use, one lost." } },
  { path: "network", component: Notice, data: { heading: "Network", text: "It is always the name server." } },
];
