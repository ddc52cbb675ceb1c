// The figures of a running task, as the server tells them. When the task has ended, htmx fetches the
// whole page once more, with its log.
interface JobProgress {
  progress: Record<string, number | string | null> | null;
}

// A dive tells its status and counts itself; a job tells those of its scan.
type Told = JobProgress & { job?: { status: string; startedAt: string | null }; status?: string; counts?: Record<string, number> };

function show(root: HTMLElement, { progress }: JobProgress, startedAt: number): void {
  if (!progress) {
    return;
  }
  for (const element of root.querySelectorAll<HTMLElement>("[data-live]")) {
    const name = element.dataset["live"] ?? "";
    const seconds = (Date.now() - startedAt) / 1_000;
    const value = name === "rate" ? (Number(progress["fetched"]) / Math.max(seconds, 1)).toFixed(1) : progress[name];
    if (value !== null && value !== undefined) {
      element.textContent = typeof value === "number" ? value.toLocaleString("en") : String(value);
    }
  }
}

export function followJob(): void {
  const root = document.querySelector<HTMLElement>("[data-job-events]:not([data-followed])");
  if (!root) {
    return;
  }
  root.dataset["followed"] = "yes";
  const stream = new EventSource(root.dataset["jobEvents"] ?? "");
  let status = "";
  const refresh = (): void => {
    root.dispatchEvent(new CustomEvent("refresh"));
  };
  stream.addEventListener("progress", (event) => {
    const told = JSON.parse(event.data) as Told;
    show(root, { progress: told.counts ?? told.progress }, told.job?.startedAt ? Date.parse(told.job.startedAt) : Date.now());
    const now = told.job?.status ?? told.status ?? "";
    if (status && status !== now) {
      stream.close();
      refresh();
    }
    status = now;
  });
  stream.addEventListener("ended", () => {
    stream.close();
    refresh();
  });
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
