// The same as data, made in the page: nothing is fetched for it.

import { type Evidence, type Finding, type Items, type Overview, part } from "../data";
import { type Child, h } from "../dom";
import { counted } from "../text";
import { section } from "./section";

type Row = Record<string, unknown>;

export function downloads(data: Overview): HTMLElement {
  const host = data.site.root_url.replace(/^https?:\/\//i, "").replace(/[^a-z0-9.-]+/gi, "-").replace(/-+$/, "");
  const name = (what: string) => `${host.slice(0, 80) || "site"}-${what}`;
  return section(
    "downloads",
    "Evidence and downloads",
    "Everything above rests on these records. They are made from this file; nothing is fetched.",
    h(
      "ul",
      { class: "downloads" },
      item("The whole report", "all that this file holds", name("report.json"), async () =>
        json({ ...data, ...(await rest(data)) }),
      ),
      item("Pages", "one row per page", name("pages.csv"), async () => csv(pageRows(await part("pages")))),
      item("Clusters", counted(data.clusters.length, "row"), name("clusters.csv"), async () =>
        csv(data.clusters.map((row) => ({ ...row, sample: row.sample.join(" ") }))),
      ),
      item("Findings", "one row per page or address", name("findings.csv"), async () =>
        csv(findingRows(data, await part("items"))),
      ),
      item("Sitemaps", counted(data.sitemaps.length, "row"), name("sitemaps.csv"), async () =>
        csv(data.sitemaps.map((row) => ({ ...row, findings: row.findings.map((f) => f.kind).join(" ") }))),
      ),
      item("Links between sections", "from, to, links", name("links.csv"), async () => csv(linkRows(data))),
      item("Evidence", "what was seen, as it was recorded", name("evidence.json"), async () => json(await part("evidence"))),
      item("Evidence as a table", "type, content, confidence", name("evidence.csv"), async () =>
        csv((await part("evidence")).map(evidenceRow)),
      ),
    ),
  );
}

export async function save(file: string, make: () => Promise<Blob>): Promise<void> {
  const url = URL.createObjectURL(await make());
  const link = h("a", { download: file });
  link.href = url;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

function item(title: string, note: string, file: string, make: () => Promise<Blob>): Child {
  return h(
    "li",
    {},
    h("button", { type: "button", class: "as-link", on: { click: () => void save(file, make) } }, title),
    h("span", { class: "note" }, `${file.split(".").at(-1)!.toUpperCase()}, ${note}`),
  );
}

async function rest({ findings }: Overview): Promise<Row> {
  const [items, pages, evidence] = await Promise.all([part("items"), part("pages"), part("evidence")]);
  return { findings: findings.map((finding) => ({ ...finding, items: itemsOf(items[finding.kind]) })), pages, evidence };
}

function itemsOf({ url, detail, links, linked_from }: Items): Row[] {
  return url.map((address, row) => ({
    ...{ url: address, detail: detail[row] },
    ...(links && { links: links[row], linked_from: linked_from?.[row] }),
  }));
}

function linkRows({ links: { sections, links } }: Overview): Row[] {
  const names = new Map(sections.map(({ id, name }) => [id, name]));
  return links.map((row) => ({ from: names.get(row.source), to: names.get(row.target), links: row.links }));
}

function pageRows(columns: object): Row[] {
  const named = Object.entries(columns).filter((entry): entry is [string, unknown[]] => Array.isArray(entry[1]));
  const length = named[0]?.[1].length ?? 0;
  return Array.from({ length }, (_, row) => Object.fromEntries(named.map(([name, values]) => [name, values[row]])));
}

function findingRows({ findings }: Overview, items: Record<string, Items>): Row[] {
  return findings.flatMap((finding) => itemRows(finding, items[finding.kind]));
}

/** One row for each page or address that has the finding. */
export function itemRows({ kind, severity, title }: Finding, { url, detail, links, linked_from }: Items): Row[] {
  return url.map((address, row) => ({
    ...{ id: kind, severity, title, url: address, detail: detail[row] },
    links: links?.[row],
    linked_from: linked_from?.[row].join(" "),
  }));
}

function evidenceRow(record: Evidence): Row {
  return { ...record, metadata: JSON.stringify(record.metadata) };
}

function json(value: unknown): Blob {
  return new Blob([JSON.stringify(value, null, 1)], { type: "application/json" });
}

export function csv(rows: Row[]): Blob {
  const names = Object.keys(rows[0] ?? {});
  const lines = [names, ...rows.map((row) => names.map((name) => row[name]))];
  return new Blob([lines.map((line) => `${line.map(cell).join(",")}\r\n`).join("")], { type: "text/csv" });
}

// A cell that starts so would be a formula to a spreadsheet, and a site could have written it.
const FORMULA = /^[=+\-@\t\r]/;

function cell(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  const text = FORMULA.test(String(value)) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
