// How the site is built: its folders, how deep its pages lie, and how many clicks away.

import { histogram } from "../charts/histogram";
import { SiteMap } from "../charts/treemap";
import type { Overview } from "../data";
import { h } from "../dom";
import type { PageFilter } from "../pagetable";
import { counted } from "../text";
import { nothing, section } from "./section";

const MAX_STEPS = 12;

export function structure({ tree, depths, clicks }: Overview, listPages: (wanted: PageFilter) => void): HTMLElement {
  if (!tree.pages) {
    return section("structure", "Structure", null, nothing("No page is known."));
  }
  return section(
    "structure",
    "Structure",
    "Every folder is as large as the number of pages below it. Open one to look inside.",
    new SiteMap(tree, (prefix) => listPages({ prefix })).element,
    h(
      "div",
      { class: "columns" },
      histogram(
        "Depth",
        "How many segments the paths of pages have.",
        "path segments",
        steps(depths.map((row) => ({ at: row.depth, pages: row.pages })), "segment"),
      ),
      clicks.length
        ? histogram(
            "Clicks",
            "How many clicks pages are away from the root. More than three, and few readers arrive.",
            "clicks from the root",
            steps(clicks.map((row) => ({ at: row.clicks, pages: row.pages })), "click"),
          )
        : nothing("Clicks are not known: the crawl did not run."),
    ),
  );
}

function steps(rows: { at: number; pages: number }[], unit: string) {
  const sorted = [...rows].sort((a, b) => a.at - b.at);
  const shown = sorted.slice(0, MAX_STEPS).map((row) => ({
    label: String(row.at),
    name: `at ${counted(row.at, unit)}`,
    value: row.pages,
  }));
  const rest = sorted.slice(MAX_STEPS);
  if (rest.length) {
    const pages = rest.reduce((sum, row) => sum + row.pages, 0);
    shown.push({ label: `${rest[0].at}+`, name: `at ${rest[0].at} ${unit}s and more`, value: pages });
  }
  return shown;
}
