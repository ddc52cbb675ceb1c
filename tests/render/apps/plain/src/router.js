const listeners = new Set();

export function onRoute(listener) {
  listeners.add(listener);
}

export function go(path) {
  if (path === location.pathname) return;
  history.pushState({ path }, "", path);
  show();
}

function show() {
  window.scrollTo(0, 0);
  for (const listener of listeners) listener(location.pathname);
}

/** One listener for the whole page: links of the site, and whatever carries data-go. */
export function startRouter(root) {
  root.addEventListener("click", (event) => {
    if (event.defaultPrevented) return;
    const target = event.target.closest("[data-go], a[href^='/']");
    if (!target || target.dataset.native !== undefined) return;
    event.preventDefault();
    go(target.dataset.go ?? target.getAttribute("href"));
  });
  root.addEventListener("keydown", (event) => {
    const target = event.target.closest("[role=link][data-go]");
    if (target && event.key === "Enter") go(target.dataset.go);
  });
  window.addEventListener("popstate", show);
  show();
}
