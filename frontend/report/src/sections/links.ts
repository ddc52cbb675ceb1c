// How the sections of the site link to each other: sections as rows, and what is inside of them on demand.

import { arcDiagram, type Arc, type Group } from "../charts/arcs";
import type { Overview, Section } from "../data";
import { type Child, h, pageLink, quoted, replace } from "../dom";
import { type BarRow, barTable, dataTable, scrollable } from "../tables";
import { count, counted, pathOf, withoutSiteName } from "../text";
import { nothing, section } from "./section";

// So many groups at once can be told apart; the others are taken together.
const MAX_GROUPS = 14;
const MAX_PARTNERS = 6;
const MAX_PAGES = 12;
const OUTSIDE = "outside";
const SMALLER = "smaller";

export function links({ links }: Overview): HTMLElement {
  const hasLinks = links.links.length > 0;
  return section(
    "links",
    "Links between sections",
    "Each row is a section of the site with its number of pages, and each arc the links between two of them. " +
      "Choose a section to see where it links to and what links to it; open it to see what is inside.",
    hasLinks ? new SectionMap(links).element : nothing("No links between pages are known: the crawl did not run."),
  );
}

class SectionMap {
  readonly element = h("div", { class: "section-map" });
  private readonly byId: Map<number, Section>;
  private readonly children = new Map<number | null, Section[]>();
  private readonly sizes = new Map<number, number>();
  private readonly shorten: (title: string) => string;
  private focus: number | null = null;
  private chosen: string | null = null;

  constructor(private readonly data: Overview["links"]) {
    this.byId = new Map(data.sections.map((each) => [each.id, each]));
    for (const each of data.sections) {
      const parent = each.parent !== null && this.byId.has(each.parent) ? each.parent : null;
      this.children.set(parent, [...(this.children.get(parent) ?? []), each]);
    }
    for (const each of data.sections) this.sizeOf(each);
    this.shorten = withoutSiteName(data.sections.flatMap((each) => each.most_linked.map((page) => page.title)));
    // A site that is all in one folder starts inside of it.
    for (let only = this.childrenOf(null); only.length === 1 && this.childrenOf(only[0].id).length > 1; ) {
      this.focus = only[0].id;
      only = this.childrenOf(this.focus);
    }
    this.draw();
  }

  private childrenOf(id: number | null): Section[] {
    return this.children.get(id) ?? [];
  }

  /** Pages of a section with all that is inside of it. */
  private sizeOf(each: Section): number {
    let size = this.sizes.get(each.id);
    if (size === undefined) {
      size = each.pages + this.childrenOf(each.id).reduce((sum, child) => sum + this.sizeOf(child), 0);
      this.sizes.set(each.id, size);
    }
    return size;
  }

  /** From the site down to the section. */
  private pathTo(id: number | null): Section[] {
    const path: Section[] = [];
    for (let each = id === null ? undefined : this.byId.get(id); each; each = this.byId.get(each.parent ?? -1)) {
      path.unshift(each);
    }
    return path;
  }

  private view(): { groups: Group[]; groupOf: Map<number, string> } {
    const inside = [...this.childrenOf(this.focus)].sort((a, b) => this.sizeOf(b) - this.sizeOf(a));
    const shown = inside.length > MAX_GROUPS ? inside.slice(0, MAX_GROUPS - 1) : inside;
    const rest = inside.slice(shown.length);
    const groupOf = new Map<number, string>();
    const take = (each: Section, key: string): void => {
      groupOf.set(each.id, key);
      this.childrenOf(each.id).forEach((child) => take(child, key));
    };
    const groups: Group[] = shown.map((each) => {
      const key = String(each.id);
      take(each, key);
      return { key, name: each.name, pages: this.sizeOf(each), canOpen: this.childrenOf(each.id).length > 0 };
    });
    if (rest.length) {
      rest.forEach((each) => take(each, SMALLER));
      const pages = rest.reduce((sum, each) => sum + this.sizeOf(each), 0);
      groups.push({ key: SMALLER, name: `${counted(rest.length, "smaller section")}`, pages, canOpen: false });
    }
    const own = this.focus === null ? undefined : this.byId.get(this.focus);
    if (own) {
      if (own.pages) {
        groupOf.set(own.id, String(own.id));
        groups.push({ key: String(own.id), name: `${own.name} itself`, pages: own.pages, canOpen: false });
      }
      const others = this.data.sections.filter((each) => !groupOf.has(each.id) && each.pages);
      if (others.length) {
        others.forEach((each) => groupOf.set(each.id, OUTSIDE));
        const pages = others.reduce((sum, each) => sum + each.pages, 0);
        groups.push({ key: OUTSIDE, name: "the rest of the site", pages, canOpen: false });
      }
    }
    return { groups, groupOf };
  }

  private draw(): void {
    const { groups, groupOf } = this.view();
    const sums = new Map<string, Arc>();
    for (const { source, target, links } of this.data.links) {
      const [from, to] = [groupOf.get(source), groupOf.get(target)];
      if (from === undefined || to === undefined) continue;
      const sum = sums.get(`${from} ${to}`) ?? { source: from, target: to, links: 0 };
      sum.links += links;
      sums.set(`${from} ${to}`, sum);
    }
    const arcs = [...sums.values()];
    const listener = {
      choose: (key: string | null) => {
        this.chosen = key;
        this.draw();
        this.element.querySelector<HTMLElement>('.arc-row[aria-pressed="true"]')?.focus({ preventScroll: true });
      },
      open: (key: string) => this.open(Number(key)),
    };
    replace(
      this.element,
      this.crumbs(),
      h(
        "div",
        { class: "columns lean-left" },
        arcDiagram(groups, arcs, this.chosen, listener),
        this.panel(groups, arcs, groupOf),
      ),
      this.asTable(groups, arcs),
    );
  }

  private open(id: number | null): void {
    this.focus = id;
    this.chosen = null;
    this.draw();
    this.element.querySelector<HTMLElement>(".arc-row")?.focus({ preventScroll: true });
  }

  private crumbs(): Child {
    const path = this.pathTo(this.focus);
    if (!path.length) return null;
    const steps: [string, number | null][] = [["whole site", null], ...path.map((each): [string, number] => [each.name, each.id])];
    return h(
      "nav",
      { class: "crumbs", "aria-label": "Section" },
      h(
        "ol",
        {},
        steps.map(([name, id], index) =>
          index === steps.length - 1
            ? h("li", { "aria-current": "true" }, quoted(name, 60))
            : h("li", {}, h("button", { type: "button", on: { click: () => this.open(id) } }, quoted(name, 60))),
        ),
      ),
    );
  }

  private panel(groups: Group[], arcs: Arc[], groupOf: Map<number, string>): HTMLElement {
    const names = new Map(groups.map((group) => [group.key, group.name]));
    const { chosen } = this;
    const group = groups.find(({ key }) => key === chosen);
    const isMeant = (each: Section): boolean =>
      chosen === null ? groupOf.get(each.id) !== OUTSIDE : groupOf.get(each.id) === chosen;
    const pages = this.data.sections
      .filter(isMeant)
      .flatMap((each) => each.most_linked)
      .sort((a, b) => b.links - a.links)
      .slice(0, MAX_PAGES);
    const within = arcs.find(({ source, target }) => source === chosen && target === chosen)?.links ?? 0;
    const partners = (title: string, of: (arc: Arc) => string, other: (arc: Arc) => string): Child => {
      const rows: BarRow[] = arcs
        .filter((arc) => of(arc) === chosen && other(arc) !== chosen)
        .sort((a, b) => b.links - a.links)
        .slice(0, MAX_PARTNERS)
        .map((arc) => ({ name: quoted(names.get(other(arc)) ?? "", 50), value: arc.links }));
      return rows.length > 0 && scrollable(barTable(title, { name: title, value: "Links" }, rows), title);
    };
    return h(
      "div",
      { class: "section-panel", "aria-live": "polite" },
      h("h3", {}, group ? quoted(group.name, 60) : "Most linked pages"),
      group && h("p", { class: "note" }, `${counted(group.pages, "page")}, ${counted(within, "link")} between them.`),
      group && partners("It links to", (arc) => arc.source, (arc) => arc.target),
      group && partners("Linked from", (arc) => arc.target, (arc) => arc.source),
      group && h("h3", {}, "Most linked pages"),
      pages.length
        ? h(
            "ol",
            { class: "most-linked" },
            pages.map((page) =>
              h("li", {}, pageLink(page.url, this.shorten(page.title) || pathOf(page.url), 60), h("small", {}, ` ${count(page.links)}`)),
            ),
          )
        : nothing("None are known."),
    );
  }

  private asTable(groups: Group[], arcs: Arc[]): HTMLElement {
    const names = new Map(groups.map((group) => [group.key, group.name]));
    const named = (key: string): string => names.get(key) ?? key;
    return h(
      "details",
      { class: "as-table" },
      h("summary", {}, "The same as a table"),
      dataTable<Arc>({
        caption: "Links from section to section",
        rows: [...arcs].sort((a, b) => b.links - a.links),
        text: (row) => `${named(row.source)} ${named(row.target)}`,
        columns: [
          { label: "From", isWide: true, value: (row) => named(row.source), cell: (row) => quoted(named(row.source), 60) },
          { label: "To", isWide: true, value: (row) => named(row.target), cell: (row) => quoted(named(row.target), 60) },
          { label: "Links", isNumber: true, value: (row) => row.links },
        ],
      }),
    );
  }
}
