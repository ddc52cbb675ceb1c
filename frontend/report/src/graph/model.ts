// Which nodes the picture has: pages, and clusters that stand for all of their pages until they are opened.

import type { Cluster, GraphData, GraphNode } from "../data";
import { pathOf, withoutSiteName } from "../text";

export interface Drawn {
  key: string;
  name: string;
  url: string;
  cluster: number | null;
  /** Pages that it stands for. */
  pages: number;
  inlinks: number;
  isStructural: boolean;
  /** A cluster that can be opened. */
  canOpen: boolean;
}

export interface Picture {
  nodes: Map<string, Drawn>;
  /** Key of one node, key of the other -> number of links between them. */
  edges: Map<string, Map<string, number>>;
}

// More than that is a cloud in which nobody finds anything.
const READABLE = 400;

export class GraphModel {
  readonly clusterSizes = new Map<number, number>();
  readonly open = new Set<number>();
  private readonly names: Map<number, string>;
  private readonly byId: Map<number, GraphNode>;
  /** Node -> pages, of clusters of which the file has little more than their number. */
  private readonly sealed: Map<number, number>;
  private readonly sealedNodeOf: Map<number, number>;
  private readonly shorten: (title: string) => string;

  constructor(
    readonly data: GraphData,
    clusters: Cluster[],
  ) {
    this.names = new Map(clusters.map((cluster) => [cluster.id, cluster.name]));
    this.byId = new Map(data.nodes.map((node) => [node.id, node]));
    this.sealed = new Map(data.collapsed.map(({ node, pages }) => [node, pages]));
    this.sealedNodeOf = new Map(data.collapsed.map(({ cluster, node }) => [cluster, node]));
    this.shorten = withoutSiteName(data.nodes.map((node) => node.title));
    for (const { id, cluster } of data.nodes) {
      if (cluster === null) continue;
      this.clusterSizes.set(cluster, (this.clusterSizes.get(cluster) ?? 0) + (this.sealed.get(id) ?? 1));
    }
    this.openTheSmall();
  }

  /** How many dots a cluster takes when it is open. */
  private dots(cluster: number, size: number): number {
    const sealed = this.sealedNodeOf.get(cluster);
    return sealed === undefined ? size : size - this.sealed.get(sealed)! + 1;
  }

  /** The smallest clusters are open, as many as stay readable; one that is all there is, too. */
  private openTheSmall(): void {
    const bySize = [...this.clusterSizes]
      .map(([cluster, size]): [number, number] => [cluster, this.dots(cluster, size)])
      .sort((a, b) => a[1] - b[1] || a[0] - b[0]);
    let drawn = bySize.length;
    for (const [cluster, size] of bySize) {
      if (drawn + size > READABLE && bySize.length > 1) break;
      drawn += size - 1;
      this.open.add(cluster);
    }
  }

  nameOf(cluster: number | null): string {
    return cluster === null ? "no cluster" : (this.names.get(cluster) ?? `cluster ${cluster}`);
  }

  /** Pages of the menu stay in sight when their cluster is closed: they are the landmarks. */
  private keyOf(node: GraphNode): string {
    const isOwn = node.cluster === null || node.is_structural || this.open.has(node.cluster);
    if (isOwn && !this.sealed.has(node.id)) return `page ${node.id}`;
    return `cluster ${node.cluster}`;
  }

  picture(): Picture {
    const nodes = new Map<string, Drawn>();
    const keys = new Map<number, string>();
    for (const node of this.data.nodes) {
      const key = this.keyOf(node);
      keys.set(node.id, key);
      const known = nodes.get(key);
      if (known) {
        known.pages += this.sealed.get(node.id) ?? 1;
        known.inlinks += node.inlinks;
      } else {
        nodes.set(key, this.drawn(node, key));
      }
    }
    const edges = new Map<string, Map<string, number>>();
    for (const [from, to] of this.data.edges) {
      const [a, b] = [keys.get(from), keys.get(to)];
      if (!a || !b || a === b) continue;
      const targets = edges.get(a) ?? new Map<string, number>();
      targets.set(b, (targets.get(b) ?? 0) + 1);
      edges.set(a, targets);
    }
    return { nodes, edges };
  }

  private drawn(node: GraphNode, key: string): Drawn {
    const isCluster = key.startsWith("cluster");
    return {
      key,
      name: isCluster ? this.nameOf(node.cluster) : this.shorten(node.title) || pathOf(node.url),
      url: isCluster ? "" : node.url,
      cluster: node.cluster,
      pages: this.sealed.get(node.id) ?? 1,
      inlinks: node.inlinks,
      isStructural: !isCluster && node.is_structural,
      canOpen: isCluster && node.cluster !== null && !this.open.has(node.cluster),
    };
  }

  /** Where a search leads: the node that shows the page, after its cluster was opened. */
  reveal(id: number): string | null {
    const node = this.byId.get(id);
    if (!node) return null;
    if (node.cluster !== null) this.open.add(node.cluster);
    return this.keyOf(node);
  }

  search(text: string, most: number): GraphNode[] {
    const wanted = text.toLowerCase();
    const found: GraphNode[] = [];
    for (const node of this.data.nodes) {
      if (`${node.url}\n${node.title}`.toLowerCase().includes(wanted)) found.push(node);
      if (found.length >= most) break;
    }
    return found;
  }
}
