// Tables that can be searched and sorted, and tables whose figures are drawn as bars.

import { type Child, h, replace } from "./dom";
import { count, counted, percent } from "./text";

export type Sortable = string | number | null;

export interface Column<Row> {
  label: string;
  value: (row: Row) => Sortable;
  cell?: (row: Row) => Child;
  isNumber?: boolean;
  isWide?: boolean;
  /** Of no use on paper. */
  isOnScreen?: boolean;
}

interface TableOptions<Row> {
  caption: string;
  columns: Column<Row>[];
  rows: Row[];
  /** What the search looks at; without it there is none. */
  text?: (row: Row) => string;
  /** So many rows at first; the rest on demand. */
  shown?: number;
  /** A column to choose by. */
  choice?: { label: string; value: (row: Row) => string };
}

const PRINTED = 100;

export function compare(a: Sortable, b: Sortable): number {
  if (a === b) return 0;
  if (a === null) return 1; // what is not known comes last
  if (b === null) return -1;
  return a < b ? -1 : 1;
}

/** A box that scrolls sideways where the table is too wide for it, and then can be reached by keyboard. */
export function scrollable(table: HTMLElement, label: string): HTMLElement {
  const box = h("div", { class: "scroll" }, table);
  new ResizeObserver(() => {
    const isTooWide = box.scrollWidth > box.clientWidth + 1;
    for (const [name, value] of Object.entries({ tabindex: "0", role: "region", "aria-label": label })) {
      if (isTooWide) box.setAttribute(name, value);
      else box.removeAttribute(name);
    }
  }).observe(box);
  return box;
}

export function dataTable<Row>(options: TableOptions<Row>): HTMLElement {
  const { caption, columns, rows, text } = options;
  const shown = options.shown ?? 12;
  let sorted: { column: number; isDown: boolean } | null = null;
  let wanted = "";
  let chosen = "";
  let isWhole = false;

  const body = h("tbody");
  const status = h("p", { class: "note", role: "status" });
  const more = h("button", { type: "button", class: "quiet", on: { click: showAll } });
  const heads = columns.map((column, index) => head(column, () => sortBy(index)));
  const table = h(
    "table",
    {},
    h("caption", {}, caption),
    h("thead", {}, h("tr", {}, ...heads)),
    body,
  );

  function showAll(): void {
    isWhole = true;
    draw();
    body.rows[shown]?.querySelector<HTMLElement>("a, button")?.focus();
  }

  function sortBy(column: number): void {
    const isNumber = columns[column].isNumber ?? false;
    const isDown = sorted?.column === column ? !sorted.isDown : isNumber; // figures: largest first
    sorted = { column, isDown };
    heads.forEach((cell, index) => {
      if (index === column) cell.setAttribute("aria-sort", isDown ? "descending" : "ascending");
      else cell.removeAttribute("aria-sort");
    });
    draw();
  }

  function draw(): void {
    let found = rows.filter(
      (row) =>
        (!chosen || options.choice!.value(row) === chosen) &&
        (!wanted || text!(row).toLowerCase().includes(wanted)),
    );
    if (sorted) {
      const { column, isDown } = sorted;
      const value = columns[column].value;
      found = [...found].sort((a, b) => {
        const [x, y] = [value(a), value(b)];
        return x === null || y === null ? compare(x, y) : compare(x, y) * (isDown ? -1 : 1);
      });
    }
    const visible = isWhole ? found : found.slice(0, Math.max(shown, PRINTED));
    replace(body, visible.map((row, index) => line(row, !isWhole && index >= shown)));
    if (!found.length) body.append(h("tr", {}, h("td", { colspan: columns.length }, "Nothing found.")));
    const hidden = isWhole ? 0 : found.length - shown;
    more.hidden = hidden <= 0;
    more.textContent = `Show all ${count(found.length)}`;
    status.textContent = found.length < rows.length ? `${counted(found.length, "row")} of ${count(rows.length)}` : "";
  }

  // Rows beyond the first ones are there for print.
  function line(row: Row, isPrintOnly: boolean): HTMLElement {
    return h(
      "tr",
      { class: isPrintOnly && "print-only" },
      ...columns.map((column, index) => {
        const content = column.cell ? column.cell(row) : (column.value(row) ?? "–");
        const shownContent = typeof content === "number" ? count(content) : content;
        const kind = cellClass(column);
        return index === 0
          ? h("th", { scope: "row", class: kind }, shownContent)
          : h("td", { class: kind }, shownContent);
      }),
    );
  }

  draw();
  const choose = (value: string) => {
    chosen = value;
    draw();
  };
  const search =
    text && rows.length > 8
      ? h(
          "label",
          { class: "search" },
          h("span", {}, "Search"),
          h("input", {
            type: "search",
            autocomplete: "off",
            spellcheck: "false",
            "aria-label": `Search: ${caption}`,
            on: {
              input: (event: InputEvent) => {
                wanted = (event.target as HTMLInputElement).value.trim().toLowerCase();
                draw();
              },
            },
          }),
        )
      : null;
  const tools = h("div", { class: "filters" }, search, options.choice && chooser(options.choice, rows, choose));
  return h("div", { class: "data-table" }, tools.childElementCount > 0 && tools, status, scrollable(table, caption), more);
}

function chooser<Row>(
  { label, value }: { label: string; value: (row: Row) => string },
  rows: Row[],
  choose: (value: string) => void,
): HTMLElement | null {
  const values = [...new Set(rows.map(value))].sort();
  if (values.length < 2) return null;
  const select = h(
    "select",
    { id: `choose-${label.toLowerCase()}`, on: { change: () => choose(select.value) } },
    h("option", { value: "" }, "all"),
    values.map((each) => {
      const option = h("option", {}, each.slice(0, 80));
      option.value = each;
      return option;
    }),
  );
  return h("div", { class: "field" }, h("label", { for: select.id }, label), select);
}

function cellClass<Row>(column: Column<Row>): string | undefined {
  return column.isNumber ? "number" : column.isWide ? "wide" : column.isOnScreen ? "on-screen" : undefined;
}

function head<Row>(column: Column<Row>, sort: () => void): HTMLElement {
  return h(
    "th",
    { scope: "col", class: cellClass(column) },
    h("button", { type: "button", class: "sort", on: { click: sort } }, column.label),
  );
}

export interface BarRow {
  name: Child;
  value: number;
  note?: string;
}

/** Names, bars and figures; the bars repeat the figures and are hidden from screen readers. */
export function barTable(
  caption: string,
  headings: { name: string; value: string },
  rows: BarRow[],
  whole = rows.reduce((sum, row) => sum + row.value, 0),
): HTMLElement {
  const largest = Math.max(1, ...rows.map((row) => row.value));
  return h(
    "table",
    { class: "bars" },
    h("caption", {}, caption),
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("th", { scope: "col" }, headings.name),
        h("th", { scope: "col", class: "number" }, headings.value),
        h("th", { scope: "col", class: "number share" }, "Share"),
      ),
    ),
    h(
      "tbody",
      {},
      ...rows.map((row) =>
        h(
          "tr",
          {},
          h(
            "th",
            { scope: "row" },
            row.name,
            row.note && h("small", {}, ` ${row.note}`),
            h("span", { class: "bar", "aria-hidden": "true", vars: { "--part": row.value / largest } }),
          ),
          h("td", { class: "number" }, count(row.value)),
          h("td", { class: "number share" }, percent(row.value, whole)),
        ),
      ),
    ),
  );
}
