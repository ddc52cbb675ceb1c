// The graph of links, and the same by keyboard: a search, the neighbours of a page, a table of all that is drawn.

import { type Cluster, type GraphData, part } from "../data";
import { type Child, h, onceNear, pageLink, quoted, replace } from "../dom";
import { GraphModel, type Drawn } from "../graph/model";
import { GraphView } from "../graph/view";
import { dataTable } from "../tables";
import { count, counted } from "../text";
import { nothing, section } from "./section";

const MAX_HITS = 8;
const MAX_NEIGHBOURS = 40;

export function links(clusters: Cluster[]): HTMLElement {
  const place = h("div", { class: "graph" }, nothing("Unpacking the links …"));
  onceNear(place, () => void part("graph").then((data) => show(place, data, clusters)));
  return section(
    "links",
    "Links between pages",
    "Each dot is a page, its colour the cluster; larger ones are in the menu or have many links to them. " +
      "A dot with a number stands for a whole cluster and can be opened.",
    place,
  );
}

function show(place: HTMLElement, data: GraphData, clusters: Cluster[]): void {
  if (!data.nodes.length) {
    replace(place, nothing("No links are known: the crawl did not run."));
    return;
  }
  const stage = h("div", { class: "graph-stage", role: "img" });
  const panel = h("div", { class: "graph-panel" });
  const model = new GraphModel(data, clusters);
  stage.setAttribute("aria-label", `Graph of ${counted(data.nodes.length, "page")}. The table below says the same.`);
  replace(place, stage, panel);
  let view: GraphView;
  try {
    view = new GraphView(stage, model);
  } catch {
    // Without WebGL there is no picture; what it would show is in the table.
    replace(place, nothing("This browser cannot draw the graph. The table has the same."), listing(data));
    return;
  }
  new Explorer(place, stage, panel, model, view);
}

class Explorer {
  private readonly hits = h("ul", { class: "hits" });
  private readonly about = h("div", { class: "graph-about", role: "status" });
  private readonly clusterList = h("ul", { class: "graph-clusters" });
  private readonly table = h("details", { class: "as-table" });
  private isAwake = false;

  constructor(
    place: HTMLElement,
    private readonly stage: HTMLElement,
    panel: HTMLElement,
    private readonly model: GraphModel,
    private readonly view: GraphView,
  ) {
    view.onChoose = (key) => this.drawAbout(key);
    view.onOpen = (cluster) => this.toggle(cluster, true);
    view.onArranged = () => stage.setAttribute("data-arranged", "");
    this.letThePageScroll();
    replace(panel, this.searchBox(), this.hits, this.about, h("h3", {}, "Clusters"), this.clusterList);
    place.append(this.buttons(), this.table, this.whatIsMissing());
    this.drawAbout(null);
    this.drawClusters();
    this.table.append(h("summary", {}, "The same as a table"));
    this.table.addEventListener("toggle", () => this.drawTable(), { once: true });
  }

  private searchBox(): HTMLElement {
    const onInput = (event: InputEvent) => {
      const text = (event.target as HTMLInputElement).value.trim();
      const found = text.length > 1 ? this.model.search(text, MAX_HITS) : [];
      replace(
        this.hits,
        found.map((node) =>
          h(
            "li",
            {},
            h(
              "button",
              { type: "button", class: "as-link", on: { click: () => this.reveal(node.id) } },
              quoted(node.title || node.url, 70),
            ),
          ),
        ),
        text.length > 1 && !found.length && h("li", {}, "Nothing found."),
      );
    };
    return h(
      "label",
      { class: "search" },
      h("span", {}, "Find a page"),
      h("input", { type: "search", autocomplete: "off", spellcheck: "false", on: { input: onInput } }),
    );
  }

  private buttons(): HTMLElement {
    const button = (label: string, name: string, run: () => void) =>
      h("button", { type: "button", class: "quiet", "aria-label": name, on: { click: run } }, label);
    const wake = h(
      "button",
      { type: "button", class: "quiet wake", "aria-pressed": "false", on: { click: () => this.wake(wake) } },
      "Move and zoom",
    );
    return h(
      "div",
      { class: "graph-buttons", role: "group", "aria-label": "The picture" },
      wake,
      button("+", "Zoom in", () => this.view.zoom(1.6)),
      button("−", "Zoom out", () => this.view.zoom(1 / 1.6)),
      button("Whole graph", "Show the whole graph", () => this.view.reset()),
    );
  }

  private wake(button: HTMLElement): void {
    this.isAwake = !this.isAwake;
    button.setAttribute("aria-pressed", String(this.isAwake));
    this.stage.classList.toggle("awake", this.isAwake);
  }

  /** The wheel and the finger move the page, until the reader has taken hold of the graph. */
  private letThePageScroll(): void {
    const { stage } = this;
    let isHeld = false;
    stage.addEventListener("mousedown", () => (isHeld = true), { capture: true });
    stage.addEventListener("mouseleave", () => (isHeld = false));
    stage.addEventListener(
      "wheel",
      (event) => {
        if (!isHeld && !this.isAwake && !event.ctrlKey) event.stopPropagation();
      },
      { capture: true },
    );
    for (const name of ["touchstart", "touchmove"] as const) {
      stage.addEventListener(name, (event) => !this.isAwake && event.stopPropagation(), { capture: true });
    }
  }

  private reveal(id: number): void {
    const key = this.model.reveal(id);
    this.changed();
    if (key) this.view.goTo(key);
  }

  private toggle(cluster: number, isOpen: boolean): void {
    if (isOpen) this.model.open.add(cluster);
    else this.model.open.delete(cluster);
    this.changed();
  }

  private changed(): void {
    this.stage.removeAttribute("data-arranged");
    this.view.update();
    this.drawClusters();
    if (this.table.open) this.drawTable();
  }

  private drawClusters(): void {
    const bySize = [...this.model.clusterSizes].sort((a, b) => b[1] - a[1]).slice(0, 60);
    const active = document.activeElement?.id;
    replace(
      this.clusterList,
      bySize.map(([cluster, size]) => {
        const box = h("input", {
          type: "checkbox",
          id: `graph-cluster-${cluster}`,
          on: { change: () => this.toggle(cluster, box.checked) },
        });
        box.checked = this.model.open.has(cluster);
        return h(
          "li",
          {},
          h(
            "label",
            {},
            box,
            h("i", { class: "swatch", "aria-hidden": "true", vars: { background: this.view.colourOf(cluster) } }),
            quoted(this.model.nameOf(cluster), 40),
            h("small", {}, ` ${count(size)}`),
          ),
        );
      }),
    );
    if (active?.startsWith("graph-cluster-")) document.getElementById(active)?.focus();
  }

  private drawAbout(key: string | null): void {
    if (!key) {
      replace(this.about, h("p", { class: "note" }, "Choose a dot to see its links. Ticked clusters are open."));
      return;
    }
    const node = this.view.node(key);
    const { to, from } = this.view.neighbours(key);
    replace(
      this.about,
      h("h3", {}, quoted(node.name, 120)),
      node.url && h("p", {}, pageLink(node.url, undefined, 80)),
      h("p", { class: "note" }, facts(node, this.model)),
      node.canOpen &&
        h(
          "button",
          { type: "button", class: "quiet", on: { click: () => this.toggle(node.cluster!, true) } },
          `Open its ${counted(node.pages, "page")}`,
        ),
      this.neighbourList("Links to", to),
      this.neighbourList("Linked from", from),
    );
  }

  private neighbourList(title: string, keys: string[]): Child {
    if (!keys.length) return null;
    return h(
      "details",
      {},
      h("summary", {}, `${title} ${count(keys.length)}`),
      h(
        "ul",
        {},
        keys.slice(0, MAX_NEIGHBOURS).map((key) =>
          h(
            "li",
            {},
            h(
              "button",
              { type: "button", class: "as-link", on: { click: () => this.view.goTo(key) } },
              quoted(this.view.node(key).name, 60),
            ),
          ),
        ),
        keys.length > MAX_NEIGHBOURS && h("li", {}, `and ${count(keys.length - MAX_NEIGHBOURS)} more`),
      ),
    );
  }

  private drawTable(): void {
    const { view } = this;
    const rows = view.nodes().sort((a, b) => b.inlinks - a.inlinks);
    replace(
      this.table,
      h("summary", {}, "The same as a table"),
      dataTable<Drawn>({
        caption: "What the graph shows, by links to it",
        rows,
        text: (row) => `${row.name} ${row.url}`,
        columns: [
          {
            label: "Page or cluster",
            isWide: true,
            value: (row) => row.name,
            cell: (row) =>
              h(
                "button",
                { type: "button", class: "as-link", on: { click: () => view.goTo(row.key) } },
                quoted(row.name, 80),
              ),
          },
          { label: "Cluster", value: (row) => this.model.nameOf(row.cluster) },
          { label: "Pages", isNumber: true, value: (row) => row.pages },
          { label: "Links to it", isNumber: true, value: (row) => row.inlinks },
          { label: "Links from it", isNumber: true, value: (row) => view.neighbours(row.key).to.length },
          { label: "In the menu", value: (row) => (row.isStructural ? "yes" : "no") },
        ],
      }),
    );
  }

  private whatIsMissing(): Child & HTMLElement {
    const { collapsed, edges_left_out } = this.model.data;
    const pages = collapsed.reduce((sum, row) => sum + row.pages, 0);
    const words = [
      collapsed.length &&
        `${counted(collapsed.length, "cluster")} with ${counted(pages, "page")} cannot be opened: the file holds only their sums.`,
      edges_left_out && "There are more links than the picture shows.",
    ];
    return h("p", { class: "note" }, words.filter(Boolean).join(" "));
  }
}

function facts(node: Drawn, model: GraphModel): string {
  const parts = [counted(node.inlinks, "link", "links") + " to it"];
  if (node.pages > 1) parts.unshift(counted(node.pages, "page"));
  else parts.push(`in ${model.nameOf(node.cluster)}`);
  if (node.isStructural) parts.push("in the menu");
  return parts.join(", ");
}

function listing(data: GraphData): HTMLElement {
  return dataTable({
    caption: "Pages by links to them",
    rows: [...data.nodes].sort((a, b) => b.inlinks - a.inlinks),
    text: (node) => `${node.title} ${node.url}`,
    columns: [
      { label: "Page", isWide: true, value: (node) => node.url, cell: (node) => pageLink(node.url, node.title || node.url, 90) },
      { label: "Links to it", isNumber: true, value: (node) => node.inlinks },
      { label: "In the menu", value: (node) => (node.is_structural ? "yes" : "no") },
    ],
  });
}
