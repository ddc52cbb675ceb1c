import { Component, ViewEncapsulation } from "@angular/core";
import { RouterLink } from "@angular/router";

@Component({
  selector: "app-colophon",
  imports: [RouterLink],
  encapsulation: ViewEncapsulation.ShadowDom,
  styles: `:host { display: block; margin-top: 2rem; color: #667 }`,
  template: `<small>Relay, a console for few hands. <a routerLink="/about">About</a></small>`,
})
export class Colophon {}
