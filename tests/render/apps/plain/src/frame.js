const MENU = [
  ["/authors", "Our authors"],
  ["/podcasts", "Podcasts"],
];

export function frame() {
  return `
    <header class="masthead">
      <a class="brand" href="/">Harbour &amp; Vale</a>
      <ul class="sections">
        <li><a href="/culture">Culture</a></li>
        <li><a href="/science">Science</a></li>
        <li class="section" data-go="/issues">All issues</li>
      </ul>
      <div class="more">
        <button type="button" class="more-toggle" aria-haspopup="true" aria-expanded="false">More</button>
      </div>
      <span class="pin" role="link" tabindex="0" data-go="/map">Map of the coast</span>
      <a class="quiet" href="/logout" data-native data-danger="logout">Log out</a>
    </header>
    <main></main>
    <hv-footer></hv-footer>
    <hv-consent></hv-consent>`;
}

/** The menu exists only while it is open; a click anywhere else closes it. */
export function initFrame(root) {
  const holder = root.querySelector(".more");
  const toggle = root.querySelector(".more-toggle");
  const close = () => {
    holder.querySelector("[role=menu]")?.remove();
    toggle.setAttribute("aria-expanded", "false");
  };
  toggle.addEventListener("click", () => {
    if (toggle.getAttribute("aria-expanded") === "true") return close();
    const items = MENU.map(
      ([path, label]) => `<div role="menuitem" tabindex="-1" data-go="${path}">${label}</div>`,
    );
    holder.insertAdjacentHTML("beforeend", `<div role="menu">${items.join("")}</div>`);
    toggle.setAttribute("aria-expanded", "true");
  });
  document.addEventListener("click", (event) => {
    if (!holder.contains(event.target) || event.target.closest("[role=menuitem]")) close();
  });
}
