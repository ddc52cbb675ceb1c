// Which sources know the same pages: an UpSet plot that is a table, so that it can be read aloud.

import type { Coverage } from "../data";
import { h } from "../dom";
import { scrollable } from "../tables";
import { count, words } from "../text";

const MAX_SOURCES = 7;
const MAX_ROWS = 12;

export function overlapChart({ sources, overlap }: Coverage): HTMLElement | null {
  const columns = [...sources].sort((a, b) => b.pages - a.pages).slice(0, MAX_SOURCES);
  const rows = [...overlap].sort((a, b) => b.pages - a.pages);
  if (!columns.length || !rows.length) return null;
  const caption = "Which sources name the same pages";
  const largest = rows[0].pages;
  const rest = rows.slice(MAX_ROWS).reduce((sum, row) => sum + row.pages, 0);
  const table = h(
    "table",
    { class: "upset" },
    h("caption", {}, caption),
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        columns.map((source) =>
          h(
            "th",
            { scope: "col" },
            h("span", { class: "turned" }, `${words(source.name)} `, h("b", {}, count(source.pages))),
          ),
        ),
        h("th", { scope: "col", class: "number" }, "Pages"),
        h("th", { class: "rest", scope: "col" }, h("span", { class: "visually-hidden" }, "Picture")),
      ),
    ),
    h(
      "tbody",
      {},
      rows.slice(0, MAX_ROWS).map((row) => {
        const named = new Set(row.sources);
        const places = columns.flatMap((source, index) => (named.has(source.name) ? [index] : []));
        const isBetween = (index: number): boolean => index > places[0] && index < places[places.length - 1];
        return h(
          "tr",
          {},
          columns.map((source, index) => {
            const isIn = named.has(source.name);
            const kind = [isIn ? "in" : isBetween(index) ? "between" : "out"];
            if (isIn && index > places[0]) kind.push("from-left");
            if (isIn && index < places[places.length - 1]) kind.push("to-right");
            return h(
              "td",
              { class: kind.join(" ") },
              h("i", { "aria-hidden": "true" }),
              h("span", { class: "visually-hidden" }, isIn ? "yes" : "no"),
            );
          }),
          h("td", { class: "number" }, count(row.pages)),
          h(
            "td",
            { class: "rest" },
            h("span", { class: "bar", "aria-hidden": "true", vars: { "--part": row.pages / largest } }),
          ),
        );
      }),
    ),
  );
  return h(
    "div",
    {},
    scrollable(table, caption),
    rest > 0 &&
      h("p", { class: "note" }, `${count(rest)} further pages in ${count(rows.length - MAX_ROWS)} other combinations.`),
  );
}
