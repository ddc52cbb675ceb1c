// What the page is still busy with, by the click that began it: requests, short timers, scripts that load, changes of the
// document. A page has settled when nothing of that is left.
const MAX_CHAIN = 4;
const MAX_TIMER_MS = 1200;
const MAX_RECORDS = 2000;
const MAX_ROOTS = 200;

let running = null;
let pendingByClick = create(null);
const timers = new Map();

if (isTop) state.runningClick = () => (running ? running.click : state.click);

function startWork() {
  const token = { click: state.runningClick(), chain: running ? running.chain : 0, isOpen: true };
  pendingByClick[token.click] = (pendingByClick[token.click] ?? 0) + 1;
  return token;
}

function endWork(token) {
  if (!token.isOpen) return;
  token.isOpen = false;
  pendingByClick[token.click] -= 1;
  document_.changedAt = now();
}

const isBusy = () => (pendingByClick[state.click] ?? 0) > 0;

/** What a timer does belongs to the click that set it, however late it is. */
const runFor = (token, callback, self, args) => {
  const before = running;
  running = token;
  try {
    return apply(callback, self, args);
  } finally {
    running = before;
  }
};

const laterArguments = (args) => {
  const rest = [];
  for (let index = 2; index < args.length; index++) append(rest, args[index]);
  return rest;
};

replaceMethod(window, "setTimeout", (original) =>
  function (callback, delay) {
    if (typeof callback !== "function") return apply(original, window, arguments);
    const chain = running ? running.chain + 1 : 0;
    // One that sets itself again and again, and one that is far off, is not waited for.
    const isAwaited = chain < MAX_CHAIN && !(Number(delay) > MAX_TIMER_MS);
    const token = isAwaited ? startWork() : { click: state.runningClick(), isOpen: false };
    token.chain = chain;
    const args = laterArguments(arguments);
    const timer = clock.setTimeout(() => {
      mapDelete(timers, timer);
      endWork(token);
      runFor(token, callback, window, args);
    }, delay);
    if (isAwaited) mapSet(timers, timer, token);
    return timer;
  });

const forget = (original) =>
  function (timer) {
    const token = mapGet(timers, timer);
    if (token) {
      mapDelete(timers, timer);
      endWork(token);
    }
    return apply(original, window, arguments);
  };
replaceMethod(window, "clearTimeout", forget);
replaceMethod(window, "clearInterval", forget);
replaceMethod(window, "setInterval", (original) =>
  function (callback, delay) {
    if (typeof callback !== "function") return apply(original, window, arguments);
    const token = { click: state.runningClick(), chain: MAX_CHAIN, isOpen: false };
    const args = laterArguments(arguments);
    return apply(original, window, [() => runFor(token, callback, window, args), delay]);
  });

// --- The document ---

/** What changed since the last click; places that change on their own are not waited for. */
const document_ = { changedAt: 0, roots: [], added: [], restless: new WeakSet(), recent: [] };
const WATCHED = {
  subtree: true,
  childList: true,
  characterData: true,
  attributes: true,
  attributeOldValue: true,
  attributeFilter: ["class", "style", "hidden", "open", "aria-expanded", "aria-hidden", "aria-selected"],
};

const isRestless = (node) => {
  for (let depth = 0; node && depth < 30; depth++) {
    if (isIn(document_.restless, node)) return true;
    node = parentNode(node);
  }
  return false;
};

const noteChanges = (records) => {
  const count = min(records.length, MAX_RECORDS);
  for (let index = 0; index < count; index++) {
    const { target, type, addedNodes, attributeName, oldValue } = records[index];
    if (type === "attributes" && attribute(target, attributeName) === oldValue) continue;
    if (!isRestless(target)) {
      document_.changedAt = now();
      if (document_.recent.length < MAX_ROOTS) append(document_.recent, target);
    }
    if (type === "attributes") noteRoot(document_.roots, target);
    for (let added = 0; added < addedNodes.length && added < MAX_ROOTS; added++) {
      const node = addedNodes[added];
      if (nodeType(node) !== ELEMENT) continue;
      noteRoot(document_.roots, node);
      noteRoot(document_.added, node);
      if (isLoading(node)) awaitLoad(node);
    }
  }
};

const noteRoot = (roots, node) => {
  if (roots.length < MAX_ROOTS) append(roots, node);
};

const isLoading = (node) =>
  (node instanceof HTMLScriptElement && hasAttribute(node, "src")) ||
  (node instanceof HTMLLinkElement && matches(node, "[rel=stylesheet],[rel=modulepreload]"));

const awaitLoad = (node) => {
  const token = startWork();
  const end = () => endWork(token);
  listen(node, "load", end, { once: true });
  listen(node, "error", end, { once: true });
};

// A popover opens without any change of the document.
listen(document, "toggle", ({ target }) => {
  document_.changedAt = now();
  if (target && nodeType(target) === ELEMENT) noteRoot(document_.roots, target);
}, true);

const watcher = new MutationObserver(noteChanges);
const watch = (root) => observe(watcher, root, WATCHED);
watch(document);

const shadows = new WeakMap();
replaceMethod(Element.prototype, "attachShadow", (original) =>
  function () {
    const root = apply(original, this, arguments);
    weakSet(shadows, this, root);
    watch(root);
    return root;
  });
const shadowOf = (element) => weakGet(shadows, element) ?? openShadow(element);

const sleep = (milliseconds) => new Promise((resolve) => clock.setTimeout(resolve, milliseconds));

const beginWork = () => {
  takeRecords(watcher);
  document_.roots = [];
  document_.added = [];
  document_.recent = [];
  document_.changedAt = 0;
};

/** Wait until nothing is pending and the document is quiet, at most so long; false if it did not come to rest. */
const settle = async (quietMs, limitMs, isDone) => {
  const start = now();
  for (;;) {
    await sleep(4);
    noteChanges(takeRecords(watcher));
    if (isDone?.()) return true;
    const time = now();
    if (!isBusy() && time - max(document_.changedAt, start) >= quietMs) return true;
    if (time - start > limitMs) return false;
  }
};

/** What still changes when the page should have come to rest does so on its own: it is not waited for again. */
const markRestless = async () => {
  document_.recent = [];
  await sleep(60);
  noteChanges(takeRecords(watcher));
  for (let index = 0; index < document_.recent.length; index++) addTo(document_.restless, document_.recent[index]);
};
