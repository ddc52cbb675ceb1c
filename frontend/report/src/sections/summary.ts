// The first screen: whose report it is, the figures, and what limits cut.

import type { Finding, Overview } from "../data";
import { type Child, h, pageLink, quoted } from "../dom";
import { barTable, dataTable, scrollable } from "../tables";
import { byteSize, capitalised, count, counted, duration, moment, words } from "../text";
import { block, nothing, section } from "./section";

export function masthead({ site }: Overview): HTMLElement {
  const ended = site.finished_at ?? site.started_at;
  return h(
    "header",
    { class: "masthead" },
    h("p", { class: "eyebrow" }, "Site report"),
    h("h1", {}, quoted(site.root_url.replace(/^https?:\/\//i, "").replace(/\/$/, ""), 120)),
    h(
      "p",
      { class: "byline" },
      pageLink(site.root_url, undefined, 90),
      h("span", {}, `Scanned ${moment(ended)}`),
      h("span", {}, `${capitalised(site.status)}${site.reason ? `: ${words(site.reason)}` : ""}`),
      h("span", {}, `Scan no. ${site.scan_id}, profile ${site.profile || "default"}, ${counted(site.scans, "scan")} of this site so far`),
    ),
  );
}

export function summary(data: Overview): HTMLElement {
  const { headline, coverage } = data;
  return section(
    "summary",
    "In short",
    verdict(data),
    h(
      "dl",
      { class: "figures" },
      figure("Pages on the list", count(headline.pages), "every one with the reason why"),
      estimate(coverage),
      figure("Addresses refused", count(headline.refused), "not pages of the list, each with its reason"),
      figure("Pages visited", count(headline.visited), headline.rendered ? `${count(headline.rendered)} rendered` : "and read"),
      figure("Documents read", count(headline.documents), "robots.txt, sitemaps, feeds, pages"),
      figure("Cost to the site", counted(headline.requests, "request"), `${byteSize(headline.bytes)} in ${duration(headline.seconds)}`),
    ),
    limits(data),
    comparison(data),
    h(
      "div",
      { class: "columns" },
      counts("How pages were first found", "Source", "Pages", headline.by_source),
      counts("Why addresses were refused", "Reason", "Addresses", headline.by_reason),
    ),
  );
}

function figure(name: string, value: string, note: string): Child {
  return h("div", {}, h("dt", {}, name), h("dd", {}, h("strong", {}, value), h("span", {}, note)));
}

function estimate({ estimate, is_trusted, is_exhaustive, low, high }: Overview["coverage"]): Child {
  if (is_exhaustive && (estimate === null || !is_trusted)) {
    return figure("Reachable pages", "all visited", "links and sitemaps lead to no other");
  }
  if (estimate === null) return figure("Estimated in all", "–", "no estimate");
  const range = high === null ? `at least ${count(low)}` : `${count(low)} to ${count(high)}`;
  return figure("Estimated in all", `${is_trusted ? "" : "≈ "}${count(estimate)}`, range);
}

/** What is better and what is worse than in the scan before. */
function comparison({ before, findings, headline, speed }: Overview): Child {
  if (!before) return null;
  const compared = [...findings, ...before.fixed].filter((finding) => finding.before);
  const sum = (name: "new" | "fixed" | "not_visited") =>
    compared.reduce((total, finding) => total + finding.before![name], 0);
  const slower = speed.elapsed_ms && before.speed.elapsed_ms && [before.speed.elapsed_ms, speed.elapsed_ms];
  const rows = compared
    .filter(({ before }) => before!.new || before!.fixed)
    .sort((a, b) => b.before!.new + b.before!.fixed - (a.before!.new + a.before!.fixed));
  return block(
    "Compared with the scan before",
    `Scan ${before.scan_id} of ${moment(before.started_at)} visited ${counted(before.visited, "page")}, this one ` +
      `${count(headline.visited)}. ${counted(sum("new"), "item is", "items are")} new, ${count(sum("fixed"))} fixed` +
      `${sum("not_visited") ? `, ${count(sum("not_visited"))} not visited again` : ""}.` +
      (slower ? ` Half of the pages answered within ${slower[1].p50} ms (before: ${slower[0].p50} ms).` : ""),
    rows.length
      ? dataTable<Finding>({
          caption: "Findings that have changed",
          rows,
          columns: [
            { label: "Finding", isWide: true, value: (row) => row.title },
            { label: "Before", isNumber: true, value: (row) => row.before!.count },
            { label: "New", isNumber: true, value: (row) => row.before!.new },
            { label: "Fixed", isNumber: true, value: (row) => row.before!.fixed },
            { label: "Not visited again", isNumber: true, value: (row) => row.before!.not_visited },
            { label: "Now", isNumber: true, value: (row) => row.count },
          ],
        })
      : nothing("No finding of visited pages has changed."),
  );
}

function verdict({ site, headline, coverage, findings }: Overview): string {
  if (!headline.pages) {
    return `${site.status === "failed" ? "The scan failed" : "The scan found no page"}: nothing can be said of this site.`;
  }
  const serious = findings.filter((finding) => finding.severity === "high").length;
  const sentences = [`${counted(headline.pages, "page")} of this site ${headline.pages === 1 ? "is" : "are"} known.`];
  if (coverage.is_exhaustive && !(coverage.estimate !== null && coverage.is_trusted)) {
    sentences.push("All reachable pages were visited.");
  } else if (coverage.estimate !== null && coverage.is_trusted && coverage.high !== null) {
    const missing = Math.max(0, coverage.estimate - coverage.known);
    sentences.push(
      missing
        ? `It probably has ${count(coverage.estimate)}: about ${count(missing)} are still unseen.`
        : "That is probably all of them.",
    );
  } else {
    sentences.push("How many more there are cannot be said with confidence.");
  }
  if (!findings.length) sentences.push("Nothing was found that needs attention.");
  else
    sentences.push(
      `${counted(findings.length, "thing needs", "things need")} attention${serious ? `, ${count(serious)} of them soon` : ""}.`,
    );
  return sentences.join(" ");
}

function limits({ headline }: Overview): Child {
  if (!headline.truncations.length) return null;
  return h(
    "aside",
    { class: "callout", "aria-labelledby": "limits-title" },
    h("h3", { id: "limits-title" }, "Limits that were hit"),
    h("p", {}, "The list is shorter than it could be, because:"),
    h(
      "ul",
      {},
      headline.truncations.map(({ what, setting, limit }) =>
        h(
          "li",
          {},
          quoted(what),
          limit ? ` (limit ${count(limit)})` : "",
          setting && [" · raise it with ", h("code", {}, setting)],
        ),
      ),
    ),
  );
}

function counts(title: string, name: string, value: string, by: Record<string, number>): Child {
  const rows = Object.entries(by)
    .sort((a, b) => b[1] - a[1])
    .map(([key, pages]) => ({ name: words(key), value: pages }));
  return rows.length > 0 && block(title, null, scrollable(barTable(title, { name, value }, rows), title));
}
