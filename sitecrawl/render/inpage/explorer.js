// What the driver calls. Every answer is JSON text; see exploration.py for the order of the calls.
const QUIET_MS = 25;
const RESTORE_QUIET_MS = 12;
/** A machine that is busy shows frames late; a page that is not shown at all has none. */
const FRAME_WAITS = 3;
const MAX_OPENERS = 4;
const MAX_TURNS = 6;
const MAX_BOXES = 8;
const MIN_BOX_PIXELS = 40;
const LINKS = "a[href],area[href],iframe[src],[data-href],[data-url],[data-link],[data-route],[role=link]";

let limits = null;
let start = null;
let candidates = [];
const known = new Set();
/** Clicks that led nowhere: some have changed what the page shows. */
const turns = [];
let hasScrolled = false;
/** The heights of scrolled boxes before they were scrolled last. */
let scrolledHeights = new WeakMap();
let html = { left: 0, isCut: false };

const candidateOf = (element, found, openers) => {
  const facts = describe(element, found);
  const label = labelKey(labelOf(element));
  const identity = `${facts.kind}\n${facts.path}\n${label}`;
  if (has(known, identity)) return null;
  add(known, identity);
  const id = candidates.length;
  append(candidates, {
    element, openers, id,
    tag: facts.tag, kind: facts.kind, key: label, keys: found.keys, presses: found.presses,
    steps: stepsOf(element),
  });
  facts.id = id;
  return facts;
};

const scanBelow = (root, openers, facts) =>
  findCandidates(root, (element, found) => {
    const candidate = candidateOf(element, found, openers);
    if (candidate) append(facts, candidate);
  });

const takeNoted = () => {
  const noted = state.noted;
  state.noted = [];
  return noted;
};

/** Whether the last click wanted to go somewhere; a timer of an earlier one may do so meanwhile. */
const hasNoted = () => {
  for (let index = 0; index < state.noted.length; index++) {
    if (state.noted[index].click === state.click) return true;
  }
  return false;
};

// --- Reading ---

const readHtml = (text) => {
  if (text.length > html.left) html.isCut = true;
  const taken = slice(text, 0, html.left);
  html.left -= taken.length;
  return taken;
};

const readDocument = (page, where, fragments, depth) => {
  const root = page.documentElement;
  if (!root) return;
  append(fragments, { where, base: page.baseURI, html: readHtml(outerHtml(root)) });
  walk(
    root,
    (element) => {
      const shadow = shadowOf(element);
      if (shadow) append(fragments, { where: "shadow", base: page.baseURI, html: readHtml(shadowHtml(shadow)) });
      if (localName(element) === "iframe" && depth < 3) {
        attempt(() => readDocument(element.contentDocument, "frame", fragments, depth + 1));
      }
      return fragments.length < limits.fragments;
    },
    { left: limits.elements },
  );
};

/** The links that a click has brought up. */
const readRevealed = (roots, fragments) => {
  for (let index = 0; index < roots.length && fragments.length < 10; index++) {
    const root = roots[index];
    if (html.left > 0 && (matches(root, LINKS) || queryIn(root, LINKS))) {
      append(fragments, { where: "revealed", base: document.baseURI, html: readHtml(outerHtml(root)) });
    }
  }
};

/** What changed, without what lies within something else that changed. */
const topmost = (roots) => {
  const top = [];
  for (let index = 0; index < roots.length; index++) {
    let isInside = !isConnected(roots[index]);
    for (let other = 0; other < roots.length && !isInside; other++) {
      const isSame = roots[other] === roots[index];
      isInside = isSame ? other < index : contains(roots[other], roots[index]);
    }
    if (!isInside) append(top, roots[index]);
  }
  return top;
};

// --- Clicking ---

const press = (element, candidate) => {
  const { left, top, width, height } = boundsOf(element);
  const shared = {
    bubbles: true, cancelable: true, composed: true, view: window, detail: 1, button: 0,
    clientX: left + width / 2, clientY: top + height / 2, pointerId: 1, pointerType: "mouse", isPrimary: true,
  };
  const send = (Type, name, more) => {
    if (!isConnected(element)) element = findAgain(candidate) ?? element;
    dispatch(element, new Type(name, { ...shared, ...more }));
  };
  send(PointerEvent, "pointerover");
  send(PointerEvent, "pointerenter", { bubbles: false });
  send(MouseEvent, "mouseover");
  send(MouseEvent, "mouseenter", { bubbles: false });
  send(PointerEvent, "pointermove");
  send(PointerEvent, "pointerdown", { buttons: 1 });
  send(MouseEvent, "mousedown", { buttons: 1 });
  if (element instanceof HTMLElement) focus(element, { preventScroll: true });
  send(PointerEvent, "pointerup");
  send(MouseEvent, "mouseup");
  send(PointerEvent, "click");
};

const pressEnter = (element) => {
  const shared = { bubbles: true, cancelable: true, composed: true, key: "Enter", code: "Enter", keyCode: 13, which: 13 };
  if (element instanceof HTMLElement) focus(element, { preventScroll: true });
  dispatch(element, new KeyboardEvent("keydown", shared));
  dispatch(element, new KeyboardEvent("keypress", shared));
  dispatch(element, new KeyboardEvent("keyup", shared));
};

/** Routers keep a state of their own: they follow the address bar, which never left. */
const restore = async () => {
  state.isPuttingBack = true;
  try {
    if (location.href !== start.url) state.putBack(start.data, start.url);
    dispatch(window, new PopStateEvent("popstate", { state: history.state }));
    if (start.isHashRoute) dispatch(window, new HashChangeEvent("hashchange", { newURL: start.url, oldURL: start.url }));
  } finally {
    state.isPuttingBack = false;
  }
  beginWork();
  await settle(RESTORE_QUIET_MS, 4 * RESTORE_QUIET_MS);
};

const hasGrown = (boxes) => {
  for (let index = 0; index < boxes.length; index++) {
    if (boxes[index].scrollHeight > (weakGet(scrolledHeights, boxes[index]) ?? 0)) return true;
  }
  return false;
};

/** To the end of the page, and of every box with a list in it, again and again, until nothing grows; how often, and whether it still does. */
const scrollDown = async (maxCount) => {
  const boxes = scrollBoxes();
  const began = now();
  let count = 0;
  for (; count < maxCount && hasGrown(boxes) && now() - began < limits.scrollMs; count++) {
    hasScrolled = true;
    beginWork();
    for (let index = 0; index < boxes.length; index++) {
      const height = boxes[index].scrollHeight;
      weakSet(scrolledHeights, boxes[index], height);
      boxes[index].scrollTop = height;
    }
    await shown(FRAME_WAITS * limits.settleMs);
    await settle(QUIET_MS, limits.settleMs);
  }
  for (let index = 0; index < boxes.length; index++) boxes[index].scrollTop = 0;
  return { count, isCut: hasGrown(boxes) };
};

const scrollBoxes = () => {
  const boxes = [];
  const page = document.scrollingElement ?? document.documentElement;
  if (page.scrollHeight > window.innerHeight + 1) append(boxes, page);
  walk(
    document.documentElement,
    (element) => {
      if (boxes.length >= MAX_BOXES) return false;
      const isLonger = element.scrollHeight > element.clientHeight + 1 && element.clientHeight > MIN_BOX_PIXELS;
      if (isLonger && element !== page && test(/auto|scroll/, styleOf(element).overflowY)) {
        append(boxes, element);
      }
      return true;
    },
    { left: limits.elements },
  );
  return boxes;
};

const reachThrough = async (opener, candidate) => {
  const button = findAgain(candidates[opener]);
  if (!button) return null;
  beginWork();
  press(button, candidates[opener]);
  await settle(RESTORE_QUIET_MS, limits.settleMs);
  return findAgain(candidate);
};

/** Open again what a click had opened, menu by menu, until the element is there. */
const reach = async (candidate) => {
  let element = findAgain(candidate);
  if (element) return element;
  if (isBusy()) {
    await settle(RESTORE_QUIET_MS, limits.settleMs);
    element = findAgain(candidate);
    if (element) return element;
  }
  const { openers } = candidate;
  for (let index = 0; index < openers.length; index++) {
    element = await reachThrough(openers[index], candidate);
    if (element) return element;
  }
  // It was there at first: another tab may have taken its place.
  const last = openers.length === 0 ? turns.length - 1 : -1;
  for (let index = last; index >= 0 && index > last - MAX_TURNS; index--) {
    element = await reachThrough(turns[index], candidate);
    if (element) return element;
  }
  // The list that it was in may have begun anew.
  if (hasScrolled && candidate.openers.length === 0) {
    scrolledHeights = new WeakMap();
    await scrollDown(limits.scrolls);
  }
  return findAgain(candidate);
};

const outcome = async (candidate) => {
  const isAtRest = await settle(QUIET_MS, limits.settleMs, hasNoted);
  const facts = [];
  const fragments = [];
  if (hasNoted()) await settle(RESTORE_QUIET_MS, RESTORE_QUIET_MS);
  const hasChanged = document_.changedAt > 0;
  if (hasNoted()) {
    // A router that follows the address bar has not moved, nor has one that was stopped.
    if (hasChanged && !state.isEnded) await restore();
    return report({ candidates: facts, fragments });
  }
  append(turns, candidate.id);
  if (hasChanged) {
    const roots = topmost(document_.roots);
    const openers = [];
    for (let index = 0; index < candidate.openers.length; index++) append(openers, candidate.openers[index]);
    append(openers, candidate.id);
    if (openers.length <= MAX_OPENERS) {
      for (let index = 0; index < roots.length; index++) scanBelow(roots[index], openers, facts);
    }
    readRevealed(topmost(document_.added), fragments);
    if (!isAtRest) await markRestless();
  }
  return report({ candidates: facts, fragments });
};

const report = (more) => toJson({ noted: takeNoted(), blocked: state.blocked, isCut: html.isCut, ...more });

/** What began before the first click: the page is still loading. */
const rest = async () => {
  await shown(FRAME_WAITS * limits.settleMs);
  if (!(await settle(QUIET_MS, limits.settleMs))) await markRestless();
};

const api = {
  state,

  async begin(options) {
    limits = parseJson(options);
    state.hardWords = limits.hardWords;
    state.hardParts = limits.hardParts;
    html = { left: limits.htmlCharacters, isCut: false };
    start = { url: location.href, data: history.state, isHashRoute: test(/^#[/!]/, location.hash) };
    state.exploring = true;
    state.noted = [];
    await rest();
    return report({ url: start.url });
  },

  async rest() {
    await rest();
    return report({});
  },

  scroll: async (maxCount) => toJson(await scrollDown(maxCount)),

  read() {
    const fragments = [];
    readDocument(document, "document", fragments, 0);
    return report({ fragments });
  },

  routers: () => toJson({ tables: readRouters() }),

  scan() {
    const facts = [];
    attempt(openStyledMenus);
    const isCut = !scanBelow(document.documentElement, [], facts);
    return toJson({ candidates: facts, isCut });
  },

  async click(id) {
    const candidate = candidates[id];
    let element = await reach(candidate);
    if (!element) {
      await restore();
      element = await reach(candidate);
      if (!element) return report({ isLost: true });
    }
    state.click = id + 1;
    state.isEnded = false;
    beginWork();
    press(element, candidate);
    if (candidate.keys) {
      const hasEffect = () => hasNoted() || (candidate.presses && document_.changedAt > 0);
      await settle(QUIET_MS, limits.settleMs, hasEffect);
      if (!hasEffect()) pressEnter(element);
    }
    return await outcome(candidate);
  },

  /** What came of a click whose scripts had still to be loaded. */
  outcome: (id) => outcome(candidates[id]),

  async end() {
    await settle(RESTORE_QUIET_MS, RESTORE_QUIET_MS);
    state.exploring = false;
    return report({});
  },
};

defineProperty(window, KEY, { value: api });
