// What the site consists of: clusters, kinds of pages, languages, and where its links stand.

import { topicMap } from "../charts/topicmap";
import type { Cluster, Overview } from "../data";
import { type Child, h, pageLink, quoted } from "../dom";
import type { PageFilter } from "../pagetable";
import { type BarRow, barTable, dataTable, scrollable } from "../tables";
import { count, counted, languageName, words } from "../text";
import { block, section } from "./section";

const UNKNOWN = "not known";

export function contents(data: Overview, listPages: (wanted: PageFilter) => void): HTMLElement {
  const { categories, types, languages, regions } = data;
  return section(
    "contents",
    "Contents",
    "What the site consists of. Clusters overlap: a page is in the cluster of its section, of its pattern, of its language.",
    block("Clusters", null, clusters(data, listPages)),
    data.topics.length > 0 && block("Topics", null, topicMap(data.topics)),
    h(
      "div",
      { class: "columns" },
      bars("Categories", "Category", categories.map((row) => ({ name: words(row.name) || UNKNOWN, value: row.pages }))),
      bars("Kinds of pages", "Kind", types.map((row) => ({ name: words(row.name), value: row.pages }))),
      bars(
        "Languages",
        "Language",
        languages.map((row) => ({
          name: languageName(row.code),
          value: row.pages,
          note: [row.code, howTold(row.by)].filter(Boolean).join(", told by "),
        })),
      ),
      bars(
        "Where links stand",
        "Part of the page",
        regions.map((row) => ({ name: words(row.region), value: row.links, note: `to ${counted(row.pages, "page")}` })),
        "Links",
      ),
    ),
  );
}

function clusters(data: Overview, listPages: (wanted: PageFilter) => void): HTMLElement {
  const rows = data.clusters;
  const names = new Map(rows.map((row) => [row.id, row.name]));
  return dataTable<Cluster>({
    caption: "Clusters of pages",
    rows: [...rows].sort((a, b) => b.pages - a.pages),
    text: (row) => `${row.name} ${row.kind} ${row.why}`,
    choice: { label: "Kind", value: (row) => row.kind },
    columns: [
      { label: "Cluster", isWide: true, value: (row) => row.name, cell: (row) => quoted(row.name, 80) },
      { label: "Kind", value: (row) => row.kind },
      { label: "Pages", isNumber: true, value: (row) => row.pages },
      {
        label: "Within",
        value: (row) => (row.parent === null ? null : (names.get(row.parent) ?? null)),
        cell: (row) => (row.parent === null ? "–" : quoted(names.get(row.parent) ?? "–", 60)),
      },
      { label: "Why", isWide: true, value: (row) => row.why, cell: (row) => quoted(row.why, 160) },
      {
        label: "Samples",
        isOnScreen: true,
        value: (row) => row.sample[0] ?? null,
        cell: (row) => samples(row, filterOf(row, data), listPages),
      },
    ],
  });
}

/** How the table of pages finds those of a cluster; null where it cannot. */
function filterOf({ id, kind, name, parent }: Cluster, { site, languages }: Overview): PageFilter | null {
  if (kind === "section" && name.startsWith("/") && !name.includes("{")) {
    return { prefix: `${site.root_url.replace(/^(https?:\/\/[^/]+).*/is, "$1")}${name}/`.replace(/\/+$/, "/") };
  }
  // A page has one cluster in the table: the outermost.
  if (parent === null && (kind === "section" || kind === "pattern")) return { cluster: String(id) };
  const language = kind === "language" && languages.find(({ code }) => languageName(code) === name);
  return language ? { language: language.code } : null;
}

function samples(row: Cluster, wanted: PageFilter | null, listPages: (wanted: PageFilter) => void): Child {
  return h(
    "details",
    { class: "samples" },
    h(
      "summary",
      {},
      counted(row.sample.length, "sample"),
      h("span", { class: "visually-hidden" }, ` of ${row.name}`),
    ),
    h("ul", {}, row.sample.map((url) => h("li", {}, pageLink(url, undefined, 90)))),
    wanted &&
      h("button", { type: "button", class: "quiet", on: { click: () => listPages(wanted) } }, "List its pages"),
  );
}

function howTold(by: Record<string, number>): string {
  return Object.entries(by)
    .sort((a, b) => b[1] - a[1])
    .map(([how, pages]) => `${words(how)} (${count(pages)})`)
    .join(", ");
}

function bars(title: string, name: string, rows: BarRow[], value = "Pages"): Child {
  if (!rows.some((row) => row.name !== UNKNOWN)) return null;
  const sorted = [...rows].sort((a, b) => b.value - a.value).slice(0, 16);
  const whole = rows.reduce((sum, row) => sum + row.value, 0);
  return block(title, null, scrollable(barTable(title, { name, value }, sorted, whole), title));
}
