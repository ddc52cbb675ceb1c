// A message is dismissed by its button, or by itself if it tells of a success.
const SHOWN_MS = 8_000;

export function armToasts(root: ParentNode): void {
  for (const toast of root.querySelectorAll<HTMLElement>(".toast")) {
    toast.querySelector("button")?.addEventListener("click", () => toast.remove());
    if (!toast.classList.contains("bad")) {
      setTimeout(() => toast.remove(), SHOWN_MS);
    }
  }
}
