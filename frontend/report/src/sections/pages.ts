// The list itself.

import { type Overview, part } from "../data";
import { h, replace } from "../dom";
import { type PageFilter, PageTable } from "../pagetable";
import { nothing, section } from "./section";

/** The largest part waits until the reader sees the first. */
function afterFirstSight(): Promise<void> {
  return new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
}

export interface PageSection {
  element: HTMLElement;
  show: (wanted: PageFilter) => void;
}

export function pages({ clusters, headline }: Overview): PageSection {
  const place = h("div", {}, nothing("Unpacking the pages …"));
  const element = section("pages", "All pages", "Search, sort and filter every address that the scan knows.", place);
  const table = afterFirstSight()
    .then(() => part("pages"))
    .then((columns) => {
      const made = new PageTable(columns, clusters, headline.pages + headline.refused);
      replace(place, made.element);
      return made;
    });
  return {
    element,
    show: (wanted) =>
      void table.then((made) => {
        made.show(wanted);
        element.scrollIntoView();
        element.querySelector<HTMLElement>("input[type=search]")?.focus({ preventScroll: true });
      }),
  };
}
