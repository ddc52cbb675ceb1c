// Columns over a few ordered classes: depths, clicks.

import { scaleBand, scaleLinear } from "d3-scale";

import { drawnToWidth, h, replace, svg } from "../dom";
import { count, counted, shortCount } from "../text";

export interface Step {
  label: string;
  name: string;
  value: number;
}

const HEIGHT = 200;
const MARGIN = { top: 22, right: 4, bottom: 24, left: 4 };

/** A figure with the picture, and the same figures as a table for those who cannot see it. */
export function histogram(title: string, note: string, axis: string, steps: Step[]): HTMLElement {
  const most = steps.reduce((a, b) => (b.value > a.value ? b : a), steps[0]);
  const total = steps.reduce((sum, step) => sum + step.value, 0);
  const summary = most
    ? `${title}: ${counted(total, "page")}, most of them ${most.name} (${count(most.value)}).`
    : `${title}: nothing is known.`;
  const box = h("div", { class: "plot" });
  drawnToWidth(box, (width) => replace(box, picture(width, steps, summary)));
  return h(
    "figure",
    { class: "chart" },
    h("figcaption", {}, h("h3", {}, title), h("p", { class: "note" }, note)),
    box,
    h("p", { class: "axis", "aria-hidden": "true" }, axis),
    h(
      "table",
      { class: "visually-hidden" },
      h("caption", {}, title),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, axis), h("th", { scope: "col" }, "Pages"))),
      h(
        "tbody",
        {},
        steps.map((step) =>
          h("tr", {}, h("th", { scope: "row" }, step.name), h("td", {}, count(step.value))),
        ),
      ),
    ),
  );
}

function picture(width: number, steps: Step[], summary: string): SVGElement {
  const x = scaleBand(
    steps.map((step) => step.label),
    [MARGIN.left, width - MARGIN.right],
  ).padding(0.18);
  const y = scaleLinear(
    [0, Math.max(1, ...steps.map((step) => step.value))],
    [HEIGHT - MARGIN.bottom, MARGIN.top],
  );
  const floor = HEIGHT - MARGIN.bottom;
  return svg(
    "svg",
    { width, height: HEIGHT, viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": summary },
    svg("line", { class: "base", x1: 0, x2: width, y1: floor + 0.5, y2: floor + 0.5 }),
    ...steps.flatMap((step) => {
      const left = x(step.label)!;
      const centre = left + x.bandwidth() / 2;
      // A class with one page among a hundred thousand is still there to be seen.
      const top = step.value ? Math.min(y(step.value), floor - 2) : floor;
      return [
        svg(
          "rect",
          { class: "column", x: left, y: top, width: x.bandwidth(), height: floor - top, rx: 2 },
          svg("title", {}, `${step.name}: ${counted(step.value, "page")}`),
        ),
        svg("text", { class: "figure", x: centre, y: top - 6 }, shortCount(step.value)),
        svg("text", { class: "tick", x: centre, y: HEIGHT - 7 }, step.label),
      ];
    }),
  );
}
