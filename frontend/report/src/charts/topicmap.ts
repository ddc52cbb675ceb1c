// Pages by meaning: near each other if they say alike. The topics follow as a table.

import type { Topic } from "../data";
import { drawnToWidth, h, pageLink, replace, svg } from "../dom";
import { dataTable } from "../tables";
import { counted } from "../text";

const HEIGHT = 320;
const MARGIN = 12;
const COLOURS = 8;

export function topicMap(topics: Topic[]): HTMLElement {
  const shown = topics.reduce((sum, topic) => sum + topic.points.length, 0);
  const summary = `Map of ${counted(shown, "page")} in ${counted(topics.length, "topic")}. The topics follow as a table.`;
  const box = h("div", { class: "plot" });
  drawnToWidth(box, (width) => replace(box, picture(width, topics, summary)));
  return h(
    "div",
    {},
    h(
      "figure",
      { class: "chart" },
      h("figcaption", {}, h("p", { class: "note" }, "Each dot is a page; pages that are near each other say alike. Both directions have no meaning of their own.")),
      box,
    ),
    dataTable<Topic>({
      caption: "Topics",
      rows: topics,
      text: (row) => row.name,
      columns: [
        { label: "Topic", isWide: true, value: (row) => row.name, cell: (row) => h("span", {}, swatch(topics.indexOf(row)), " ", row.name) },
        { label: "Pages", isNumber: true, value: (row) => row.pages },
        {
          label: "Samples",
          isWide: true,
          value: (row) => row.points[0]?.[2] ?? null,
          cell: (row) => h("span", {}, row.points.slice(0, 3).map(([, , url]) => h("div", {}, pageLink(url)))),
        },
      ],
    }),
  );
}

function colour(number: number): string {
  return `var(--hue-${number % COLOURS})`;
}

function swatch(number: number): SVGElement {
  return svg("svg", { width: 12, height: 12, viewBox: "0 0 12 12", "aria-hidden": "true" }, dot(6, 6, 5, number, ""));
}

function dot(x: number, y: number, radius: number, number: number, title: string): SVGElement {
  // Colours repeat after the eighth topic; these have a dashed edge.
  const dashes = number < COLOURS ? "none" : "2 2";
  const drawn = { cx: x, cy: y, r: radius, fill: colour(number), stroke: "currentColor", "stroke-width": 0.8, "stroke-dasharray": dashes };
  return svg("circle", drawn, title ? svg("title", {}, title) : null);
}

function picture(width: number, topics: Topic[], summary: string): SVGElement {
  return svg(
    "svg",
    { width, height: HEIGHT, viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": summary },
    topics.flatMap((topic, number) =>
      topic.points.map(([x, y, url]) =>
        dot(MARGIN + x * (width - 2 * MARGIN), MARGIN + y * (HEIGHT - 2 * MARGIN), 4.5, number, `${url} (${topic.name})`),
      ),
    ),
  );
}
