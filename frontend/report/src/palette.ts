// Colours of clusters in the graph, which needs them as values: after Paul Tol's schemes "bright" and "muted",
// which people with any kind of colour vision can tell apart. What follows the first few is grey.

export interface Ink {
  hues: string[];
  other: string;
  faded: string;
  edge: string;
  faintEdge: string;
  nearEdge: string;
  text: string;
  label: string;
}

export const INKS: Record<"light" | "dark", Ink> = {
  light: {
    hues: ["#33658a", "#cc6677", "#228833", "#b8860b", "#44aa99", "#aa3377", "#6666bb", "#999933"],
    other: "#8a9096",
    faded: "#e4e2dc",
    edge: "#dcd9d2",
    faintEdge: "#f0eeea",
    nearEdge: "#7d858c",
    text: "#1c2024",
    label: "#ffffff",
  },
  dark: {
    hues: ["#77aadd", "#ee8899", "#66bb77", "#ddbb66", "#66ccbb", "#dd88bb", "#aaaaee", "#c3c366"],
    other: "#8b949c",
    faded: "#2a2f34",
    edge: "#2f353b",
    faintEdge: "#22272c",
    nearEdge: "#8b949c",
    text: "#e8e6e1",
    label: "#262b30",
  },
};

/** The largest clusters have a colour of their own. */
export function clusterColours(sizes: Map<number, number>): Map<number, number> {
  const largest = [...sizes].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  return new Map(largest.slice(0, INKS.light.hues.length).map(([cluster], index) => [cluster, index]));
}
