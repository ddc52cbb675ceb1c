// A file that is dropped, or chosen, becomes the text of the form, so that it can be read and mended.
const MAX_BYTES = 10_000_000;

export function armFileDrops(root: ParentNode): void {
  for (const zone of root.querySelectorAll<HTMLElement>("[data-dropzone]")) {
    const text = document.querySelector<HTMLTextAreaElement>(zone.dataset["dropzone"] ?? "");
    const input = zone.querySelector<HTMLInputElement>("input[type=file]");
    if (!text) {
      continue;
    }
    const take = async (file: File | undefined): Promise<void> => {
      if (file && file.size <= MAX_BYTES) {
        text.value = await file.text();
        text.dispatchEvent(new Event("input", { bubbles: true }));
      }
    };
    zone.addEventListener("dragover", (event) => {
      event.preventDefault();
      zone.classList.add("over");
    });
    zone.addEventListener("dragleave", () => zone.classList.remove("over"));
    zone.addEventListener("drop", (event) => {
      event.preventDefault();
      zone.classList.remove("over");
      void take(event.dataTransfer?.files[0]);
    });
    input?.addEventListener("change", () => {
      void take(input.files?.[0]).then(() => (input.value = ""));
    });
  }
}
