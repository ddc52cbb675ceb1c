// Where the nodes stand: ForceAtlas2 in short turns, so that the page stays awake, and never for long.

import type Graph from "graphology";
import forceAtlas2 from "graphology-layout-forceatlas2";

const TURN_MILLISECONDS = 30;
const LONGEST_MILLISECONDS = 3000;
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));

export const isCalm = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** A place in a sunflower: even, and the same every time. */
export function seat(index: number, spread = 1): { x: number; y: number } {
  const radius = spread * Math.sqrt(index + 0.5);
  return { x: radius * Math.cos(index * GOLDEN_ANGLE), y: radius * Math.sin(index * GOLDEN_ANGLE) };
}

/** Moves the nodes apart, out of sight for those who want no motion; returns how to stop it. */
export function arrange(shown: Graph, iterations: number, done: () => void): () => void {
  const graph = isCalm() ? shown.copy() : shown;
  const settings = {
    ...forceAtlas2.inferSettings(graph),
    barnesHutOptimize: graph.order > 400,
    adjustSizes: false,
    strongGravityMode: true,
    gravity: graph.order < 400 ? 0.2 : 0.06,
    scalingRatio: 12,
    linLogMode: false,
    outboundAttractionDistribution: true,
  };
  const end = performance.now() + LONGEST_MILLISECONDS;
  let left = iterations;
  let isStopped = false;
  let step = 1;

  function turn(): void {
    if (isStopped) return;
    const start = performance.now();
    const now = Math.min(step, left);
    forceAtlas2.assign(graph, { iterations: now, settings });
    placeUnlinked(graph);
    left -= now;
    // As many as fit into a turn: one for five thousand nodes, a hundred for fifty.
    const perIteration = (performance.now() - start) / now;
    step = Math.max(1, Math.min(40, Math.floor(TURN_MILLISECONDS / Math.max(perIteration, 0.1))));
    if (left > 0 && performance.now() < end) requestAnimationFrame(turn);
    else finish();
  }

  function finish(): void {
    if (graph !== shown) {
      shown.updateEachNodeAttributes((key, attributes) => {
        const { x, y } = graph.getNodeAttributes(key);
        return { ...attributes, x, y };
      });
    }
    done();
  }

  requestAnimationFrame(turn);
  return () => {
    isStopped = true;
  };
}

/** Pages without links have nothing that holds them: they stand in a ring around the others. */
function placeUnlinked(graph: Graph): void {
  const unlinked: string[] = [];
  let radius = 1;
  graph.forEachNode((key, { x, y }) => {
    if (graph.degree(key)) radius = Math.max(radius, Math.hypot(x, y));
    else unlinked.push(key);
  });
  unlinked.forEach((key, index) => {
    const angle = (2 * Math.PI * index) / unlinked.length;
    graph.mergeNodeAttributes(key, { x: 1.12 * radius * Math.cos(angle), y: 1.12 * radius * Math.sin(angle) });
  });
}
