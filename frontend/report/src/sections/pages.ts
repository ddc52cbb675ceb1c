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
  const lead =
    "Search, sort and filter the pages of the list. Addresses that were refused are no pages: choose them under List.";
  const element = section("pages", "All pages", lead, place);
  const table = afterFirstSight()
    .then(() => part("pages"))
    .then((columns) => {
      const made = new PageTable(columns, clusters, headline);
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
