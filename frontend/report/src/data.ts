// The report's data, as `sitecrawl report --format json` prints them, and how they come out of the file.

export interface TreeNode {
  name: string;
  /** Empty where several small folders were folded into one. */
  url: string;
  pages: number;
  children: TreeNode[];
}

export interface Estimate {
  name: string;
  known: number;
  estimate: number | null;
  low: number;
  high: number | null;
  is_trusted: boolean;
}

export interface Coverage extends Omit<Estimate, "name"> {
  method: string;
  doubts: string[];
  sources: { name: string; pages: number }[];
  overlap: { sources: string[]; pages: number }[];
  clusters: Estimate[];
  recent_yield: { requests: number; new: number; series: number[] };
}

export interface Cluster {
  id: number;
  kind: string;
  name: string;
  parent: number | null;
  pages: number;
  sample: string[];
  why: string;
}

export interface Finding {
  kind: string;
  severity: "high" | "medium" | "low";
  title: string;
  count: number;
  examples: { url: string; detail: string }[];
  advice: string;
}

export interface HostFigures {
  host: string;
  requests: number;
  smallest_gap_seconds: number | null;
  median_gap_seconds: number | null;
  most_in_flight: number;
  longest_pause_seconds: number | null;
  received_bytes: number;
  robots_asked_seconds?: number | null;
  robots_kept_seconds?: number | null;
}

export interface Politeness {
  hosts?: number;
  requests?: number;
  received_bytes?: number;
  by_host?: HostFigures[];
  left_alone?: { server: string; reason: string; refused: number }[];
}

export interface Named {
  name: string;
  pages: number;
}

export interface Overview {
  site: {
    root_url: string;
    asked: string;
    scan_id: number;
    scans: number;
    started_at: string;
    finished_at: string | null;
    status: string;
    reason: string;
    profile: string;
    version: string;
  };
  headline: {
    pages: number;
    refused: number;
    visited: number;
    rendered: number;
    documents: number;
    requests: number;
    bytes: number;
    seconds: number;
    by_source: Record<string, number>;
    by_reason: Record<string, number>;
    truncations: { what: string; setting: string; limit: number }[];
  };
  coverage: Coverage;
  tree: TreeNode;
  depths: { depth: number; pages: number }[];
  clicks: { clicks: number; pages: number }[];
  clusters: Cluster[];
  categories: Named[];
  types: Named[];
  languages: { code: string; pages: number; by: Record<string, number> }[];
  regions: { region: string; links: number; pages: number }[];
  findings: Finding[];
  politeness: Politeness;
  robots: {
    url: string;
    outcome: string;
    status: number | null;
    fetched_at: string;
    rules: number;
    crawl_delay: number | null;
    sitemaps: string[];
  }[];
  sitemaps: {
    url: string;
    format: string;
    outcome: string;
    status: number | null;
    entries: number;
    listed: number;
    bytes: number;
    findings: { kind: string; detail: string; count: number }[];
  }[];
}

export interface GraphNode {
  id: number;
  url: string;
  title: string;
  cluster: number | null;
  inlinks: number;
  is_structural: boolean;
}

export interface GraphData {
  nodes: GraphNode[];
  edges: [number, number][];
  /** Clusters of which the file has nothing but one node. */
  collapsed: { cluster: number; pages: number; node: number }[];
  edges_left_out: boolean;
}

export interface Pages {
  url: string[];
  title: string[];
  reason: string[];
  status: (number | null)[];
  cluster: (number | null)[];
  depth: number[];
  clicks: (number | null)[];
  priority: (number | null)[];
  category: string[];
  language: string[];
  lastmod: string[];
  left_out: number;
}

export interface Evidence {
  type: string;
  content: string;
  metadata: Record<string, unknown>;
  confidence: number;
  created_at: string;
}

interface Parts {
  overview: Overview;
  graph: GraphData;
  pages: Pages;
  evidence: Evidence[];
}

const decoded = new Map<string, Promise<unknown>>();

/** One part of the data. Each is unpacked when it is first asked for, and once. */
export function part<Name extends keyof Parts>(name: Name): Promise<Parts[Name]> {
  let promise = decoded.get(name);
  if (!promise) {
    promise = unpack(document.getElementById(`data-${name}`)?.textContent ?? "");
    decoded.set(name, promise);
  }
  return promise as Promise<Parts[Name]>;
}

async function unpack(text: string): Promise<unknown> {
  const binary = atob(text.trim());
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}
