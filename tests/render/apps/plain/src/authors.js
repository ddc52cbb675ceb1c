import { go } from "./router.js";

export async function authors(path) {
  const people = await (await fetch("/api/authors")).json();
  if (path === "/authors") {
    return {
      title: "Our authors",
      html: `<h1>Our authors</h1>${people.map(card).join("")}`,
      mount(main) {
        for (const article of main.querySelectorAll("article")) {
          article.addEventListener("click", () => go(`/authors/${article.id}`));
        }
      },
    };
  }
  const person = people.find((each) => path === `/authors/${each.id}`);
  return person && { title: person.name, html: `<h1>${person.name}</h1><p>${person.about}</p>` };
}

const card = (person) =>
  `<article class="person" id="${person.id}"><h3>${person.name}</h3><p>${person.about}</p></article>`;
