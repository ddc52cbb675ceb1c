// All that the report knows of one page, in a dialog: also addresses that are too long for a table.

import type { Pages } from "./data";
import { type Child, h, pageLink, quoted } from "./dom";
import { languageName, words } from "./text";

const LONGEST = 4000;

export function showPage(pages: Pages, row: number, clusterNames: Map<number, string>): void {
  const cluster = pages.cluster[row];
  const facts: [string, Child][] = [
    ["Address", pageLink(pages.url[row], undefined, LONGEST)],
    ["Title", pages.title[row] && quoted(pages.title[row], LONGEST)],
    ["On the list", pages.reason[row] ? `refused: ${words(pages.reason[row])}` : "listed"],
    ["HTTP status", pages.status[row] ?? "not visited"],
    ["Cluster", cluster === null ? null : quoted(clusterNames.get(cluster) ?? `${cluster}`)],
    ["Category", words(pages.category[row])],
    ["Priority", pages.priority[row]?.toFixed(2)],
    ["Language", pages.language[row] && languageName(pages.language[row])],
    ["Depth of its path", pages.depth[row]],
    ["Clicks from the root", pages.clicks[row] ?? "not known"],
    ["Last modified", pages.lastmod[row]],
    ["Why it is known", h("code", {}, `sitecrawl why '${pages.url[row].replaceAll("'", "%27").slice(0, LONGEST)}'`)],
  ];
  const dialog = h(
    "dialog",
    { "aria-labelledby": "page-details", on: { close: () => dialog.remove() } },
    h("h2", { id: "page-details" }, "Page"),
    h(
      "dl",
      {},
      facts
        .filter(([, value]) => value !== null && value !== undefined && value !== "")
        .map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]),
    ),
    h("button", { type: "button", class: "quiet", on: { click: () => dialog.close() } }, "Close"),
  );
  document.body.append(dialog);
  dialog.showModal();
}
