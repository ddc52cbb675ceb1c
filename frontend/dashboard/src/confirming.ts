// What cannot be undone is asked about first.
export function armConfirmations(): void {
  document.addEventListener("submit", (event) => {
    const form = event.target as HTMLFormElement;
    const button = (event as SubmitEvent).submitter;
    const question = button?.getAttribute("data-confirm") ?? form.getAttribute("data-confirm");
    if (question && !window.confirm(question)) {
      event.preventDefault();
      event.stopImmediatePropagation();
    }
  }, true);
}
