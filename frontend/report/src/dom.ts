// Elements from data. Text is only ever set as text, so there is nothing to escape and no way around it.

import { linkTarget, shortened, visible } from "./text";

export type Child = Node | string | number | null | undefined | false | Child[];
type Value = string | number | boolean | null | undefined;
interface Attributes {
  class?: string | false;
  on?: Record<string, (event: never) => void>;
  vars?: Record<string, string | number>;
  [name: string]: Value | Attributes["on"] | Attributes["vars"];
}

const SVG = "http://www.w3.org/2000/svg";

export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  return filled(document.createElement(tag), attributes, children);
}

export function svg<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[Tag] {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled<E extends HTMLElement | SVGElement>(
  element: E,
  attributes: Attributes,
  children: Child[],
): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") {
      for (const [event, listener] of Object.entries(value)) {
        element.addEventListener(event, listener as EventListener);
      }
    } else if (name === "vars") {
      for (const [variable, v] of Object.entries(value)) element.style.setProperty(variable, `${v}`);
    } else {
      element.setAttribute(name, value === true ? "" : visible(String(value)));
    }
  }
  append(element, children);
  return element;
}

export function append(parent: Node, children: Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (Array.isArray(child)) append(parent, child);
    else parent.appendChild(child instanceof Node ? child : document.createTextNode(visible(`${child}`)));
  }
}

export function replace(parent: Element, ...children: Child[]): void {
  parent.replaceChildren();
  append(parent, children);
}

/** What a site wrote, with a direction of its own: Arabic beside English stays readable. */
export function quoted(text: string, longest = 300): HTMLElement {
  return h("bdi", {}, shortened(text, longest));
}

/** A link to a page of the site; plain text where the address is not http or https. */
export function pageLink(url: string | null, text?: string, longest = 160): HTMLElement {
  const target = linkTarget(url);
  const shown = quoted(text ?? url ?? "", longest);
  if (!target) return shown;
  const link = h("a", { class: "url", target: "_blank", rel: "noopener noreferrer nofollow" }, shown);
  link.href = target;
  if ((text ?? url)!.length > longest) link.title = visible(shortened(url!, 2000));
  return link;
}

/** Draws anew whenever the width of its box changes. */
export function drawnToWidth(box: HTMLElement, draw: (width: number) => void): void {
  let last = 0;
  new ResizeObserver(([entry]) => {
    const width = Math.floor(entry.contentRect.width);
    if (width && width !== last) {
      last = width;
      draw(width);
    }
  }).observe(box);
}

/** Runs once, when the element is about to be seen. */
export function onceNear(element: Element, run: () => void): void {
  const observer = new IntersectionObserver(
    (entries) => {
      if (entries.some((entry) => entry.isIntersecting)) {
        observer.disconnect();
        run();
      }
    },
    { rootMargin: "600px" },
  );
  observer.observe(element);
}
