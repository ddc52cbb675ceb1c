// The browser's own functions, taken before a script of the page can replace them. What runs on pages that we do not know
// uses these alone: no methods of arrays, no `for of`, no spread, as all of them can be replaced.
const uncurry = Function.prototype.bind.bind(Function.prototype.call);
const method = (type, name) => uncurry(type.prototype[name]);
const getter = (type, name) => uncurry(Object.getOwnPropertyDescriptor(type.prototype, name).get);

const { Error, Map, MutationObserver, Number, Promise, Set, String, TypeError, URL, WeakMap, WeakSet } = window;
const { CSSStyleSheet, HTMLAnchorElement, HTMLElement, HTMLLinkElement, HTMLScriptElement, Proxy, ShadowRoot } = window;
const { DOMException, HashChangeEvent, KeyboardEvent, MouseEvent, PointerEvent, PopStateEvent, ProgressEvent } = window;
const { create, defineProperty, getOwnPropertyNames, getOwnPropertySymbols, keys } = Object;
const { min, max } = Math;
const { parse: parseJson, stringify } = JSON;
const { isArray } = Array;
const apply = Reflect.apply;
const construct = Reflect.construct;
const now = performance.now.bind(performance);
const clock = {
  setTimeout: window.setTimeout.bind(window),
  clearTimeout: window.clearTimeout.bind(window),
  nextFrame: window.requestAnimationFrame.bind(window),
};
const styleOf = window.getComputedStyle.bind(window);

const mapGet = method(Map, "get");
const mapSet = method(Map, "set");
const mapDelete = method(Map, "delete");
const weakGet = method(WeakMap, "get");
const weakSet = method(WeakMap, "set");
const isIn = method(WeakSet, "has");
const addTo = method(WeakSet, "add");
const has = method(Set, "has");
const add = method(Set, "add");
const promiseThen = method(Promise, "then");
const execute = method(RegExp, "exec");
const slice = method(String, "slice");
const indexOf = method(String, "indexOf");
const lower = method(String, "toLowerCase");
const trim = method(String, "trim");
const normalized = method(String, "normalize");
const replace = method(String, "replace");
const sourceOf = method(Function, "toString");

const listen = method(EventTarget, "addEventListener");
const dispatch = method(EventTarget, "dispatchEvent");
const preventDefault = method(Event, "preventDefault");
const stopEvent = method(Event, "stopImmediatePropagation");
const observe = method(MutationObserver, "observe");
const takeRecords = method(MutationObserver, "takeRecords");
const parentNode = getter(Node, "parentNode");
const nodeType = getter(Node, "nodeType");
const nodeValue = getter(Node, "nodeValue");
const firstChild = getter(Node, "firstChild");
const nextSibling = getter(Node, "nextSibling");
const isConnected = getter(Node, "isConnected");
const contains = method(Node, "contains");
const firstElement = getter(Element, "firstElementChild");
const nextElement = getter(Element, "nextElementSibling");
const localName = getter(Element, "localName");
const outerHtml = getter(Element, "outerHTML");
const openShadow = getter(Element, "shadowRoot");
const attribute = method(Element, "getAttribute");
const attributeNames = method(Element, "getAttributeNames");
const hasAttribute = method(Element, "hasAttribute");
const queryIn = method(Element, "querySelector");
const matches = method(Element, "matches");
const boundsOf = method(Element, "getBoundingClientRect");
const isVisible = method(Element, "checkVisibility");
const descendants = method(Element, "getElementsByTagName");
const countOf = getter(HTMLCollection, "length");
const focus = method(HTMLElement, "focus");
const styleValue = method(CSSStyleDeclaration, "getPropertyValue");
const fillSheet = method(CSSStyleSheet, "replaceSync");
const shadowHtml = getter(ShadowRoot, "innerHTML");
const shadowHost = getter(ShadowRoot, "host");

const ELEMENT = 1;
const TEXT = 3;

const append = (list, value) => {
  defineProperty(list, list.length, { value, writable: true, enumerable: true, configurable: true });
};

const test = (pattern, text) => execute(pattern, text) !== null;

/** A getter of the page may throw; what it would have said is then unknown. */
const attempt = (read) => {
  try {
    return read();
  } catch {
    return undefined;
  }
};

/** JSON.stringify would call `toJSON`, which a page can give to every object. */
const toJson = (value) => {
  if (value === null || typeof value !== "object") return stringify(value) ?? "null";
  let text = "";
  if (isArray(value)) {
    for (let index = 0; index < value.length; index++) text += (index ? "," : "") + toJson(value[index]);
    return `[${text}]`;
  }
  const names = keys(value);
  for (let index = 0; index < names.length; index++) {
    text += `${index ? "," : ""}${stringify(names[index])}:${toJson(value[names[index]])}`;
  }
  return `{${text}}`;
};
