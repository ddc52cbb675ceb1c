// How many new pages each step of the crawl still found: a line that falls to zero has seen it all.

import { scaleLinear } from "d3-scale";
import { area, line } from "d3-shape";

import { drawnToWidth, h, replace, svg } from "../dom";
import { count } from "../text";

const HEIGHT = 110;
const TOP = 8;
const FLOOR = HEIGHT - 8;

export function yieldLine(series: number[], summary: string): HTMLElement {
  const box = h("div", { class: "plot" });
  drawnToWidth(box, (width) => {
    const x = scaleLinear([0, Math.max(1, series.length - 1)], [2, width - 2]);
    const y = scaleLinear([0, Math.max(1, ...series)], [FLOOR, TOP]);
    const curve = line<number>((_, index) => x(index), (value) => y(value));
    const shape = area<number>((_, index) => x(index), FLOOR, (value) => y(value));
    replace(
      box,
      svg(
        "svg",
        { width, height: HEIGHT, viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": summary },
        svg("line", { class: "base", x1: 0, x2: width, y1: FLOOR + 0.5, y2: FLOOR + 0.5 }),
        svg("path", { class: "area", d: shape(series) }),
        svg("path", { class: "curve", d: curve(series) }),
        svg("text", { class: "figure end", x: width - 4, y: TOP + 8 }, `${count(Math.max(0, ...series))} new pages at the top`),
      ),
    );
  });
  return box;
}
