// What the page is still busy with, by the click that began it: requests, short timers, the next frames, scripts that load,
// changes of the document. A page has settled when nothing of that is left.
const MAX_CHAIN = 4;
const MAX_TIMER_MS = 1200;
const MAX_RECORDS = 2000;
const MAX_ROOTS = 200;

let running = null;
let pendingByClick = create(null);
const timers = new Map();
const frames = new Map();

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

/** Calls back later, and is waited for; one that sets itself again and again is not. */
const startLater = (pending, isNear, callback, start) => {
  const chain = running ? running.chain + 1 : 0;
  const isAwaited = isNear && chain < MAX_CHAIN;
  const token = isAwaited ? startWork() : { click: state.runningClick(), isOpen: false };
  token.chain = chain;
  const number = start((args) => {
    mapDelete(pending, number);
    endWork(token);
    runFor(token, callback, window, args);
  });
  if (isAwaited) mapSet(pending, number, token);
  return number;
};

replaceMethod(window, "setTimeout", (original) =>
  function (callback, delay) {
    if (typeof callback !== "function") return apply(original, window, arguments);
    const args = laterArguments(arguments);
    const isNear = !(Number(delay) > MAX_TIMER_MS);
    return startLater(timers, isNear, callback, (run) => clock.setTimeout(() => run(args), delay));
  });

// The next frame is near, but on a busy machine it may come late.
replaceMethod(window, "requestAnimationFrame", (original) =>
  function (callback) {
    if (typeof callback !== "function") return apply(original, window, arguments);
    return startLater(frames, true, callback, (run) => clock.nextFrame((time) => run([time])));
  });

const forget = (pending) => (original) =>
  function (number) {
    const token = mapGet(pending, number);
    if (token) {
      mapDelete(pending, number);
      endWork(token);
    }
    return apply(original, window, arguments);
  };
replaceMethod(window, "clearTimeout", forget(timers));
replaceMethod(window, "clearInterval", forget(timers));
replaceMethod(window, "cancelAnimationFrame", forget(frames));
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

/** Wait until whoever watches what is visible has been told, which happens after a frame; at most so long. */
const shown = (limitMs) =>
  new Promise((resolve) => {
    clock.setTimeout(resolve, limitMs);
    clock.nextFrame(() => clock.nextFrame(() => clock.setTimeout(resolve, 0)));
  });

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
