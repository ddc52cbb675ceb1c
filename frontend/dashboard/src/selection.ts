// The boxes of a table: one for all of them, and how many are ticked.
export function armSelection(root: ParentNode): void {
  for (const form of root.querySelectorAll<HTMLFormElement>("form[data-selection]")) {
    const all = form.querySelector<HTMLInputElement>("[data-select-all]");
    const boxes = (): HTMLInputElement[] => [...form.querySelectorAll<HTMLInputElement>("tbody input[type=checkbox]")];
    const count = form.querySelector("[data-selected]");
    const show = (): void => {
      const ticked = boxes().filter((box) => box.checked).length;
      if (count) {
        count.textContent = ticked === 1 ? "1 selected" : `${ticked} selected`;
      }
      if (all) {
        all.checked = ticked > 0 && ticked === boxes().length;
        all.indeterminate = ticked > 0 && !all.checked;
      }
    };
    all?.addEventListener("change", () => {
      for (const box of boxes()) {
        box.checked = all.checked;
      }
      show();
    });
    form.addEventListener("change", show);
    show();
  }
}
