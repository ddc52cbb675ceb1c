// How complete the list is, and how far that can be trusted.

import { intervalBar, intervalChart, scaleOf } from "../charts/interval";
import { overlapChart } from "../charts/overlap";
import { yieldLine } from "../charts/yieldline";
import type { Coverage, Estimate, Overview } from "../data";
import { type Child, h, quoted } from "../dom";
import { dataTable } from "../tables";
import { count, counted } from "../text";
import { block, nothing, section } from "./section";

export function coverage({ coverage }: Overview): HTMLElement {
  return section(
    "coverage",
    "How complete is the list?",
    hasEstimate(coverage) || !coverage.is_exhaustive
      ? "Sources that do not know of each other, such as sitemaps and links, overlap. From how much they overlap it can be " +
          "estimated how many pages none of them names."
      : "The crawl has followed every link and every sitemap to its end.",
    h(
      "div",
      { class: "columns lean-left" },
      h("div", {}, statement(coverage), hasEstimate(coverage) && intervalChart(coverage)),
      doubts(coverage),
    ),
    block(
      "Overlap of the sources",
      "Each row is a combination of sources, and how many pages exactly these name.",
      overlapChart(coverage) ?? nothing("There is only one source, or none."),
    ),
    recent(coverage),
    hasEstimate(coverage) && clusters(coverage.clusters),
  );
}

/** An exhaustive crawl says more than an estimate that is in doubt. */
function hasEstimate({ estimate, is_exhaustive, is_trusted }: Coverage): boolean {
  return estimate !== null && (is_trusted || !is_exhaustive);
}

function statement({ known, estimate, low, high, is_trusted, is_exhaustive, method }: Coverage): Child {
  if (is_exhaustive && (estimate === null || !is_trusted)) {
    return [
      h("p", { class: "statement" }, `${counted(known, "page")} known: `, h("strong", {}, "all reachable pages were visited"), "."),
      h("p", { class: "note" }, "What nothing links to and no sitemap names cannot be found by anybody."),
    ];
  }
  if (estimate === null) return h("p", { class: "statement" }, `${counted(known, "page")} known. No estimate can be made.`);
  const range = high === null ? `at least ${count(low)}` : `${count(low)} to ${count(high)}`;
  return [
    h(
      "p",
      { class: "statement" },
      `${count(known)} known, `,
      h("strong", {}, `about ${count(estimate)}`),
      " in all ",
      h("span", { class: is_trusted ? "tag good" : "tag doubted" }, is_trusted ? "can be trusted" : "with doubts"),
    ),
    h("p", { class: "note" }, `95 % interval: ${range}. Method: ${method}.`),
  ];
}

function doubts(coverage: Coverage): Child {
  const { doubts, is_trusted } = coverage;
  if (!hasEstimate(coverage) && !doubts.length) return null;
  return h(
    "div",
    { class: "doubts" },
    h("h3", {}, doubts.length ? (hasEstimate(coverage) ? "What speaks against it" : "To be kept in mind") : "Can it be trusted?"),
    doubts.length
      ? h("ul", {}, doubts.map((doubt) => h("li", {}, quoted(doubt, 500))))
      : h("p", {}, is_trusted ? "Nothing speaks against this estimate." : "There is too little to say."),
  );
}

function recent({ recent_yield: { requests, new: found, series } }: Coverage): Child {
  if (!requests || series.length < 2) return null;
  const summary = `The last ${counted(requests, "request")} named ${counted(found, "page")} that nothing had named before.`;
  return block(
    "Does more crawling find more?",
    `${summary} A line that falls to the floor says that the crawl has seen what it can see.`,
    yieldLine(series, `New pages in ${count(series.length)} equal steps of the scan. ${summary}`),
  );
}

function clusters(rows: Estimate[]): Child {
  if (!rows.length) return null;
  const at = scaleOf(rows);
  return block(
    "By cluster",
    null,
    dataTable<Estimate>({
      caption: "How complete each cluster is",
      rows,
      text: (row) => row.name,
      shown: 8,
      columns: [
        { label: "Cluster", isWide: true, value: (row) => row.name, cell: (row) => quoted(row.name, 80) },
        { label: "Known", isNumber: true, value: (row) => row.known },
        { label: "Estimate", isNumber: true, value: (row) => row.estimate },
        {
          label: "95 % interval",
          isNumber: true,
          value: (row) => row.high,
          cell: (row) => (row.high === null ? "–" : `${count(row.low)} – ${count(row.high)}`),
        },
        { label: "Picture", value: (row) => row.known, cell: (row) => intervalBar(row, at) },
        {
          label: "Trust",
          value: (row) => (row.is_trusted ? 1 : 0),
          cell: (row) => (row.is_trusted ? "yes" : "with doubts"),
        },
      ],
    }),
  );
}
