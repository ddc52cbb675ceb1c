// The picture itself: Sigma draws the model, and what is pointed at shows its neighbours.

import Graph from "graphology";
import Sigma from "sigma";
import type { NodeDisplayData, PartialButFor } from "sigma/types";

import { clusterColours, INKS, type Ink } from "../palette";
import { shortened, visible } from "../text";
import { arrange, isCalm, seat } from "./layout";
import type { Drawn, GraphModel, Picture } from "./model";

// So many lie upon each other, and would hide what they lead to.
const MANY_LINKS = 4000;
const FONT = "system-ui, sans-serif";

export class GraphView {
  /** Told when another node is chosen; null: none. */
  onChoose: (key: string | null) => void = () => {};
  onOpen: (cluster: number) => void = () => {};
  onArranged: () => void = () => {};

  private readonly graph = new Graph({ type: "directed" });
  private readonly sigma: Sigma;
  private readonly colours: Map<number, number>;
  private readonly scheme = matchMedia("(prefers-color-scheme: dark)");
  private readonly places = new Map<string, { x: number; y: number }>();
  private ink: Ink;
  private edgeInk: "edge" | "faintEdge" = "edge";
  private hovered: string | null = null;
  private chosen: string | null = null;
  private near = new Set<string>();
  private stop: () => void = () => {};

  constructor(
    stage: HTMLElement,
    private readonly model: GraphModel,
  ) {
    this.colours = clusterColours(model.clusterSizes);
    this.ink = INKS[this.scheme.matches ? "dark" : "light"];
    this.scheme.addEventListener("change", () => this.recolour());
    this.fill(model.picture());
    this.sigma = new Sigma(this.graph, stage, {
      allowInvalidContainer: true,
      defaultEdgeType: "line",
      labelFont: FONT,
      labelSize: 12,
      labelDensity: 0.5,
      labelGridCellSize: 120,
      labelRenderedSizeThreshold: 7,
      labelColor: { attribute: "labelColour" },
      stagePadding: 50,
      minCameraRatio: 0.03,
      maxCameraRatio: 4,
      zIndex: true,
      hideEdgesOnMove: this.graph.size > 20_000,
      defaultDrawNodeHover: (context, data) => this.drawHover(context, data),
      nodeReducer: (key, data) => this.reduceNode(key, data),
      edgeReducer: (key, data) => this.reduceEdge(key, data),
    });
    this.sigma.on("enterNode", ({ node }) => this.point(node));
    this.sigma.on("leaveNode", () => this.point(null));
    this.sigma.on("clickNode", ({ node }) => this.choose(node));
    this.sigma.on("doubleClickNode", (event) => {
      event.preventSigmaDefault();
      this.openAt(event.node);
    });
    this.sigma.on("clickStage", () => this.choose(null));
    this.arrange(this.graph.order > 1500 ? 120 : 260);
  }

  /** The nodes that a node links to, and those that link to it. */
  neighbours(key: string): { to: string[]; from: string[] } {
    if (!this.graph.hasNode(key)) return { to: [], from: [] };
    return { to: this.graph.outNeighbors(key), from: this.graph.inNeighbors(key) };
  }

  node(key: string): Drawn {
    return this.graph.getNodeAttribute(key, "drawn") as Drawn;
  }

  nodes(): Drawn[] {
    return this.graph.mapNodes((_, attributes) => attributes.drawn as Drawn);
  }

  choose(key: string | null): void {
    this.chosen = key;
    this.point(null);
    this.onChoose(key);
  }

  /** Chooses it and brings it into the middle. */
  goTo(key: string): void {
    if (!this.graph.hasNode(key)) return;
    this.choose(key);
    const place = this.sigma.getNodeDisplayData(key);
    if (place) this.moveTo({ x: place.x, y: place.y, ratio: 0.35 });
  }

  zoom(factor: number): void {
    this.moveTo({ ratio: this.sigma.getCamera().ratio / factor });
  }

  reset(): void {
    this.moveTo({ x: 0.5, y: 0.5, ratio: 1, angle: 0 });
  }

  /** After the model opened or closed clusters. */
  update(): void {
    this.stop();
    this.hovered = null;
    this.graph.forEachNode((key, { x, y }) => this.places.set(key, { x, y }));
    this.graph.clear();
    this.fill(this.model.picture());
    if (this.chosen && !this.graph.hasNode(this.chosen)) this.choose(null);
    this.arrange(this.graph.order > 1500 ? 60 : 120);
  }

  private openAt(key: string): void {
    const { canOpen, cluster } = this.node(key);
    if (canOpen && cluster !== null) this.onOpen(cluster);
  }

  private moveTo(state: Partial<{ x: number; y: number; ratio: number; angle: number }>): void {
    void this.sigma.getCamera().animate(state, { duration: isCalm() ? 0 : 350 });
  }

  private arrange(iterations: number): void {
    this.stop = arrange(this.graph, iterations, () => this.onArranged());
  }

  private fill({ nodes, edges }: Picture): void {
    const links = [...edges.values()].reduce((sum, targets) => sum + targets.size, 0);
    this.edgeInk = links > MANY_LINKS ? "faintEdge" : "edge";
    // Those of a cluster start around a place of their own, or where the closed cluster stood.
    const seats = new Map<string, number>();
    const centres = new Map<number | null, { x: number; y: number }>();
    for (const drawn of nodes.values()) {
      const before = this.places.get(drawn.key);
      const home = this.places.get(`cluster ${drawn.cluster}`);
      if (!centres.has(drawn.cluster)) centres.set(drawn.cluster, home ?? seat(centres.size, 60));
      const centre = centres.get(drawn.cluster)!;
      const index = seats.get(`${drawn.cluster}`) ?? 0;
      seats.set(`${drawn.cluster}`, index + 1);
      const { x, y } = seat(index, 3);
      this.graph.addNode(drawn.key, {
        x: before?.x ?? centre.x + x,
        y: before?.y ?? centre.y + y,
        drawn,
        size: sizeOf(drawn),
        label: this.labelOf(drawn),
        labelColour: this.ink.text,
        color: this.colourOf(drawn.cluster),
        zIndex: drawn.isStructural || drawn.canOpen ? 1 : 0,
      });
    }
    for (const [from, targets] of edges) {
      for (const [to, links] of targets) {
        this.graph.addEdge(from, to, { size: Math.min(3, 0.4 + 0.3 * Math.log2(links)), color: this.ink[this.edgeInk] });
      }
    }
  }

  private labelOf(drawn: Drawn): string {
    const name = visible(shortened(drawn.name, 36));
    return drawn.pages > 1 ? `${name} (${drawn.pages.toLocaleString("en")})` : name;
  }

  colourOf(cluster: number | null): string {
    const index = cluster === null ? undefined : this.colours.get(cluster);
    return index === undefined ? this.ink.other : this.ink.hues[index];
  }

  private recolour(): void {
    this.ink = INKS[this.scheme.matches ? "dark" : "light"];
    this.graph.forEachNode((key, { drawn }) => {
      this.graph.mergeNodeAttributes(key, {
        color: this.colourOf((drawn as Drawn).cluster),
        labelColour: this.ink.text,
      });
    });
    this.graph.forEachEdge((key) => this.graph.setEdgeAttribute(key, "color", this.ink[this.edgeInk]));
    this.sigma.refresh();
  }

  private point(key: string | null): void {
    this.hovered = key;
    const centre = key ?? this.chosen;
    this.near = new Set(centre && this.graph.hasNode(centre) ? [centre, ...this.graph.neighbors(centre)] : []);
    this.sigma.refresh({ skipIndexation: true });
  }

  private reduceNode(key: string, data: Record<string, unknown>): Partial<NodeDisplayData> {
    if (!this.near.size) return data;
    if (!this.near.has(key)) return { ...data, color: this.ink.faded, label: null, zIndex: 0 };
    const isCentre = key === (this.hovered ?? this.chosen);
    return { ...data, highlighted: key === this.chosen, forceLabel: isCentre || this.near.size < 25, zIndex: 2 };
  }

  private reduceEdge(key: string, data: Record<string, unknown>): Record<string, unknown> {
    const centre = this.hovered ?? this.chosen;
    if (!centre || !this.near.size) return data;
    const isNear = this.graph.hasExtremity(key, centre);
    return isNear ? { ...data, color: this.ink.nearEdge, zIndex: 1 } : { ...data, hidden: true };
  }

  private drawHover(
    context: CanvasRenderingContext2D,
    data: PartialButFor<NodeDisplayData, "x" | "y" | "size" | "label" | "color">,
  ): void {
    context.beginPath();
    context.arc(data.x, data.y, data.size + 3, 0, 2 * Math.PI);
    context.strokeStyle = this.ink.text;
    context.lineWidth = 1.5;
    context.stroke();
    if (!data.label) return;
    context.font = `600 12px ${FONT}`;
    const width = context.measureText(data.label).width + 12;
    context.fillStyle = this.ink.label;
    context.beginPath();
    context.roundRect(data.x + data.size + 5, data.y - 11, width, 22, 4);
    context.fill();
    context.fillStyle = this.ink.text;
    context.fillText(data.label, data.x + data.size + 11, data.y + 4);
  }
}

function sizeOf(drawn: Drawn): number {
  if (drawn.pages > 1) return 8 + 3 * Math.log2(drawn.pages) ** 0.8;
  const size = 2.5 + Math.log2(1 + drawn.inlinks) * 0.7;
  return drawn.isStructural ? size + 5 : size;
}
