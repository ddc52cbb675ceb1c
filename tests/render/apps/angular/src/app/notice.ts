import { Component, inject } from "@angular/core";
import { ActivatedRoute } from "@angular/router";

@Component({
  selector: "app-notice",
  template: `
    <h1>{{ data["heading"] }}</h1>
    <p>{{ data["text"] }}</p>
  `,
})
export class Notice {
  data = inject(ActivatedRoute).snapshot.data;
}
