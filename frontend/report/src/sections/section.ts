// What every section has: an anchor, a heading, and a sentence on how to read it.

import { type Child, h } from "../dom";

export function section(id: string, title: string, lead: Child, ...children: Child[]): HTMLElement {
  return h(
    "section",
    { id, "aria-labelledby": `${id}-title` },
    h("h2", { id: `${id}-title` }, title),
    lead && h("p", { class: "lead" }, lead),
    ...children,
  );
}

export function block(title: string, note: Child, ...children: Child[]): HTMLElement {
  return h("div", { class: "block" }, h("h3", {}, title), note && h("p", { class: "note" }, note), ...children);
}

/** A sentence in the place of a chart that has nothing to show. */
export const nothing = (words: string): HTMLElement => h("p", { class: "nothing" }, words);
