// The command palette: Ctrl+K or / opens it; the server finds, arrows choose, Enter goes there.
export function armPalette(): void {
  const dialog = document.querySelector<HTMLDialogElement>("#palette");
  const input = dialog?.querySelector<HTMLInputElement>("input");
  if (!dialog || !input) {
    return;
  }
  const list = dialog.querySelector<HTMLElement>("#palette-results")!;
  const rows = (): HTMLElement[] => [...list.querySelectorAll<HTMLElement>("li")];
  const choose = (index: number): void => {
    rows().forEach((row, each) => row.setAttribute("aria-selected", String(each === index)));
    rows()[index]?.scrollIntoView({ block: "nearest" });
  };
  const open = (): void => {
    dialog.showModal();
    input.select();
    input.dispatchEvent(new Event("input", { bubbles: true }));
  };
  document.querySelector("[data-open-palette]")?.addEventListener("click", (event) => {
    event.preventDefault();
    open();
  });
  document.addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    const isTyping = target.matches("input, textarea, select, [contenteditable]");
    const wanted = (event.key === "k" && (event.ctrlKey || event.metaKey)) || (event.key === "/" && !isTyping);
    if (wanted && !dialog.open) {
      event.preventDefault();
      open();
    }
  });
  input.addEventListener("keydown", (event) => {
    const chosen = rows().findIndex((row) => row.getAttribute("aria-selected") === "true");
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const step = event.key === "ArrowDown" ? 1 : -1;
      choose(Math.min(Math.max(chosen + step, 0), rows().length - 1));
    } else if (event.key === "Enter") {
      event.preventDefault();
      rows()[Math.max(chosen, 0)]?.querySelector("a")?.click();
    }
  });
}
