import { go } from "./router.js";

const YEARS = {
  "The nineties": { 1998: "The year of the long frost, when the harbour could be crossed on foot." },
};

export function archive(path) {
  if (path === "/archive") return { title: "Archive", html: overview(), mount };
  const year = path.slice("/archive/".length);
  const about = Object.values(YEARS).find((decade) => decade[year])?.[year];
  return about && { title: year, html: `<h1>The year ${year}</h1><p>${about}</p>` };
}

const overview = () => `
  <h1>Archive</h1>
  ${Object.keys(YEARS)
    .map((name) => `<section><button type="button" class="fold" aria-expanded="false">${name}</button></section>`)
    .join("")}`;

/** A fold's years are made when it is opened. */
function mount(main) {
  for (const fold of main.querySelectorAll(".fold")) {
    fold.onclick = () => {
      const isOpen = fold.getAttribute("aria-expanded") === "true";
      fold.setAttribute("aria-expanded", String(!isOpen));
      fold.nextElementSibling?.remove();
      if (isOpen) return;
      const list = document.createElement("ul");
      for (const year of Object.keys(YEARS[fold.textContent])) {
        const item = document.createElement("li");
        item.className = "year";
        item.textContent = year;
        item.onclick = () => go(`/archive/${year}`);
        list.append(item);
      }
      fold.after(list);
    };
  }
}
