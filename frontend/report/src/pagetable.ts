// Every page, in a table of which only the rows in sight exist: a hundred thousand cost no more than a hundred.

import type { Cluster, Pages } from "./data";
import { type Child, h, pageLink, quoted, replace } from "./dom";
import { showPage } from "./pagedetails";
import { compare, scrollable, type Sortable } from "./tables";
import { count, counted, languageName, pathOf, words } from "./text";

export interface PageFilter {
  text?: string;
  /** An address that ends with a slash: what is below it, and itself with or without the slash. */
  prefix?: string;
  cluster?: string;
  language?: string;
}

interface Column {
  name: keyof Pages;
  label: string;
  isNumber?: boolean;
  cell: (row: number) => Child;
}

const ROW_HEIGHT = 52;
const SPARE_ROWS = 8;
const PRINTED_ROWS = 60;
const NONE = "\u0000none"; // no value that a site could have

export class PageTable {
  readonly element: HTMLElement;
  private order: number[];
  private found: number[];
  private readonly texts: (string | undefined)[] = [];
  private readonly clusterNames: Map<number, string>;
  private readonly filters: { [name: string]: string } = {};
  private text = "";
  private prefix = "";
  private sorted: { name: keyof Pages; isDown: boolean } | null = null;

  private readonly body = h("tbody");
  private readonly printed = h("tbody", { class: "print-only" });
  private readonly table: HTMLTableElement;
  private readonly viewport: HTMLElement;
  private readonly status = h("p", { class: "note", role: "status" });
  private readonly prefixChip = h("p", { class: "chip", hidden: true });
  private readonly search: HTMLInputElement;
  private readonly columns: Column[];
  private readonly heads: HTMLElement[];
  private readonly selects = new Map<string, HTMLSelectElement>();

  constructor(
    private readonly pages: Pages,
    clusters: Cluster[],
    private readonly known: { pages: number; refused: number },
  ) {
    this.clusterNames = new Map(clusters.map((cluster) => [cluster.id, cluster.name]));
    this.order = pages.url.map((_, row) => row);
    this.found = this.order;
    this.columns = this.makeColumns();
    this.heads = this.columns.map((column) => this.head(column));
    this.search = h("input", {
      type: "search",
      autocomplete: "off",
      spellcheck: "false",
      on: { input: () => this.filter() },
    });
    this.table = h(
      "table",
      { class: "pages" },
      h("caption", {}, "All pages"),
      h("thead", {}, h("tr", { "aria-rowindex": 1 }, this.heads)),
      this.body,
      this.printed,
    );
    this.viewport = scrollable(this.table, "Table of all pages");
    this.viewport.classList.add("viewport");
    this.viewport.addEventListener("scroll", () => this.drawRows(), { passive: true });
    new ResizeObserver(() => this.drawRows()).observe(this.viewport);
    this.element = h(
      "div",
      { class: "page-table" },
      h(
        "div",
        { class: "filters" },
        h("label", { class: "search" }, h("span", {}, "Search address or title"), this.search),
        this.select("reason", "List", (value) => (value === NONE ? "pages" : `refused: ${words(value)}`)),
        this.select("category", "Category", (value) => (value === NONE ? "none" : words(value))),
        this.select("language", "Language", (value) => languageName(value === NONE ? "" : value)),
        this.select("cluster", "Cluster", (value) =>
          value === NONE ? "none" : (this.clusterNames.get(Number(value)) ?? value),
        ),
      ),
      this.prefixChip,
      this.status,
      this.viewport,
    );
    this.show({});
  }

  /** Shows what matches, from anywhere in the report. */
  show(wanted: PageFilter): void {
    this.search.value = wanted.text ?? "";
    this.prefix = wanted.prefix ?? "";
    for (const [name, select] of this.selects) {
      select.value = wanted[name as keyof PageFilter] ?? (name === "reason" ? NONE : "");
      this.filters[name] = select.value;
    }
    this.filter();
  }

  private makeColumns(): Column[] {
    const { pages } = this;
    const columns: Column[] = [
      {
        name: "url",
        label: "Page",
        cell: (row) => [
          pageLink(pages.url[row], pages.title[row] || pathOf(pages.url[row]), 90),
          h("small", {}, quoted(pathOf(pages.url[row]), 110)),
        ],
      },
      { name: "reason", label: "List", cell: (row) => listWords(pages.reason[row]) },
      { name: "status", label: "HTTP", isNumber: true, cell: (row) => pages.status[row] ?? "–" },
      {
        name: "priority",
        label: "Priority",
        isNumber: true,
        cell: (row) => pages.priority[row]?.toFixed(2) ?? "–",
      },
      { name: "category", label: "Category", cell: (row) => words(pages.category[row]) || "–" },
      { name: "language", label: "Language", cell: (row) => pages.language[row] || "–" },
      { name: "depth", label: "Depth", isNumber: true, cell: (row) => pages.depth[row] },
      { name: "clicks", label: "Clicks", isNumber: true, cell: (row) => pages.clicks[row] ?? "–" },
      { name: "lastmod", label: "Modified", cell: (row) => pages.lastmod[row].slice(0, 10) || "–" },
    ];
    // A column in which nothing is known says nothing. HTTP statuses are known only of visited pages.
    const isKnown = (value: unknown): boolean => value !== null && value !== "";
    return columns.filter(({ name }) => name === "reason" || (pages[name] as unknown[]).some(isKnown));
  }

  private head(column: Column): HTMLElement {
    return h(
      "th",
      { scope: "col", class: column.isNumber ? "number" : column.name === "url" ? "wide" : undefined },
      h("button", { type: "button", class: "sort", on: { click: () => this.sortBy(column) } }, column.label),
    );
  }

  private select(name: "reason" | "category" | "language" | "cluster", label: string, say: (v: string) => string) {
    const sizes = new Map<string, number>();
    for (const value of this.pages[name] as (string | number | null)[]) {
      const key = value === null || value === "" ? NONE : String(value);
      sizes.set(key, (sizes.get(key) ?? 0) + 1);
    }
    if (sizes.size < 2) return null;
    const choices = [...sizes].sort((a, b) => b[1] - a[1]).slice(0, 300);
    const select = h(
      "select",
      { id: `filter-${name}`, on: { change: () => ((this.filters[name] = select.value), this.filter()) } },
      h("option", { value: "" }, "all"),
      choices.map(([value, size]) => {
        const option = h("option", {}, `${say(value).slice(0, 80)} (${count(size)})`);
        option.value = value;
        return option;
      }),
    );
    this.selects.set(name, select);
    return h("div", { class: "field" }, h("label", { for: select.id }, label), select);
  }

  private sortBy(column: Column): void {
    const isDown = this.sorted?.name === column.name ? !this.sorted.isDown : (column.isNumber ?? false);
    this.sorted = { name: column.name, isDown };
    const values = this.pages[column.name] as Sortable[];
    const known = (value: Sortable): Sortable => (value === "" ? null : value);
    this.order = this.pages.url.map((_, row) => row);
    this.order.sort((a, b) => {
      const [x, y] = [known(values[a]), known(values[b])];
      return x === null || y === null ? compare(x, y) : compare(x, y) * (isDown ? -1 : 1);
    });
    this.heads.forEach((head, index) => {
      if (this.columns[index] === column) head.setAttribute("aria-sort", isDown ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    this.filter();
  }

  private filter(): void {
    this.text = this.search.value.trim().toLowerCase();
    const chosen = Object.entries(this.filters).filter(([, value]) => value);
    this.found = this.order.filter(
      (row) =>
        (!this.prefix || isBelow(this.pages.url[row], this.prefix)) &&
        chosen.every(([name, value]) => this.matches(row, name as keyof Pages, value)) &&
        (!this.text || this.textOf(row).includes(this.text)),
    );
    this.viewport.scrollTop = 0;
    this.drawFound();
  }

  private matches(row: number, name: keyof Pages, wanted: string): boolean {
    const value = (this.pages[name] as (string | number | null)[])[row];
    return value === null || value === "" ? wanted === NONE : String(value) === wanted;
  }

  private textOf(row: number): string {
    return (this.texts[row] ??= `${this.pages.url[row]}\n${this.pages.title[row]}`.toLowerCase());
  }

  private drawFound(): void {
    const { found, pages, known } = this;
    const listed = found.reduce((sum, row) => sum + (pages.reason[row] ? 0 : 1), 0);
    const refused = found.length - listed;
    const parts = [
      (listed || !refused) && (listed === known.pages ? counted(listed, "page") : `${count(listed)} of ${counted(known.pages, "page")}`),
      refused && counted(refused, "refused address", "refused addresses"),
    ];
    const held = count(pages.url.length);
    const left = pages.left_out
      ? ` The file holds ${held} of ${count(known.pages + known.refused)} known URLs; sitecrawl urls lists all.`
      : "";
    this.status.textContent = `${parts.filter(Boolean).join(" and ")}.${left}`;
    this.prefixChip.hidden = !this.prefix;
    replace(this.prefixChip, "Only below ", quoted(this.prefix, 80), " ", this.clearButton());
    this.table.setAttribute("aria-rowcount", String(found.length + 1));
    replace(this.printed, found.slice(0, PRINTED_ROWS).map((row, index) => this.line(row, index)));
    if (found.length > PRINTED_ROWS) {
      const words = `and ${count(found.length - PRINTED_ROWS)} more: see the file itself, or its downloads.`;
      this.printed.append(h("tr", {}, h("td", { colspan: this.columns.length }, words)));
    }
    this.drawRows();
  }

  private clearButton(): HTMLElement {
    return h("button", { type: "button", class: "quiet", on: { click: () => this.show({}) } }, "Show all");
  }

  private drawRows(): void {
    const height = this.viewport.clientHeight || 560;
    const first = Math.max(0, Math.floor(this.viewport.scrollTop / ROW_HEIGHT) - SPARE_ROWS);
    const last = Math.min(this.found.length, first + Math.ceil(height / ROW_HEIGHT) + 2 * SPARE_ROWS);
    const rows = this.found.slice(first, last).map((row, index) => this.line(row, first + index));
    replace(this.body, this.gap(first), rows, this.gap(this.found.length - last));
    if (!this.found.length) {
      this.body.append(h("tr", {}, h("td", { colspan: this.columns.length }, "No page matches.")));
    }
  }

  private gap(rows: number): Child {
    return (
      rows > 0 &&
      h(
        "tr",
        { class: "gap", "aria-hidden": "true" },
        h("td", { colspan: this.columns.length, vars: { height: `${rows * ROW_HEIGHT}px` } }),
      )
    );
  }

  private line(row: number, index: number): HTMLElement {
    return h(
      "tr",
      { "aria-rowindex": index + 2 },
      this.columns.map((column) =>
        column.name === "url"
          ? h(
              "th",
              { scope: "row", class: "wide" },
              h("div", { class: "page-name" }, column.cell(row), this.detailsButton(row)),
            )
          : h("td", { class: column.isNumber && "number" }, column.cell(row)),
      ),
    );
  }

  private detailsButton(row: number): HTMLElement {
    const open = () => showPage(this.pages, row, this.clusterNames);
    const label = `All about ${pathOf(this.pages.url[row]).slice(0, 80)}`;
    return h("button", { type: "button", class: "details", "aria-label": label, on: { click: open } }, "⋯");
  }
}

function isBelow(url: string, prefix: string): boolean {
  return url.startsWith(prefix) || `${url}/` === prefix;
}

function listWords(reason: string): Child {
  return reason ? h("span", { class: "refused" }, words(reason)) : "page";
}
