import { go } from "./router.js";

customElements.define(
  "hv-footer",
  class extends HTMLElement {
    connectedCallback() {
      const shadow = this.attachShadow({ mode: "open" });
      shadow.innerHTML = `
        <style>:host { display: block; padding: 1rem; background: #eef1f4 }</style>
        <p>Harbour &amp; Vale is made by eleven people in an old customs house.</p>
        <a href="/archive">The archive</a>`;
      shadow.querySelector("a").addEventListener("click", (event) => {
        event.preventDefault();
        go("/archive");
      });
    }
  },
);

customElements.define(
  "hv-consent",
  class extends HTMLElement {
    connectedCallback() {
      const shadow = this.attachShadow({ mode: "closed" });
      shadow.innerHTML = `
        <style>:host { display: inline-block } button { font: inherit; cursor: pointer; width: 12rem; height: 2.5rem }</style>
        <button type="button">How we use data</button>`;
      shadow.querySelector("button").addEventListener("click", () => go("/privacy"));
    }
  },
);
