import { Component } from "@angular/core";

@Component({
  selector: "app-reports",
  template: `
    <h1>Reports</h1>
    <p>Costs by host, host by costs.</p>
  `,
})
export class Reports {}
