// A question is answered piece by piece. When the answer is whole, the page of the conversation is
// fetched: it has the sources, and what a page of ours shows is escaped in one place.
import { readEvents } from "./streams";

interface Told {
  text?: string;
  detail?: string;
  conversationId?: number;
}

async function showConversation(form: HTMLFormElement, number: number): Promise<void> {
  const address = `${location.pathname}?conversation=${number}`;
  const page = new DOMParser().parseFromString(await (await fetch(address)).text(), "text/html");
  for (const selector of ["#conversation", ".chat > details"]) {
    const fresh = page.querySelector(selector);
    if (fresh) {
      document.querySelector(selector)?.replaceWith(fresh);
    }
  }
  history.replaceState(null, "", address);
  form.querySelector<HTMLInputElement>("[name=conversation]")!.value = String(number);
  document.dispatchEvent(new CustomEvent("htmx:after:swap"));
}

function pendingTurn(question: string): { turn: HTMLElement; answer: HTMLElement } {
  const turn = document.createElement("article");
  turn.className = "turn pending";
  const heading = document.createElement("h2");
  heading.textContent = question;
  const answer = document.createElement("p");
  answer.className = "answer";
  answer.setAttribute("role", "status");
  turn.append(heading, answer);
  document.querySelector("#conversation")?.append(turn);
  return { turn, answer };
}

async function ask(form: HTMLFormElement): Promise<void> {
  const field = form.querySelector<HTMLTextAreaElement>("[name=question]")!;
  const button = form.querySelector("button")!;
  const conversation = form.querySelector<HTMLInputElement>("[name=conversation]")!.value;
  const { turn, answer } = pendingTurn(field.value);
  button.disabled = true;
  try {
    const response = await fetch(form.dataset["ask"] ?? "", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ question: field.value, conversationId: conversation ? Number(conversation) : null }),
    });
    if (!response.ok) {
      const problem = (await response.json()) as Told;
      throw new Error(problem.detail ?? response.statusText);
    }
    for await (const { name, data } of readEvents(response)) {
      const told = JSON.parse(data) as Told;
      if (name === "piece") {
        answer.textContent += told.text ?? "";
      } else if (name === "problem") {
        throw new Error(told.detail);
      } else if (told.conversationId) {
        await showConversation(form, told.conversationId);
        field.value = "";
      }
    }
  } catch (error) {
    turn.classList.remove("pending");
    answer.textContent = `No answer: ${error instanceof Error ? error.message : String(error)}`;
  } finally {
    button.disabled = false;
    field.focus();
  }
}

export function armChat(): void {
  const form = document.querySelector<HTMLFormElement>("form[data-ask]");
  form?.addEventListener("submit", (event) => {
    event.preventDefault();
    void ask(form);
  });
  form?.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      form.requestSubmit();
    }
  });
}
