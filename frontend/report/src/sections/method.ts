// How the scan behaved, and what it read: for site owners, and for whoever has to repeat it.

import type { HostFigures, Overview } from "../data";
import { type Child, h, pageLink, quoted } from "../dom";
import { dataTable } from "../tables";
import { byteSize, count, counted, duration, moment, words } from "../text";
import { block, nothing, section } from "./section";

export function method(data: Overview): HTMLElement {
  return section(
    "method",
    "How it was done",
    "What was really sent to the site, and which documents the list rests on.",
    block("Politeness", null, politeness(data)),
    block("robots.txt", null, robots(data)),
    block("Sitemaps and feeds", probes(data), sitemaps(data)),
  );
}

function politeness({ politeness }: Overview): Child {
  const hosts = politeness.by_host ?? [];
  if (!hosts.length) return nothing("The scan sent nothing.");
  const leftAlone = politeness.left_alone ?? [];
  return [
    h(
      "p",
      { class: "note" },
      `${counted(politeness.requests ?? 0, "request")} to ${counted(politeness.hosts ?? hosts.length, "host")}, ` +
        `${byteSize(politeness.received_bytes)} received. The figures are those that the server's own log shows.`,
    ),
    dataTable<HostFigures>({
      caption: "What was sent to each host",
      rows: hosts,
      text: (row) => row.host,
      columns: [
        { label: "Host", value: (row) => row.host, cell: (row) => quoted(row.host, 80) },
        { label: "Requests", isNumber: true, value: (row) => row.requests },
        secondsColumn("Smallest gap", (row) => row.smallest_gap_seconds),
        secondsColumn("Median gap", (row) => row.median_gap_seconds),
        { label: "Most at once", isNumber: true, value: (row) => row.most_in_flight },
        secondsColumn("Longest pause", (row) => row.longest_pause_seconds),
        secondsColumn("robots.txt asks for", (row) => row.robots_asked_seconds ?? null),
        {
          label: "Received",
          isNumber: true,
          value: (row) => row.received_bytes,
          cell: (row) => byteSize(row.received_bytes),
        },
      ],
    }),
    leftAlone.length > 0 &&
      h(
        "div",
        { class: "callout" },
        h("h4", {}, "Left alone"),
        h(
          "ul",
          {},
          leftAlone.map((row) =>
            h("li", {}, quoted(row.server), ": ", quoted(row.reason), ` (${counted(row.refused, "request")} not sent)`),
          ),
        ),
      ),
  ];
}

function secondsColumn(label: string, value: (row: HostFigures) => number | null) {
  return { label, isNumber: true, value, cell: (row: HostFigures) => duration(value(row)) };
}

function robots({ robots }: Overview): Child {
  if (!robots.length) return nothing("No robots.txt was asked for.");
  return dataTable<Overview["robots"][number]>({
    caption: "robots.txt of each host",
    rows: robots,
    text: (row) => row.url,
    columns: [
      { label: "Address", isWide: true, value: (row) => row.url, cell: (row) => pageLink(row.url, undefined, 80) },
      { label: "Outcome", value: (row) => words(row.outcome) },
      { label: "HTTP", isNumber: true, value: (row) => row.status, cell: (row) => row.status ?? "–" },
      { label: "Rules", isNumber: true, value: (row) => row.rules },
      {
        label: "Crawl-delay",
        isNumber: true,
        value: (row) => row.crawl_delay,
        cell: (row) => duration(row.crawl_delay),
      },
      { label: "Sitemaps", isNumber: true, value: (row) => row.sitemaps.length },
      { label: "Fetched", value: (row) => row.fetched_at, cell: (row) => moment(row.fetched_at) },
    ],
  });
}

/** What was tried on the chance that it is there says nothing against the site. */
function probes({ probes: { asked, found } }: Overview): string | null {
  if (!asked) return null;
  const usual = counted(asked, "usual address", "usual addresses");
  return `${usual} of sitemaps ${asked === 1 ? "was" : "were"} tried that nothing names: ${found ? count(found) : "none"} of them ${found > 1 ? "exist" : "exists"}.`;
}

function sitemaps({ sitemaps }: Overview): Child {
  if (!sitemaps.length) return nothing("The site has no sitemap, and no feed was read.");
  return dataTable<Overview["sitemaps"][number]>({
    caption: "Sitemaps and feeds that were read",
    rows: sitemaps,
    text: (row) => `${row.url} ${row.format} ${row.outcome}`,
    columns: [
      { label: "Address", isWide: true, value: (row) => row.url, cell: (row) => pageLink(row.url, undefined, 80) },
      { label: "Format", value: (row) => row.format || null },
      { label: "Outcome", value: (row) => words(row.outcome) },
      { label: "HTTP", isNumber: true, value: (row) => row.status, cell: (row) => row.status ?? "–" },
      { label: "Entries", isNumber: true, value: (row) => row.entries },
      { label: "First to list", isNumber: true, value: (row) => row.listed },
      { label: "Size", isNumber: true, value: (row) => row.bytes, cell: (row) => byteSize(row.bytes) },
      {
        label: "Findings",
        isWide: true,
        value: (row) => row.findings.length,
        cell: (row) =>
          row.findings.length
            ? quoted(row.findings.map((f) => `${words(f.kind)}${f.count > 1 ? ` (${count(f.count)})` : ""}`).join(", "))
            : "–",
      },
    ],
  });
}
