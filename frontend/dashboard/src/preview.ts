// What is found on a new site, shown as the server reads it.
import { readEvents } from "./streams";

export function armPreview(): void {
  const form = document.querySelector<HTMLFormElement>("[data-preview-form]");
  const panel = document.querySelector<HTMLElement>("[data-preview]");
  const button = form?.querySelector<HTMLButtonElement>("[data-preview-start]");
  const address = form?.querySelector<HTMLInputElement>("[name=root_url]");
  if (!form || !panel || !button || !address) {
    return;
  }
  const state = panel.querySelector<HTMLElement>("[data-preview-state]")!;
  const places = panel.querySelectorAll<HTMLElement>("[data-event]");
  let running = new AbortController();
  const look = async (): Promise<void> => {
    running.abort();
    running = new AbortController();
    const { signal } = running;
    places.forEach((place) => place.replaceChildren());
    state.textContent = `Looking at ${address.value} …`;
    panel.setAttribute("aria-busy", "true");
    try {
      const answer = await fetch("/sites/new/preview", { method: "POST", body: new FormData(form), signal });
      if (!answer.ok) {
        throw new Error(`the server answered ${answer.status}`);
      }
      for await (const { name, data } of readEvents(answer)) {
        panel.querySelector(`[data-event="${CSS.escape(name)}"]`)?.insertAdjacentHTML("beforeend", data);
      }
      state.textContent = `This is what ${address.value} shows.`;
    } catch (error) {
      if (signal.aborted) {
        return;
      }
      state.textContent = `The preview has ended: ${error instanceof Error ? error.message : String(error)}.`;
    }
    panel.removeAttribute("aria-busy");
  };
  button.addEventListener("click", (event) => {
    event.preventDefault();
    if (address.reportValidity()) {
      void look();
    }
  });
}
