// What is wrong, most serious first, with examples and what to do.

import type { Finding, Overview } from "../data";
import { h, pageLink, quoted } from "../dom";
import { count, counted } from "../text";
import { nothing, section } from "./section";

const SEVERITIES = ["high", "medium", "low"] as const;
const NAMES = { high: "Fix soon", medium: "Should be fixed", low: "Good to know" };

export function findings({ findings }: Overview): HTMLElement {
  const sorted = [...findings].sort(
    (a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) || b.count - a.count,
  );
  return section(
    "findings",
    "Findings",
    "What stands in the way of readers and search engines, with the pages it concerns and what to do about it.",
    sorted.length
      ? h("ul", { class: "findings" }, sorted.map(finding))
      : nothing("Nothing was found that needs attention."),
  );
}

function finding({ severity, title, count: number, examples, advice, kind }: Finding): HTMLElement {
  return h(
    "li",
    { class: "finding", "data-severity": severity, "data-kind": kind },
    h("p", { class: "severity" }, NAMES[severity] ?? severity),
    h("p", { class: "amount" }, count(number)),
    h("h3", {}, quoted(title, 200)),
    h("p", { class: "advice" }, quoted(advice, 1000)),
    examples.length > 0 &&
      h(
        "details",
        {},
        h("summary", {}, examples.length < number ? `${counted(examples.length, "example")} of ${count(number)}` : "Where"),
        h(
          "ul",
          { class: "examples" },
          examples.map((example) =>
            h(
              "li",
              {},
              pageLink(example.url),
              example.detail && h("span", { class: "detail" }, quoted(example.detail, 300)),
            ),
          ),
        ),
      ),
  );
}
