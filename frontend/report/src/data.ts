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
  /** All pages that links and sitemaps lead to were visited. */
  is_exhaustive: boolean;
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

/** A cluster by meaning, with pages on the map: x, y and URL. */
export interface Topic {
  name: string;
  pages: number;
  points: [number, number, string][];
}

/** The same finding in the scan before, as far as both scans visited the pages. */
export interface Before {
  count: number;
  new: number;
  fixed: number;
  not_visited: number;
}

export interface Finding {
  /** The stable id. */
  kind: string;
  severity: "high" | "medium" | "low";
  topic: string;
  title: string;
  count: number;
  unit: "pages" | "addresses" | "entries" | "sitemaps";
  advice: string;
  before: Before | null;
}

/** What a finding is about, in columns. */
export interface Items {
  url: string[];
  detail: string[];
  /** How many pages link to each, and the first of them; only where that is asked for. */
  links?: number[];
  linked_from?: string[][];
  left_out: number;
}

export interface Percentiles {
  p50: number;
  p75: number;
  p90: number;
  p95: number;
  p99: number;
  max: number;
}

export interface Speed {
  pages: number;
  elapsed_ms: Percentiles | null;
  bytes: Percentiles | null;
}

export interface Section {
  id: number;
  name: string;
  parent: number | null;
  /** Without those of sections inside it. */
  pages: number;
  most_linked: { url: string; title: string; links: number }[];
}

export interface SectionLinks {
  source: number;
  target: number;
  links: number;
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
  topics: Topic[];
  categories: Named[];
  types: Named[];
  languages: { code: string; pages: number; by: Record<string, number> }[];
  regions: { region: string; links: number; pages: number }[];
  findings: Finding[];
  before: { scan_id: number; started_at: string; visited: number; speed: Speed; fixed: Finding[] } | null;
  speed: Speed;
  links: { sections: Section[]; links: SectionLinks[] };
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
  /** Addresses that nothing names, where sitemaps often are. */
  probes: { asked: number; found: number };
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
  items: Record<string, Items>;
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
