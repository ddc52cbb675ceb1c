// Puts the report together: what is read first is drawn first, and the large parts when they are needed.

import { type Items, type Overview, part } from "./data";
import { h } from "./dom";
import { contents } from "./sections/contents";
import { coverage } from "./sections/coverage";
import { downloads } from "./sections/downloads";
import { fillForPrint, findings } from "./sections/findings";
import { links } from "./sections/links";
import { method } from "./sections/method";
import { pages } from "./sections/pages";
import { speed } from "./sections/speed";
import { structure } from "./sections/structure";
import { masthead, summary } from "./sections/summary";
import { moment } from "./text";

const CONTENTS: [string, string][] = [
  ["summary", "In short"],
  ["findings", "Findings"],
  ["coverage", "Completeness"],
  ["speed", "Speed"],
  ["structure", "Structure"],
  ["contents", "Contents"],
  ["links", "Links"],
  ["pages", "All pages"],
  ["method", "Method"],
  ["downloads", "Downloads"],
];

async function start(): Promise<void> {
  const data = await part("overview");
  const list = pages(data);
  // The data stay in the document; the short summary that the file brings along gives way.
  document.getElementById("brief")!.replaceWith(
    h("a", { class: "skip", href: "#report" }, "Skip to the report"),
    navigation(data),
    h(
      "div",
      { class: "paper" },
      masthead(data),
      h(
        "main",
        { id: "report", tabindex: -1 },
        summary(data),
        findings(data),
        coverage(data),
        speed(data),
        structure(data, list.show),
        contents(data, list.show),
        links(data),
        list.element,
        method(data),
        downloads(data),
      ),
      footer(data),
    ),
  );
  followReader();
  prepareForPrint();
  if (location.hash.length > 1) document.getElementById(location.hash.slice(1))?.scrollIntoView();
  document.documentElement.dataset.ready = "";
}

function navigation({ site }: Overview): HTMLElement {
  return h(
    "nav",
    { class: "contents", "aria-label": "Contents" },
    h("p", { class: "nav-title", "aria-hidden": "true" }, site.root_url.replace(/^https?:\/\//i, "").replace(/\/$/, "")),
    h("ol", {}, CONTENTS.map(([id, name]) => h("li", {}, h("a", { href: `#${id}` }, name)))),
  );
}

function footer({ site }: Overview): HTMLElement {
  return h(
    "footer",
    {},
    h("p", {}, `Made by sitecrawl ${site.version} from scan ${site.scan_id}, started ${moment(site.started_at)}.`),
    h(
      "p",
      {},
      "This file is complete in itself: it loads nothing and sends nothing. Links to the site open in a new tab.",
    ),
  );
}

/** Marks in the contents where the reader is. */
function followReader(): void {
  const links = new Map(
    [...document.querySelectorAll<HTMLAnchorElement>("nav.contents a")].map((link) => [link.hash.slice(1), link]),
  );
  const inSight = new Set<string>();
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) inSight.add(target.id);
        else inSight.delete(target.id);
      }
      const first = CONTENTS.find(([id]) => inSight.has(id))?.[0];
      for (const [id, link] of links) {
        if (id === first) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
      }
      const current = first && links.get(first);
      const list = current && current.closest("ol");
      // Only the list is scrolled, and only sideways: on a phone it is one line.
      if (list) list.scrollLeft = current.offsetLeft - list.clientWidth / 3;
    },
    { rootMargin: "-15% 0px -70% 0px" },
  );
  document.querySelectorAll("main > section").forEach((section) => observer.observe(section));
}

/** Paper cannot be clicked: what is folded on the screen is open on it. */
function prepareForPrint(): void {
  let opened: HTMLDetailsElement[] = [];
  let items: Record<string, Items> = {};
  // Printing does not wait: they have to be there before.
  setTimeout(() => void part("items").then((found) => (items = found)), 1000);
  addEventListener("beforeprint", () => {
    fillForPrint(items);
    opened = [...document.querySelectorAll<HTMLDetailsElement>(".finding > details:not([open])")];
    opened.forEach((details) => (details.open = true));
  });
  addEventListener("afterprint", () => opened.forEach((details) => (details.open = false)));
}

start().catch((error: unknown) => {
  // The summary that the file brings along stays; the reader learns why there is no more.
  document.body.prepend(
    h("p", { class: "callout", role: "alert" }, `This browser cannot show the whole report: ${String(error)}`),
  );
});
