// Which elements a visitor may click.
const MAX_STYLED = 6000;
const MAX_CANDIDATES = 400;
const MAX_LARGE = 60;
const PRESSES = new Set(["click", "mousedown", "mouseup", "pointerdown", "pointerup"]);
const KEYS = new Set(["keydown", "keyup", "keypress"]);
const PRESS_PROPERTY = /^on(?:Click|MouseDown|MouseUp|PointerDown|PointerUp)(?:Capture)?$/;
const KEY_PROPERTY = /^onKey(?:down|up|press)$/i;
const ROLES = /^(?:button|link|menuitem|menuitemradio|tab|treeitem|option)$/;
const NOT_CLICKED = new Set(
  "html head body script style template iframe object embed video audio canvas select option textarea".split(" "),
);
const FRAMEWORK_DATA = /^data-(?:v-|react|test|cy$|qa$|aos|n-|server|s-|emotion|styled|radix|state$|theme)/;
const NO_ADDRESS = /^(?:#(?![/!]).*|javascript:.*|)$/is;

// --- Listeners ---

const listeners = new WeakMap();
let hasPageListener = false;
replaceMethod(EventTarget.prototype, "addEventListener", (original) =>
  function (type, listener) {
    if ((has(PRESSES, type) || has(KEYS, type)) && listener) noteListener(this ?? window, type, listener);
    return apply(original, this ?? window, arguments);
  });

const noteListener = (target, type, listener) => {
  const isPage = target === window || target === document || target === document.body;
  if (isPage || target === document.documentElement) hasPageListener = true;
  let entry = weakGet(listeners, target);
  if (!entry) {
    entry = { presses: false, keys: false, handlers: [] };
    weakSet(listeners, target, entry);
  }
  if (has(PRESSES, type)) entry.presses = true;
  else entry.keys = true;
  if (entry.handlers.length < 3) append(entry.handlers, listener);
};

/** What the page's own code and its framework do with a press of an element. */
const handlersOf = (element) => {
  const found = { presses: false, keys: false, handlers: [] };
  const entry = weakGet(listeners, element);
  if (entry) {
    found.presses = entry.presses;
    found.keys = entry.keys;
    for (let index = 0; index < entry.handlers.length; index++) append(found.handlers, entry.handlers[index]);
  }
  if (attempt(() => element.onclick)) {
    found.presses = true;
    append(found.handlers, element.onclick);
  }
  const names = getOwnPropertyNames(element);
  for (let index = 0; index < names.length && index < 40; index++) {
    const isReact = indexOf(names[index], "__reactProps$") === 0 || indexOf(names[index], "__reactEventHandlers$") === 0;
    if (isReact || names[index] === "_vei") attempt(() => readProperties(element[names[index]], found));
  }
  const symbols = getOwnPropertySymbols(element);
  for (let index = 0; index < symbols.length && index < 10; index++) {
    if (String(symbols[index]) === "Symbol(_vei)") attempt(() => readProperties(element[symbols[index]], found));
  }
  return found;
};

const readProperties = (properties, found) => {
  const names = keys(properties);
  for (let index = 0; index < names.length && index < 60; index++) {
    const isPress = test(PRESS_PROPERTY, names[index]) || names[index] === "onMousedown" || names[index] === "onPointerdown";
    const isKey = test(KEY_PROPERTY, names[index]);
    const handler = isPress || isKey ? properties[names[index]] : null;
    if (!handler) continue;
    if (isPress) found.presses = true;
    else found.keys = true;
    const own = handler.value ?? handler;
    append(found.handlers, isArray(own) ? own[0] : own);
  }
};

/** Whether it may listen for what is within it. React listens at its root for handlers that are known one by one. */
const delegates = (element) =>
  Boolean(weakGet(listeners, element)?.presses) && firstElement(element) !== null && !isReactRoot(element);

const isReactRoot = (element) => {
  const names = getOwnPropertyNames(element);
  for (let index = 0; index < names.length && index < 40; index++) {
    if (indexOf(names[index], "_reactListening") === 0 || indexOf(names[index], "__reactContainer$") === 0) return true;
  }
  return false;
};

// --- Walking ---

const parentOf = (element) => {
  const parent = parentNode(element);
  if (!parent) return null;
  if (nodeType(parent) === ELEMENT) return parent;
  return parent instanceof ShadowRoot ? shadowHost(parent) : null;
};

/** In document order, into shadow roots as well; the visitor says where not to go deeper. */
const walk = (root, visit, budget, depth = 0) => {
  let element = nodeType(root) === ELEMENT ? root : firstElement_(root);
  while (element && budget.left-- > 0) {
    const isEntered = visit(element) !== false;
    const shadow = isEntered && depth < 10 ? shadowOf(element) : null;
    if (shadow) walk(shadow, visit, budget, depth + 1);
    let next = isEntered ? firstElement(element) : null;
    while (!next) {
      if (element === root) return;
      next = nextElement(element);
      if (next) break;
      const parent = parentNode(element);
      if (!parent || parent === root || nodeType(parent) !== ELEMENT) return;
      element = parent;
    }
    element = next;
  }
};

const firstElement_ = (root) => {
  let node = firstChild(root);
  while (node && nodeType(node) !== ELEMENT) node = nextSibling(node);
  return node;
};

// --- Candidates ---

const isLink = (element) => {
  const name = localName(element);
  if (name !== "a" && name !== "area") return false;
  const address = attribute(element, "href");
  return address !== null && !test(NO_ADDRESS, trim(address));
};

/** What holds the whole page listens for what is within it. */
const isPageRoot = (element) => parentNode(element) === document.body && countOf(descendants(element, "*")) > 3;

const isLarge = (element) => countOf(descendants(element, "*")) > MAX_LARGE;

const isShown = (element) => {
  if (!isVisible(element, { visibilityProperty: true })) return false;
  const { width, height } = boundsOf(element);
  return width > 0 && height > 0;
};

const isDisabled = (element) =>
  hasAttribute(element, "disabled") ||
  hasAttribute(element, "inert") ||
  attribute(element, "aria-disabled") === "true" ||
  (hasAttribute(element, "contenteditable") && attribute(element, "contenteditable") !== "false");

const carriesData = (element) => {
  const names = attributeNames(element);
  for (let index = 0; index < names.length; index++) {
    if (indexOf(names[index], "data-") === 0 && !test(FRAMEWORK_DATA, names[index]) && attribute(element, names[index])) {
      return true;
    }
  }
  return false;
};

const isControl = (element, name) =>
  name === "button" ||
  name === "summary" ||
  (name === "input" && lower(attribute(element, "type") ?? "") === "button") ||
  test(ROLES, attribute(element, "role") ?? "");

/** Finds candidates below a root; what stands below a listener may be what that listener looks for. */
const findCandidates = (root, take) => {
  const budget = { left: limits.elements };
  let styles = MAX_STYLED;
  const taken = new WeakSet();
  const delegating = new WeakSet();
  const isBelow = (element, set) => {
    for (let above = parentOf(element), depth = 0; above && depth < 40; above = parentOf(above), depth++) {
      if (isIn(set, above)) return true;
    }
    return false;
  };
  const hasPointer = (element) => styles-- > 0 && styleOf(element).cursor === "pointer";
  for (let above = parentOf(root); above; above = parentOf(above)) {
    if (delegates(above)) addTo(delegating, above);
  }
  let count = 0;
  walk(
    root,
    (element) => {
      const name = localName(element);
      if (name === "body" || name === "html") return true;
      if (has(NOT_CLICKED, name) || isLink(element) || isDisabled(element) || count >= MAX_CANDIDATES) return false;
      if (name === "label" && element.control) return false;
      if (delegates(element)) addTo(delegating, element);
      const found = handlersOf(element);
      const handles = (found.presses || found.keys) && !isReactRoot(element);
      let isCandidate = isControl(element, name) || (handles && !isLarge(element) && !isPageRoot(element));
      if (!isCandidate && !isBelow(element, taken)) {
        isCandidate = isDelegatedTo(element, name, delegating, isBelow) || isPointed(element, hasPointer);
      }
      if (isCandidate && name === "a" && !handles && !hasAttribute(element, "href")) isCandidate = hasPointer(element);
      if (!isCandidate || !isShown(element)) return true;
      if (!isIn(delegating, element)) addTo(taken, element);
      count += 1;
      take(element, found);
      return true;
    },
    budget,
  );
  return budget.left > 0 && count < MAX_CANDIDATES;
};

const isDelegatedTo = (element, name, delegating, isBelow) => {
  const isItem = name === "li" || name === "tr" || hasAttribute(element, "tabindex");
  if (!isItem && !carriesData(element)) return false;
  if (isLarge(element) || queryIn(element, "a[href]")) return false;
  if (isBelow(element, delegating)) return true;
  return hasPageListener && carriesData(element);
};

/** A pointer is inherited: only the topmost element that has it counts. */
const isPointed = (element, hasPointer) => {
  if (!hasPointer(element) || isLarge(element) || queryIn(element, "a[href],button")) return false;
  const parent = parentOf(element);
  return !parent || styleOf(parent).cursor !== "pointer";
};
