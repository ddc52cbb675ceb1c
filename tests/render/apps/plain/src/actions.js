import { go } from "./router.js";

const bookmark = { id: 3 };

/** What changes something on the server; everything here tells report.js first. */
const ACTIONS = {
  logout: () => {}, // the link's own address does it
  "delete-bookmark": () => fetch(`/api/bookmarks/${bookmark.id}`, { method: "DELETE" }),
  "discard-draft": () => fetch("/api/drafts/12", { method: "DELETE" }),
  "buy-issue": () => fetch("/api/buy", { method: "POST", body: "issue=42" }),
  "rate-story": () => navigator.sendBeacon("/api/ratings", "story=tide&stars=5"),
};

const NAVIGATIONS = {
  crossword: () => {
    location.href = "/crossword";
  },
  print: () => window.open("/print-edition", "_blank"),
  letters: () => {
    if (confirm("Letters are not edited. Do you want to read them?")) go("/letters");
  },
  surprise: async () => {
    const { path } = await (await fetch("/api/surprise")).json();
    setTimeout(() => go(path), 100);
  },
};

export function initActions(root) {
  root.addEventListener("click", (event) => {
    const danger = event.target.closest("[data-danger]")?.dataset.danger;
    if (danger) {
      reportDanger(danger);
      ACTIONS[danger]();
    }
    const action = event.target.closest("[data-action]")?.dataset.action;
    if (action) NAVIGATIONS[action]();
  });
  root.addEventListener("submit", (event) => {
    if (event.target.matches(".letterbox")) reportDanger("subscribe"); // then the form is sent
    if (!event.target.matches(".search")) return;
    event.preventDefault();
    const query = new FormData(event.target).get("q");
    if (query) go("/search");
  });
}
