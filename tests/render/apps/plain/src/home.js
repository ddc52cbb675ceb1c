const TABS = {
  latest: () => "<p>The harbour master retires after forty winters.</p>",
  popular: () => "<p>Why every boat here is painted the same green.</p>",
  picks: () => '<p>Chosen by the desk: <span class="pick" data-go="/picks/summer-reading">Summer reading</span></p>',
};

export function home() {
  return {
    title: "Home",
    html: `
      <h1>Harbour &amp; Vale</h1>
      <p>A magazine of the coast and what lies behind it.</p>
      <form class="search" action="/search"><input name="q" aria-label="Search" /><button>Search</button></form>
      <div class="tabs">
        <button type="button" data-tab="latest">Latest</button>
        <button type="button" data-tab="popular">Popular</button>
        <button type="button" data-tab="picks">Editors' picks</button>
        <div class="panel">${TABS.latest()}</div>
      </div>
      <div class="teasers">
        <div class="teaser" data-action="crossword"><h3>Crossword</h3><p>A new one each Friday.</p></div>
        <button type="button" data-action="print">Read the print edition</button>
        <button type="button" data-action="letters">Letters to the editor</button>
        <button type="button" data-action="surprise">Surprise me</button>
      </div>
      <div class="bookmark">
        <span>Bookmarked: The salt road</span>
        <button type="button" class="icon-button" data-danger="delete-bookmark">
          <svg class="icon icon-trash" viewBox="0 0 24 24" width="18" height="18"><path d="M4 6h16M9 6V4h6v2M6 6l1 14h10l1-14" /></svg>
        </button>
      </div>
      <form class="letterbox" method="post" action="/subscribe">
        <input name="email" type="email" aria-label="E-mail" value="reader@example.org" />
        <button>Subscribe</button>
      </form>
      <iframe src="/embed/partners.html" title="Partners" width="320" height="120"></iframe>
      <h2>Stories</h2>
      <ol class="stories"></ol>
      <div class="sentinel">Loading more stories</div>`,
    mount,
  };
}

function mount(main) {
  main.querySelector(".tabs").addEventListener("click", (event) => {
    const name = event.target.dataset.tab;
    if (name) main.querySelector(".panel").innerHTML = TABS[name]();
  });

  let next = 1;
  const list = main.querySelector(".stories");
  const sentinel = main.querySelector(".sentinel");
  const observer = new IntersectionObserver(([entry]) => {
    if (entry.isIntersecting) load();
  });
  async function load() {
    observer.unobserve(sentinel);
    const page = await (await fetch(`/api/stories?page=${next++}`)).json();
    for (const story of page.stories) {
      const item = document.createElement("li");
      item.className = "story";
      item.dataset.go = `/stories/${story.slug}`;
      item.innerHTML = `<h3>${story.title}</h3><p>${story.lead}</p>`;
      list.append(item);
    }
    if (page.more) observer.observe(sentinel);
    else sentinel.remove();
  }
  load();
}
