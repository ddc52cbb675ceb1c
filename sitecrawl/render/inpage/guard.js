// Keeps the page where it is and its server unharmed while it is explored, and notes where it wanted to go. Before and
// after, all of it lets everything pass.
const SAFE_METHOD = /^(?:GET|HEAD|OPTIONS)$/i;
const MAX_NOTED = 2000;
const isTop = window.parent === window;

/** Frames of the same origin share it, so that their guards close with those of the page. */
const state = attempt(() => window.parent[KEY]?.state) ?? {
  exploring: false,
  click: 0,
  blocked: 0,
  noted: [],
  hardWords: [],
  hardParts: [],
  runningClick: () => 0,
};

const replaceMethod = (holder, name, make) => {
  const original = holder?.[name];
  if (typeof original !== "function") return;
  const replacement = make(original);
  defineProperty(holder, name, { value: replacement, writable: true, enumerable: true, configurable: true });
};

const blocked = () => {
  state.blocked += 1;
};

/** Where a click, or a script on its own, wanted to go. */
const note = (address) => {
  const url = attempt(() => new URL(String(address), document.baseURI));
  const isNew = url !== undefined && url.href !== location.href && state.noted.length < MAX_NOTED;
  if (isNew) append(state.noted, { url: url.href, click: state.runningClick() });
  return url;
};

/** Words of a question that is answered with no: the same that a button is refused for. */
const asksForHarm = (question) => {
  const plain = replace(normalized(slice(String(question), 0, 1000), "NFKD"), /\p{M}/gu, "");
  const folded = replace(lower(plain), /\u0131/g, "i");
  const words = ` ${trim(replace(folded, /[^\p{L}\p{N}]+/gu, " "))} `;
  for (let index = 0; index < state.hardWords.length; index++) {
    if (indexOf(words, ` ${state.hardWords[index]} `) >= 0) return true;
  }
  for (let index = 0; index < state.hardParts.length; index++) {
    if (indexOf(words, state.hardParts[index]) >= 0) return true;
  }
  return false;
};

// --- Navigation ---

if (isTop) {
  // An error, as browsers throw it for a state that they cannot keep, ends most navigations where they begin: nothing is
  // fetched or drawn for a page that will not be shown. Routers that catch it go on, and are put back afterwards.
  const guardHistory = (isEnded) => (original) =>
    function (data, title, address) {
      if (!state.exploring) return apply(original, this, arguments);
      if (address === undefined || address === null) return undefined;
      const url = note(address);
      if (url && isEnded(url)) throw endOfNavigation;
      return undefined;
    };
  const endOfNavigation = new DOMException("The object could not be cloned.", "DataCloneError");
  // Nobody caught it: the application has gone no further, and need not hear of it.
  const isOurs = (event, error) => {
    if (error !== endOfNavigation) return;
    state.isEnded = true;
    stopEvent(event);
    preventDefault(event);
  };
  listen(window, "error", (event) => isOurs(event, event.error), true);
  listen(window, "unhandledrejection", (event) => isOurs(event, event.reason), true);
  const { replaceState } = history;
  state.putBack = (data, url) => apply(replaceState, history, [data, "", url]);
  replaceMethod(History.prototype, "pushState", guardHistory((url) => url.href !== location.href));
  // A new query is often no other page, but what the page shows as chosen.
  replaceMethod(History.prototype, "replaceState", guardHistory((url) => url.pathname !== location.pathname));
  const stay = (original) =>
    function () {
      if (!state.exploring) return apply(original, this, arguments);
    };
  const staying = ["back", "forward", "go"];
  for (let index = 0; index < staying.length; index++) replaceMethod(History.prototype, staying[index], stay);

  // Everything that is not the History API: location, fragments, forms, links that a script clicks.
  if (window.navigation) {
    listen(window.navigation, "navigate", (event) => {
      if (!state.exploring || state.isPuttingBack) return;
      stopEvent(event);
      preventDefault(event);
      const { formData, downloadRequest, navigationType, destination } = event;
      if (formData || downloadRequest !== null) blocked();
      else if (navigationType !== "reload" && navigationType !== "traverse") note(destination.url);
    });
  }
}

const openedWindow = () => {
  const place = { assign: note, replace: note, toString: () => "about:blank" };
  defineProperty(place, "href", { get: () => "about:blank", set: note });
  const page = { write() {}, writeln() {}, open() {}, close() {} };
  const opened = { closed: false, opener: null, document: page, close() {}, focus() {}, blur() {}, postMessage() {} };
  defineProperty(opened, "location", { get: () => place, set: note });
  return opened;
};

replaceMethod(window, "open", (original) =>
  function (address) {
    if (!state.exploring) return apply(original, this, arguments);
    if (address) note(address);
    return openedWindow();
  });
replaceMethod(window, "alert", () => function alert() {});
replaceMethod(window, "print", () => function print() {});
replaceMethod(window, "prompt", () => () => null);
replaceMethod(window, "confirm", () => (question) => state.exploring && !asksForHarm(question));

/** A link that opens a window, or a file, does not navigate this page: no event tells of it. */
const isHeldBack = (link) => {
  if (!state.exploring || !(link instanceof HTMLAnchorElement) || !hasAttribute(link, "href")) return false;
  if (hasAttribute(link, "download")) return true;
  const target = attribute(link, "target");
  if (isConnected(link) && (!target || target === "_self")) return false;
  note(attribute(link, "href"));
  return true;
};

replaceMethod(HTMLElement.prototype, "click", (original) =>
  function () {
    if (!isHeldBack(this)) apply(original, this, []);
  });
replaceMethod(EventTarget.prototype, "dispatchEvent", (original) =>
  function (event) {
    if (event?.type === "click" && isHeldBack(this)) return true;
    return apply(original, this, arguments);
  });

// --- Requests that change something ---

const failure = () => new TypeError("Failed to fetch");

replaceMethod(window, "fetch", (original) =>
  function (resource, options) {
    const method = attempt(() => options?.method ?? resource?.method) ?? "GET";
    if (!state.exploring || test(SAFE_METHOD, String(method))) {
      const token = startWork();
      const answer = apply(original, this, arguments);
      promiseThen(answer, () => endWork(token), () => endWork(token));
      return answer;
    }
    blocked();
    return new Promise((resolve, reject) => reject(failure()));
  });

const readings = ["json", "text", "arrayBuffer", "blob", "bytes", "formData"];
for (let index = 0; index < readings.length; index++) {
  replaceMethod(Response.prototype, readings[index], (original) =>
    function () {
      const token = startWork();
      const content = apply(original, this, arguments);
      promiseThen(content, () => endWork(token), () => endWork(token));
      return content;
    });
}

const methods = new WeakMap();
replaceMethod(XMLHttpRequest.prototype, "open", (original) =>
  function (method) {
    weakSet(methods, this, String(method));
    return apply(original, this, arguments);
  });
replaceMethod(XMLHttpRequest.prototype, "send", (original) =>
  function () {
    if (state.exploring && !test(SAFE_METHOD, weakGet(methods, this) ?? "GET")) {
      blocked();
      clock.setTimeout(() => {
        dispatch(this, new ProgressEvent("error"));
        dispatch(this, new ProgressEvent("loadend"));
      });
      return undefined;
    }
    const token = startWork();
    listen(this, "loadend", () => endWork(token), { once: true });
    return apply(original, this, arguments);
  });

/** What these send is never a question: dropped while exploring, as if it had been sent. */
const drop = (holder, name, answer) =>
  replaceMethod(holder, name, (original) =>
    function () {
      if (!state.exploring) return apply(original, this, arguments);
      blocked();
      return answer;
    });

drop(Navigator.prototype, "sendBeacon", true);
drop(window, "fetchLater", { activated: false });
drop(HTMLFormElement.prototype, "submit");
drop(HTMLFormElement.prototype, "requestSubmit");
drop(WebSocket.prototype, "send");
drop(window.RTCDataChannel?.prototype, "send");
drop(window.PaymentRequest?.prototype, "show", new Promise(() => {}));
drop(Document.prototype, "write");
drop(Document.prototype, "writeln");
drop(Document.prototype, "open", document);
drop(window, "close");
drop(window, "stop");

const refuseNew = (name) => {
  const Original = window[name];
  if (typeof Original !== "function") return;
  window[name] = new Proxy(Original, {
    construct(target, args, newTarget) {
      if (!state.exploring) return construct(target, args, newTarget);
      blocked();
      throw new Error(`${name} is not available`);
    },
  });
};
refuseNew("WebSocket");
refuseNew("WebTransport");
refuseNew("EventSource");

listen(window, "submit", (event) => {
  if (!state.exploring) return;
  blocked();
  stopEvent(event);
  preventDefault(event);
}, true);
