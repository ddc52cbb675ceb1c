// What is wrong, most serious first, with every page it concerns and what to do.

import { type Before, type Finding, type Items, type Overview, part } from "../data";
import { type Child, h, pageLink, quoted, replace } from "../dom";
import { count, counted } from "../text";
import { csv, itemRows, save } from "./downloads";
import { nothing, section } from "./section";

const SEVERITIES = ["high", "medium", "low"] as const;
const NAMES = { high: "Fix soon", medium: "Should be fixed", low: "Good to know" };
const ONE = { pages: "page", addresses: "address", entries: "entry", sitemaps: "sitemap" };
const ROWS = 20;
const PRINTED_ROWS = 20;

export function findings(data: Overview): HTMLElement {
  const sorted = [...data.findings].sort(
    (a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) || b.count - a.count,
  );
  const list = h("ul", { class: "findings" }, sorted.map(finding));
  return section(
    "findings",
    "Findings",
    "What stands in the way of readers and search engines, with the pages it concerns and what to do about it.",
    sorted.length > 5 && topics(sorted, list),
    sorted.length ? list : nothing(data.headline.pages ? "Nothing was found that needs attention." : "No page is known, so there was nothing to look at."),
  );
}

/** Buttons that leave the findings of one topic. */
function topics(findings: Finding[], list: HTMLElement): Child {
  const names = [...new Set(findings.map(({ topic }) => topic))];
  if (names.length < 2) return null;
  const buttons = ["", ...names].map((name) => {
    const number = findings.filter(({ topic }) => !name || topic === name).length;
    return h(
      "button",
      { type: "button", class: "quiet", "aria-pressed": String(!name), on: { click: () => choose(name) } },
      `${name || "all"} (${number})`,
    );
  });
  function choose(topic: string): void {
    buttons.forEach((button, index) => button.setAttribute("aria-pressed", String(["", ...names][index] === topic)));
    for (const item of list.children as HTMLCollectionOf<HTMLElement>) {
      item.hidden = topic !== "" && item.dataset.topic !== topic;
    }
  }
  return h("div", { class: "topics", role: "group", "aria-label": "Topics" }, buttons);
}

function finding(data: Finding): HTMLElement {
  const { severity, topic, title, count: number, unit, advice, kind, before } = data;
  const place = h("div", { class: "items" });
  const details = h(
    "details",
    { on: { toggle: () => details.open && void open() } },
    h("summary", {}, `Show ${unit === "sitemaps" ? "them" : `all ${unit}`}`),
    place,
  );
  let isOpen = false;
  async function open(): Promise<void> {
    if (isOpen) return;
    isOpen = true;
    const items = (await part("items"))[kind];
    replace(place, items ? new ItemList(data, items).element : nothing("Nothing is known of them."));
  }
  return h(
    "li",
    { class: "finding", id: `finding-${kind}`, "data-severity": severity, "data-kind": kind, "data-topic": topic },
    h("p", { class: "severity" }, NAMES[severity] ?? severity),
    h("p", { class: "amount" }, count(number), h("small", {}, ` ${number === 1 ? ONE[unit] : unit}`)),
    h("h3", {}, quoted(title, 200)),
    h("p", { class: "advice" }, quoted(advice, 1000), change(before)),
    details,
  );
}

function change(before: Before | null): Child {
  if (!before) return null;
  const isWorse = before.new > before.fixed;
  const words = [
    before.new && `${count(before.new)} new`,
    before.fixed && `${count(before.fixed)} fixed`,
    before.not_visited && `${count(before.not_visited)} not visited again`,
  ].filter(Boolean);
  const kind = !words.length ? "tag" : isWorse ? "tag doubted" : "tag good";
  return [" ", h("span", { class: kind }, words.length ? `${words.join(", ")} since the scan before` : "as in the scan before")];
}

/** The items of one finding, a page of the list at a time. */
class ItemList {
  readonly element: HTMLElement;
  private found: number[];
  private first = 0;
  private readonly rows = h("ol", { class: "examples" });
  private readonly status = h("p", { class: "note", role: "status" });
  private readonly previous = this.turn("Previous", () => this.first - ROWS);
  private readonly next = this.turn("Next", () => this.first + ROWS);

  constructor(
    private readonly finding: Finding,
    private readonly items: Items,
  ) {
    this.found = items.url.map((_, row) => row);
    this.element = h(
      "div",
      {},
      items.url.length > ROWS && this.search(),
      this.rows,
      h(
        "div",
        { class: "pager" },
        this.previous,
        this.next,
        this.status,
        h(
          "button",
          { type: "button", class: "as-link on-screen", on: { click: () => void this.download() } },
          "Download as CSV",
        ),
      ),
      items.left_out > 0 &&
        h(
          "p",
          { class: "note" },
          `${count(items.left_out)} more are not in this file; `,
          h("code", {}, "sitecrawl report … -o tables.zip"),
          " (or .xlsx) has all of them.",
        ),
    );
    this.draw();
  }

  private search(): HTMLElement {
    const input = h("input", {
      type: "search",
      autocomplete: "off",
      spellcheck: "false",
      "aria-label": `Search: ${this.finding.title}`,
      on: { input: () => this.filter(input.value.trim().toLowerCase()) },
    });
    return h("label", { class: "search" }, h("span", {}, "Search"), input);
  }

  private filter(wanted: string): void {
    const { url, detail } = this.items;
    this.found = url.map((_, row) => row).filter((row) => `${url[row]}\n${detail[row]}`.toLowerCase().includes(wanted));
    this.first = 0;
    this.draw();
  }

  private turn(label: string, first: () => number): HTMLButtonElement {
    const go = () => {
      this.first = first();
      this.draw();
    };
    return h("button", { type: "button", class: "quiet", on: { click: go } }, label);
  }

  private draw(): void {
    const { found, first } = this;
    const last = Math.min(found.length, first + ROWS);
    replace(this.rows, found.slice(first, last).map((row) => this.row(row)));
    this.rows.setAttribute("start", String(first + 1));
    this.previous.disabled = first === 0;
    this.next.disabled = last >= found.length;
    const isPaged = this.items.url.length > ROWS;
    this.previous.hidden = this.next.hidden = !isPaged;
    this.status.textContent = !found.length
      ? "Nothing found."
      : isPaged
        ? `${count(first + 1)} to ${count(last)} of ${count(found.length)}`
        : "";
  }

  private row(row: number): HTMLElement {
    const { url, detail, links, linked_from } = this.items;
    return h(
      "li",
      {},
      pageLink(url[row]),
      detail[row] && h("span", { class: "detail" }, quoted(detail[row], 300)),
      links && linked_from && sources(links[row], linked_from[row]),
    );
  }

  private async download(): Promise<void> {
    await save(`${this.finding.kind}.csv`, async () => csv(itemRows(this.finding, this.items)));
  }
}

function sources(links: number, from: string[]): Child {
  if (!from.length) return null;
  const rest = links - from.length;
  return h(
    "details",
    { class: "sources" },
    h("summary", {}, `linked from ${counted(links, "page")}`),
    h(
      "ul",
      {},
      from.map((url) => h("li", {}, pageLink(url))),
      rest > 0 && h("li", { class: "note" }, `and ${count(rest)} more`),
    ),
  );
}

/** On paper every finding shows its first items. */
export function fillForPrint(all: Record<string, Items>): void {
  for (const element of document.querySelectorAll<HTMLElement>(".finding")) {
    const items = all[element.dataset.kind ?? ""];
    const place = element.querySelector(".items");
    if (!items || !place || place.childElementCount) continue;
    const shown = items.url.slice(0, PRINTED_ROWS);
    const rest = items.url.length + items.left_out - shown.length;
    replace(
      place,
      h(
        "ol",
        { class: "examples" },
        shown.map((url, row) => h("li", {}, pageLink(url), h("span", { class: "detail" }, quoted(items.detail[row], 300)))),
        rest > 0 && h("li", { class: "note" }, `and ${count(rest)} more in the file`),
      ),
    );
  }
}
