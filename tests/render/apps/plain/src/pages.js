import { home } from "./home.js";

const text = (title, ...paragraphs) => ({
  title,
  html: `<h1>${title}</h1>${paragraphs.map((each) => `<p>${each}</p>`).join("")}`,
});

const api = async (path) => (await fetch(`/api/${path}`)).json();

const PAGES = {
  "/": home,
  "/culture": () => ({
    title: "Culture",
    html: `
      <h1>Culture</h1>
      <div role="tablist">
        <span role="tab" aria-selected="true">Everything</span>
        <span role="tab" aria-selected="false" data-go="/culture/film">Film</span>
      </div>
      <p>Forty seats, one projector, and a queue that reaches the fish market.</p>
      <div class="rate" data-danger="rate-story">Well told</div>`,
  }),
  "/culture/film": () => text("Film", "The cinema on the quay shows what the tide allows."),
  "/science": () => ({
    title: "Science",
    html: `
      <h1>Science</h1>
      <p>What the herring know about the moon, and how we found out.</p>
      <div class="callout">
        <p>You have an unfinished letter about this article.</p>
        <button type="button" data-danger="discard-draft">Continue</button>
      </div>`,
  }),
  "/issues": async () => ({
    title: "All issues",
    html: `
      <h1>All issues</h1>
      <div class="shelf">${(await api("issues"))
        .map(
          (issue) => `
            <div class="cover" data-go="/issues/${issue.number}">
              <strong>Issue ${issue.number}</strong><em>${issue.name}</em>
            </div>`,
        )
        .join("")}</div>
      <button type="button" class="cta" data-danger="buy-issue">Buy now</button>`,
  }),
  "/podcasts": () => text("Podcasts", "Two voices, one microphone, plenty of gulls."),
  "/privacy": () => text("Privacy", "We keep what you send us, and nothing else."),
  "/print-edition": () => text("Print edition", "Ninety-six pages on uncoated paper."),
  "/letters": () => text("Letters to the editor", "Sir, I must object to your view of seaweed."),
  "/map": () => text("Map of the coast", "From the lighthouse to the last bus stop."),
  "/crossword": () => text("Crossword", "Seven across: a knot that holds (7)."),
  "/search": () => text("Search results", "Nothing was found for these words."),
  "/surprise/tide-tables": () => text("Tide tables", "High water at nine and at half past nine."),
  "/partners/ferry-line": () => text("The ferry line", "Four crossings a day, none in a storm."),
};

const PATTERNS = [
  [/^\/issues\/(\d+)$/, async ([, number]) => {
    const issue = (await api("issues")).find((each) => String(each.number) === number);
    return issue && text(`Issue ${number}: ${issue.name}`, issue.about);
  }],
  [/^\/stories\/([a-z-]+)$/, async ([, slug]) => {
    const pages = await Promise.all([api("stories?page=1"), api("stories?page=2")]);
    const story = pages.flatMap((page) => page.stories).find((each) => each.slug === slug);
    return story && text(story.title, story.lead);
  }],
  [/^\/picks\/summer-reading$/, () => text("Summer reading", "Nine books for a deck chair.")],
  [/^\/authors(?:\/|$)/, async ([], path) => (await import("./authors.js")).authors(path)],
  [/^\/archive(?:\/|$)/, async ([], path) => (await import("./archive.js")).archive(path)],
];

export async function pageFor(path) {
  const plain = PAGES[path];
  if (plain) return plain();
  for (const [pattern, page] of PATTERNS) {
    const match = pattern.exec(path);
    const found = match && (await page(match, path));
    if (found) return found;
  }
  return text("Page not found", "This page has gone out with the tide.");
}
