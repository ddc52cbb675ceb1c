// Links between a few groups: a row for each group, and an arc for the links between two of them.

import { type Child, drawnToWidth, h, quoted, replace, svg } from "../dom";
import { count, counted } from "../text";

export interface Group {
  key: string;
  name: string;
  pages: number;
  canOpen: boolean;
}

export interface Arc {
  source: string;
  target: string;
  links: number;
}

const ROW = 40;
// More arcs lie upon each other and say nothing; the smallest are left out.
const MAX_ARCS = 60;
const WIDEST = 12;

/** Tells which group is chosen, and which one is to be opened. */
export interface Listener {
  choose: (key: string | null) => void;
  open: (key: string) => void;
}

export function arcDiagram(groups: Group[], arcs: Arc[], chosen: string | null, listener: Listener): HTMLElement {
  const places = new Map(groups.map((group, index) => [group.key, (index + 0.5) * ROW]));
  const drawn = arcs
    .filter(({ source, target }) => source !== target)
    .sort((a, b) => b.links - a.links)
    .filter((arc, index) => index < MAX_ARCS || arc.source === chosen || arc.target === chosen);
  const plot = h("div", { class: "arc-plot" });
  drawnToWidth(plot, (width) => replace(plot, picture(width, groups.length * ROW, drawn, places, chosen)));
  return h(
    "div",
    { class: "arcs" },
    h("ul", { class: "arc-rows" }, groups.map((group) => row(group, chosen, listener))),
    plot,
  );
}

function row(group: Group, chosen: string | null, { choose, open }: Listener): Child {
  const isChosen = group.key === chosen;
  return h(
    "li",
    {},
    h(
      "button",
      {
        type: "button",
        class: "arc-row",
        "aria-pressed": String(isChosen),
        on: { click: () => choose(isChosen ? null : group.key) },
      },
      quoted(group.name, 40),
      h("small", {}, count(group.pages)),
    ),
    group.canOpen &&
      h(
        "button",
        { type: "button", class: "quiet arc-open", "aria-label": `Open ${group.name}`, on: { click: () => open(group.key) } },
        "open",
      ),
  );
}

function picture(width: number, height: number, arcs: Arc[], places: Map<string, number>, chosen: string | null) {
  const most = Math.max(1, ...arcs.map(({ links }) => links));
  // Both ways between two groups would lie upon each other: the way down is drawn further out.
  return svg(
    "svg",
    { width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" },
    arcs
      .map((arc) => ({ ...arc, class: arcClass(arc, chosen) }))
      .sort((a, b) => Number(a.class !== "arc faded") - Number(b.class !== "arc faded"))
      .map(({ source, target, links, class: kind }) => {
        const [from, to] = [places.get(source)!, places.get(target)!];
        const reach = Math.min(width - WIDEST, 18 + Math.abs(to - from) * 0.55 + (from < to ? 10 : 0));
        return svg(
          "path",
          {
            class: kind,
            d: `M0 ${from} C ${reach * 1.3} ${from}, ${reach * 1.3} ${to}, 0 ${to}`,
            "stroke-width": Math.max(1, WIDEST * Math.sqrt(links / most)),
          },
          svg("title", {}, counted(links, "link")),
        );
      }),
  );
}

function arcClass({ source, target }: Arc, chosen: string | null): string {
  if (chosen === null) return "arc";
  return source === chosen ? "arc out" : target === chosen ? "arc in" : "arc faded";
}
