// The site as areas: each folder is as large as the number of pages below it, and can be entered.

import { hierarchy, treemap, treemapSquarify, type HierarchyRectangularNode } from "d3-hierarchy";

import type { TreeNode } from "../data";
import { drawnToWidth, h, pageLink, quoted, replace } from "../dom";
import { dataTable } from "../tables";
import { count, counted, percent } from "../text";

interface Area {
  name: string;
  pages: number;
  node: TreeNode | null; // null: pages of the folder itself, or what is too small to draw
  children: Area[];
}
type Tile = HierarchyRectangularNode<Area>;

const HUES = 8;
const MAX_TILES = 36;
const MAX_INNER_TILES = 24;
const HEADER = 24;

export class SiteMap {
  readonly element: HTMLElement;
  private path: TreeNode[];
  private selected: TreeNode | null = null;
  private width = 0;
  private readonly crumbs = h("nav", { class: "crumbs", "aria-label": "Where you are in the site" });
  private readonly stage = h("div", { class: "treemap", role: "group" });
  private readonly about = h("div", { class: "treemap-about", role: "status" });
  private readonly listing = h("details", { class: "as-table" });

  constructor(
    private readonly root: TreeNode,
    private readonly listPages: (url: string) => void,
  ) {
    this.path = [root];
    this.stage.addEventListener("keydown", (event) => this.onKey(event));
    this.element = h("div", { class: "site-map" }, this.crumbs, this.stage, this.about, this.listing);
    drawnToWidth(this.stage, (width) => {
      this.width = width;
      this.drawTiles(false);
    });
    this.draw(false);
  }

  private get current(): TreeNode {
    return this.path[this.path.length - 1];
  }

  private goTo(path: TreeNode[]): void {
    this.path = path;
    this.selected = null;
    this.draw(true);
  }

  private choose(node: TreeNode): void {
    if (node.children.length) {
      this.goTo([...this.path, node]);
    } else {
      this.selected = node;
      this.drawAbout();
    }
  }

  private draw(takesFocus: boolean): void {
    this.drawCrumbs();
    this.drawTiles(takesFocus);
    this.drawAbout();
    this.drawListing();
  }

  private drawCrumbs(): void {
    replace(
      this.crumbs,
      h(
        "ol",
        {},
        this.path.map((node, index) => {
          const name = index ? quoted(node.name, 60) : "Whole site";
          const isLast = index === this.path.length - 1;
          const content = isLast
            ? h("span", { "aria-current": "location" }, name)
            : h(
                "button",
                { type: "button", on: { click: () => this.goTo(this.path.slice(0, index + 1)) } },
                name,
              );
          return h("li", {}, content);
        }),
      ),
    );
  }

  private drawTiles(takesFocus: boolean): void {
    if (!this.width) return;
    const height = Math.max(280, Math.min(480, this.width * (this.width < 600 ? 1 : 0.5)));
    const top = treemap<Area>()
      .tile(treemapSquarify.ratio(1.4))
      .size([this.width, height])
      .round(true)
      .paddingInner(3)
      .paddingTop((tile) => (tile.depth === 1 && hasRoomInside(tile) ? HEADER : 0))
      .paddingRight((tile) => (tile.depth === 1 && hasRoomInside(tile) ? 3 : 0))
      .paddingLeft((tile) => (tile.depth === 1 && hasRoomInside(tile) ? 3 : 0))
      .paddingBottom((tile) => (tile.depth === 1 && hasRoomInside(tile) ? 3 : 0))(
      hierarchy(areasOf(this.current)).sum((area) => (area.children.length ? 0 : area.pages)),
    );
    const tiles = top.children ?? [];
    this.stage.style.height = `${height}px`;
    this.stage.setAttribute(
      "aria-label",
      `${counted(this.current.pages, "page")} in ${counted(tiles.length, "area")}. ` +
        "Arrow keys move, Enter opens, Escape goes up.",
    );
    replace(this.stage, tiles.map((tile, rank) => this.tile(tile, rank)));
    const first = this.stage.querySelector<HTMLButtonElement>("button");
    if (first) first.tabIndex = 0;
    if (takesFocus) first?.focus({ preventScroll: true });
  }

  private tile(tile: Tile, rank: number): HTMLElement {
    const { node, name, pages } = tile.data;
    const [width, height] = [tile.x1 - tile.x0, tile.y1 - tile.y0];
    const isRoomy = width > 58 && height > 22;
    const hue = this.path.length > 1 ? this.root.children.indexOf(this.path[1]) : rank;
    const label = `${name}, ${counted(pages, "page")}, ${percent(pages, this.current.pages)}`;
    return h(
      "button",
      {
        type: "button",
        class: node ? "tile" : "tile rest",
        tabindex: -1,
        title: label,
        "data-hue": node && hue >= 0 && hue < HUES ? hue : "none",
        vars: { ...place(tile), "--rank": this.path.length > 1 ? Math.min(rank, 8) : 0 },
        on: { click: () => node && this.choose(node) },
      },
      isRoomy &&
        h(
          "span",
          { class: "tile-name", "aria-hidden": "true" },
          quoted(name, 80),
          h("small", {}, width > 120 || height > 44 ? ` ${count(pages)}` : ""),
        ),
      h("span", { class: "visually-hidden" }, node?.children.length ? `${label}, open` : label),
      hasRoomInside(tile) && (tile.children ?? []).map((inner) => innerTile(inner, tile)),
    );
  }

  private drawAbout(): void {
    const node = this.selected ?? this.current;
    replace(
      this.about,
      h("strong", {}, node === this.root ? "Whole site" : quoted(node.name, 120)),
      ` ${counted(node.pages, "page")}, ${percent(node.pages, this.root.pages)} of the site `,
      node.url && [
        pageLink(node.url, undefined, 70),
        " ",
        h(
          "button",
          { type: "button", class: "quiet", on: { click: () => this.listPages(node.url) } },
          "List these pages",
        ),
      ],
    );
  }

  private drawListing(): void {
    const { children, name } = this.current;
    replace(
      this.listing,
      h("summary", {}, "The same as a table"),
      dataTable<TreeNode>({
        caption: this.current === this.root ? "Folders of the site" : `Folders in ${name}`,
        rows: children,
        text: (node) => node.name,
        columns: [
          {
            label: "Folder",
            isWide: true,
            value: (node) => node.name,
            cell: (node) =>
              node.children.length
                ? h(
                    "button",
                    { type: "button", class: "as-link", on: { click: () => this.choose(node) } },
                    quoted(node.name, 90),
                  )
                : pageLink(node.url, node.name, 90),
          },
          { label: "Pages", isNumber: true, value: (node) => node.pages },
          {
            label: "Share",
            isNumber: true,
            value: (node) => node.pages,
            cell: (node) => percent(node.pages, this.current.pages),
          },
        ],
      }),
    );
  }

  private onKey(event: KeyboardEvent): void {
    const tiles = [...this.stage.querySelectorAll<HTMLButtonElement>("button")];
    const at = tiles.indexOf(document.activeElement as HTMLButtonElement);
    const steps: Record<string, number> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
    let next: number | null = null;
    if (event.key in steps) next = at + steps[event.key];
    else if (event.key === "Home") next = 0;
    else if (event.key === "End") next = tiles.length - 1;
    else if ((event.key === "Escape" || event.key === "Backspace") && this.path.length > 1) {
      this.goTo(this.path.slice(0, -1));
      event.preventDefault();
      return;
    }
    const target = next === null ? undefined : tiles[next];
    if (!target) return;
    event.preventDefault();
    tiles.forEach((tile) => (tile.tabIndex = -1));
    target.tabIndex = 0;
    target.focus();
  }
}

/** The folder's areas, two levels deep, the small ones drawn as one. */
function areasOf(node: TreeNode): Area {
  const children = areasBelow(node, MAX_TILES, (child) => areasBelow(child, MAX_INNER_TILES, () => []));
  return { name: node.name, pages: node.pages, node, children };
}

function areasBelow(node: TreeNode, most: number, inner: (child: TreeNode) => Area[]): Area[] {
  const sorted = [...node.children].sort((a, b) => b.pages - a.pages);
  const areas: Area[] = sorted
    .slice(0, most)
    .map((child) => ({ name: child.name, pages: child.pages, node: child, children: inner(child) }));
  const rest = sorted.slice(most).reduce((sum, child) => sum + child.pages, 0);
  const own = node.pages - node.children.reduce((sum, child) => sum + child.pages, 0);
  if (rest) areas.push({ name: `${count(sorted.length - most)} smaller`, pages: rest, node: null, children: [] });
  if (own > 0 && sorted.length) areas.push({ name: "the folder itself", pages: own, node: null, children: [] });
  return areas;
}

function hasRoomInside(tile: Tile): boolean {
  return (tile.children?.length ?? 0) > 1 && tile.x1 - tile.x0 > 90 && tile.y1 - tile.y0 > 70;
}

function innerTile(inner: Tile, outer: Tile): HTMLElement {
  const [width, height] = [inner.x1 - inner.x0, inner.y1 - inner.y0];
  return h(
    "span",
    { class: "inner", "aria-hidden": "true", vars: place(inner, outer.x0, outer.y0) },
    width > 52 && height > 20 && quoted(inner.data.name, 40),
  );
}

function place(tile: Tile, left = 0, top = 0): Record<string, string> {
  return {
    left: `${tile.x0 - left}px`,
    top: `${tile.y0 - top}px`,
    width: `${tile.x1 - tile.x0}px`,
    height: `${tile.y1 - tile.y0}px`,
  };
}
