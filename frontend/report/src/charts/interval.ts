// How many pages are known, and between which figures the truth lies.

import { scaleLinear } from "d3-scale";

import type { Estimate } from "../data";
import { h } from "../dom";
import { count, shortCount } from "../text";

/** A scale that holds all of them, so that intervals beneath each other can be compared. */
export function scaleOf(estimates: Omit<Estimate, "name">[]): (value: number) => number {
  const values = estimates.flatMap((e) => [e.known, e.low, e.high, e.estimate].filter((v) => v !== null));
  const scale = scaleLinear([0, Math.max(1, ...values)], [0, 100]).nice();
  return (value) => Math.min(100, Math.max(0, scale(value)));
}

/** A line of the scale: known as a filled bar, the interval as a band, the estimate as a mark. */
export function intervalBar(e: Omit<Estimate, "name">, at: (value: number) => number): HTMLElement {
  const hasInterval = e.high !== null;
  return h(
    "div",
    { class: e.is_trusted ? "interval" : "interval doubted", "aria-hidden": "true" },
    h("span", { class: "known", vars: { "--to": `${at(e.known)}%` } }),
    hasInterval &&
      h("span", { class: "band", vars: { "--from": `${at(e.low)}%`, "--to": `${at(e.high!)}%` } }),
    e.estimate !== null && h("span", { class: "mark", vars: { "--at": `${at(e.estimate)}%` } }),
  );
}

/** The large one, with its scale. */
export function intervalChart(e: Omit<Estimate, "name">): HTMLElement {
  const scale = scaleLinear([0, Math.max(1, e.known, e.high ?? 0, e.estimate ?? 0)], [0, 100]).nice();
  const ticks = scale.ticks(4);
  return h(
    "div",
    { class: "interval-chart" },
    intervalBar(e, (value) => scale(value)),
    h(
      "div",
      { class: "interval-ticks", "aria-hidden": "true" },
      ticks.map((tick) => h("span", { vars: { "--at": `${scale(tick)}%` } }, shortCount(tick))),
    ),
    h(
      "ul",
      { class: "legend" },
      h("li", {}, h("i", { class: "swatch known" }), `known: ${count(e.known)}`),
      e.estimate !== null && h("li", {}, h("i", { class: "swatch mark" }), `estimate: ${count(e.estimate)}`),
      e.high !== null &&
        h("li", {}, h("i", { class: "swatch band" }), `95 % interval: ${count(e.low)} to ${count(e.high)}`),
    ),
  );
}
