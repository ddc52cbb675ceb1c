import { Component } from "@angular/core";
import { RouterLink } from "@angular/router";

@Component({
  selector: "app-jobs",
  imports: [RouterLink],
  template: `
    <h1>Jobs</h1>
    <p>One of them is the one that everybody fears.</p>
    <button routerLink="nightly">The nightly job</button>
  `,
})
export class Jobs {}
