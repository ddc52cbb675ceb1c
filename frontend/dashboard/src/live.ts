// Whoever reads at the end of the log stays there, others where they are.
function renew(moving: HTMLElement, html: string): void {
  const old = moving.querySelector<HTMLElement>(".log");
  const isAtEnd = !old || old.scrollTop + old.clientHeight >= old.scrollHeight - 4;
  const top = old?.scrollTop ?? 0;
  const isRead = document.activeElement === old;
  moving.innerHTML = html;
  const log = moving.querySelector<HTMLElement>(".log");
  if (log) {
    log.scrollTop = isAtEnd ? log.scrollHeight : top;
    if (isRead) {
      log.focus({ preventScroll: true });
    }
  }
}

// The part of a running task's page that moves, with its log, as the server sends it. When the task has
// ended, htmx fetches the whole page once more.
export function followTask(): void {
  const root = document.querySelector<HTMLElement>("[data-task-events]:not([data-followed])");
  const moving = root?.querySelector<HTMLElement>("[data-task-live]");
  if (!root || !moving) {
    return;
  }
  root.dataset["followed"] = "yes";
  const stream = new EventSource(root.dataset["taskEvents"] ?? "");
  stream.addEventListener("live", (event) => {
    renew(moving, event.data);
  });
  stream.addEventListener("ended", () => {
    stream.close();
    root.dispatchEvent(new CustomEvent("refresh"));
  });
}

// The counts of a running dive; when it begins or ends, htmx fetches its part of the page once more.
export function followDive(): void {
  const root = document.querySelector<HTMLElement>("[data-dive-events]:not([data-followed])");
  if (!root) {
    return;
  }
  root.dataset["followed"] = "yes";
  const stream = new EventSource(root.dataset["diveEvents"] ?? "");
  let status = "";
  const refresh = (): void => {
    stream.close();
    root.dispatchEvent(new CustomEvent("refresh"));
  };
  stream.addEventListener("progress", (event) => {
    const told = JSON.parse(event.data) as { status: string; counts: Record<string, number> };
    for (const element of root.querySelectorAll<HTMLElement>("[data-live]")) {
      element.textContent = (told.counts[element.dataset["live"] ?? ""] ?? 0).toLocaleString("en");
    }
    if (status && status !== told.status) {
      refresh();
    }
    status = told.status;
  });
  stream.addEventListener("ended", refresh);
}

// A page that shows the whole workspace is fetched again when a task begins or ends.
export function followWorkspace(): void {
  const source = document.querySelector<HTMLElement>("[data-live-events]")?.dataset["liveEvents"];
  if (!source) {
    return;
  }
  let known = "";
  new EventSource(source).addEventListener("live", (event) => {
    const counts = JSON.stringify((JSON.parse(event.data) as { counts: unknown }).counts);
    if (known && known !== counts) {
      document.querySelector("[data-live-events]")?.dispatchEvent(new CustomEvent("refresh"));
    }
    known = counts;
  });
}
