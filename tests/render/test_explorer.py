"""Routes without links, on small pages that each do it in another way."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from sitecrawl.render.explorer import Ending, Exploration, ExplorationLimits
from sitecrawl.render.router_tables import RouteKind
from tests.site import Reply

if TYPE_CHECKING:
    from tests.render.browsing import Browsing
    from tests.site import SiteServer

_GO = """<script>
  const go = (path) => { history.pushState({}, "", path); show(); };
  const show = () => { document.querySelector("h1").textContent = location.pathname; };
  addEventListener("popstate", show);
</script><h1>start</h1>"""


def _serve(site: SiteServer, body: str) -> str:
    page = f"<!doctype html><meta charset=utf-8><title>t</title><body>{_GO}{body}"
    site.routes["/*"] = Reply(page, content_type="text/html; charset=utf-8")
    return site.at("/")


def _paths(found: Exploration, site: SiteServer) -> set[str]:
    return {route.url.removeprefix(site.url) for route in found.routes}


def _unsafe(site: SiteServer) -> list[str]:
    return [f"{each.method} {each.path}" for each in site.requests() if each.method != "GET"]


_WAYS = {
    "onclick attribute": ("<div onclick=\"go('/a')\">A</div>", {"/a"}),
    "button with a listener": (
        "<button id=b>A</button><script>b.addEventListener('click', () => go('/a'))</script>",
        {"/a"},
    ),
    "onclick property of a plain element": (
        "<p id=p>A</p><script>p.onclick = () => go('/a')</script>",
        {"/a"},
    ),
    "anchor without an address": ("<a href=# onclick=\"go('/a')\">A</a>", {"/a"}),
    "address that is a script": ("<a href=\"javascript:go('/a')\">A</a>", {"/a"}),
    "button of a form that does not send it": (
        "<form><button type=button onclick=\"go('/a')\">A</button></form>",
        {"/a"},
    ),
    "input that is a button": ("<input type=button value=A onclick=\"go('/a')\">", {"/a"}),
    "location.href": ("<button onclick=\"location.href='/a'\">A</button>", {"/a"}),
    "location.assign": ("<button onclick=\"location.assign('/a')\">A</button>", {"/a"}),
    "location.replace": ("<button onclick=\"location.replace('/a')\">A</button>", {"/a"}),
    "hash route": ("<button onclick=\"location.hash='#/a'\">A</button>", {"/#/a"}),
    "hash-bang route": ("<button onclick=\"location.hash='!a'\">A</button>", {"/#!a"}),
    "place in the page": ("<button onclick=\"location.hash='#part'\">A</button>", set()),
    "window.open": ("<button onclick=\"window.open('/a')\">A</button>", {"/a"}),
    "window that is sent elsewhere": (
        "<button onclick=\"const w = window.open(); w.location = '/a'\">A</button>",
        {"/a"},
    ),
    "link that a script makes and clicks": (
        """<button onclick="const a = document.createElement('a');
            a.href = '/a'; a.target = '_blank'; a.click()">A</button>""",
        {"/a"},
    ),
    "file that a script downloads": (
        """<button onclick="const a = document.createElement('a');
            a.href = '/a'; a.download = 'a'; a.click()">A</button>""",
        set(),
    ),
    "another site": (
        "<button onclick=\"location.href='https://other.example/a'\">A</button>",
        {"https://other.example/a"},
    ),
    "mail address": ("<button onclick=\"location.href='mailto:a@b.example'\">A</button>", set()),
    "question before": ("<button onclick=\"if (confirm('Go on?')) go('/a')\">A</button>", {"/a"}),
    "question of harm": (
        "<button onclick=\"if (confirm('Wirklich löschen?')) go('/a')\">A</button>",
        set(),
    ),
    "message before": ("<button onclick=\"alert('!'); go('/a')\">A</button>", {"/a"}),
    "menu that opens some frames later": (
        """<button onclick="after(4)">Menu</button><div id=here></div><script>
            const after = (frames) => {
              if (frames) requestAnimationFrame(() => after(frames - 1));
              else here.innerHTML = "<p onclick=\\"go('/a')\\">A</p>";
            };
        </script>""",
        {"/a"},
    ),
    "timer": ("<button onclick=\"setTimeout(go, 300, '/a')\">A</button>", {"/a"}),
    "one of many listeners": (
        """<ul id=u><li data-page=a>A<li data-page=b>B</ul><script>
            u.addEventListener("click", (e) => go("/" + e.target.closest("li").dataset.page))
        </script>""",
        {"/a", "/b"},
    ),
    "listener of the document": (
        """<div><span data-view=a>A</span><span data-view=b>B</span></div><script>
            document.addEventListener("click", ({ target }) => {
              if (target.dataset.view) go("/" + target.dataset.view);
            })
        </script>""",
        {"/a", "/b"},
    ),
    "pointer down": (
        "<b id=x>A</b><script>x.addEventListener('pointerdown', () => go('/a'))</script>",
        {"/a"},
    ),
    "keyboard alone": (
        """<i id=x tabindex=0>A</i><script>
            x.addEventListener("keydown", (e) => e.key === "Enter" && go("/a"))
        </script>""",
        {"/a"},
    ),
    "menu that opens under the mouse": (
        """<div id=m style="cursor: pointer">Menu</div><script>
            m.addEventListener("mouseenter", () => {
              m.insertAdjacentHTML("afterend", "<p onclick=\\"go('/a')\\">A</p>");
            }, { once: true });
        </script>""",
        {"/a"},
    ),
    "menu within a menu, closed by a click elsewhere": (
        """<button id=m>Menu</button><div id=here></div><script>
            const open = () => { here.innerHTML = "<button id=s>More</button>"; };
            m.addEventListener("click", open);
            here.addEventListener("click", ({ target }) => {
              if (target.id === "s") {
                target.outerHTML += "<p id=one>One</p><p id=two>Two</p>";
              } else if (target.tagName === "P") {
                go("/" + target.id);
              }
            });
            here.addEventListener("mouseover", () => {
              for (const p of here.querySelectorAll("p")) p.style.cursor = "pointer";
            });
            document.addEventListener("mousedown", ({ target }) => {
              if (target.tagName !== "BUTTON" && !here.contains(target)) here.innerHTML = "";
            });
        </script><button onclick="here.innerHTML = ''">Hide</button>
        <style>#here p { cursor: pointer }</style>""",
        {"/one", "/two"},
    ),
    "menu that an item closes": (
        """<button onclick="here.innerHTML = items">Menu</button><div id=here></div><script>
            const leave = (path) => { here.innerHTML = ""; go(path); };
            const items = "<p onclick=\\"leave('/1')\\">A</p><p onclick=\\"leave('/2')\\">B</p>";
        </script>""",
        {"/1", "/2"},
    ),
    "menu that a style sheet opens": (
        """<style>li ul { display: none } li:hover > ul { display: block }</style>
        <ul><li>Menu<ul><li><p onclick="go('/a')">A</p></ul></ul>""",
        {"/a"},
    ),
    "menu of a box that is ticked": (
        """<style>#box, nav { display: none }
        @media screen { #box:checked ~ nav { display: block } }</style>
        <input type=checkbox id=box><label for=box>Menu</label>
        <nav><p onclick="go('/a')">A</p></nav>""",
        {"/a"},
    ),
    "popover": (
        """<button popovertarget=menu>Menu</button>
        <div id=menu popover><p onclick="go('/a')">A</p></div>""",
        {"/a"},
    ),
    "dialog": (
        """<dialog id=d><button type=button onclick="go('/a')">A</button></dialog>
        <button onclick="d.showModal()">Show</button>""",
        {"/a"},
    ),
    "fold": (
        "<details><summary>More</summary><p onclick=\"go('/a')\">A</p></details>",
        {"/a"},
    ),
    "drawing": ("<svg width=9 height=9><circle r=9 onclick=\"go('/a')\"/></svg>", {"/a"}),
    "closed shadow root": (
        """<x-a></x-a><script>
            const root = document.querySelector("x-a").attachShadow({ mode: "closed" });
            root.innerHTML = "<button>A</button>";
            root.querySelector("button").onclick = () => go("/a");
        </script>""",
        {"/a"},
    ),
    "Navigation API": (
        """<button onclick="navigation.navigate('/a')">A</button><script>
            navigation.addEventListener("navigate", (e) => e.intercept({ handler: show }));
        </script>""",
        {"/a"},
    ),
    "on its own": ("<script>setTimeout(() => { location.href = '/a'; }, 500)</script>", {"/a"}),
    "hidden": ("<button hidden onclick=\"go('/a')\">A</button>", set()),
    "disabled": ("<button disabled onclick=\"go('/a')\">A</button>", set()),
    "tabs that take turns": (
        """<button onclick="here.innerHTML = one">One</button>
        <button onclick="here.innerHTML = two">Two</button><div id=here></div><script>
            const one = "<p onclick=\\"go('/1')\\">A</p>", two = "<p onclick=\\"go('/2')\\">B</p>";
            here.innerHTML = one;
        </script>""",
        {"/1", "/2"},
    ),
}


@pytest.mark.parametrize(("body", "expected"), _WAYS.values(), ids=_WAYS)
def test_each_way_to_a_route_is_found(
    browsing: Browsing, site: SiteServer, body: str, expected: set[str]
) -> None:
    found = browsing.explore(_serve(site, body))

    assert _paths(found, site) == expected
    assert found.ending is Ending.FINISHED
    # The page has not been left, neither in the browser nor for the server.
    assert {each.path for each in site.requests()} <= {"/", "/favicon.ico"}


_ACTIONS = {
    "fetch": "fetch('/x', { method: 'POST' })",
    "fetch of a request": "fetch(new Request('/x', { method: 'DELETE' }))",
    "XMLHttpRequest": "const r = new XMLHttpRequest(); r.open('PUT', '/x'); r.send()",
    "beacon": "navigator.sendBeacon('/x', 'y')",
    "form": "document.forms[0].submit()",
    "form with its event": "document.forms[0].requestSubmit()",
    "button of a form that a script clicks": "document.forms[0].querySelector('button').click()",
    "fetch in a frame": "frames[0].fetch('/x', { method: 'POST' })",
    "form in another window": "document.forms[0].target = '_blank'; document.forms[0].submit()",
}


@pytest.mark.parametrize("action", _ACTIONS.values(), ids=_ACTIONS)
@pytest.mark.parametrize("is_disguised", [True, False], ids=["disguised", "plain"])
def test_nothing_is_sent(
    browsing: Browsing, site: SiteServer, action: str, is_disguised: bool
) -> None:
    # A disguised handler is called by another, so that its source does not tell.
    handler = "act()" if is_disguised else action
    body = f"""<script>const act = () => {{ {action} }}</script>
        <button onclick="{handler}">Next</button>
        <form method=post action=/x><button>Go</button></form><iframe src="about:blank"></iframe>
        <p onclick="go('/a')">A</p>"""

    found = browsing.explore(_serve(site, body))

    assert _unsafe(site) == []
    assert _paths(found, site) == {"/a"}
    assert found.blocked_requests == 1 if is_disguised else found.refused


def test_a_page_may_send_again_when_the_exploration_is_over(
    browsing: Browsing, site: SiteServer
) -> None:
    browsing.explore(
        _serve(site, ""), afterwards=lambda page: page.evaluate("fetch('/x', { method: 'POST' })")
    )

    assert _unsafe(site) == ["POST /x"]


def test_an_application_without_popstate_is_loaded_anew(
    browsing: Browsing, site: SiteServer
) -> None:
    # A click replaces the buttons for good, and only the address tells that it is another page.
    body = """<div id=here><button onclick="move('/1')">One</button>
        <button onclick="move('/2')">Two</button></div><script>
        const move = (path) => { here.textContent = path; history.pushState({}, "", path); };
    </script>"""
    url = _serve(site, body)

    assert _paths(browsing.explore(url), site) == {"/1"}
    assert _paths(browsing.explore(url, with_reload=True), site) == {"/1", "/2"}


def test_a_router_that_moves_all_the_same_is_put_back(browsing: Browsing, site: SiteServer) -> None:
    # Its paths are relative to where it believes to be.
    body = """<p id=here></p><button onclick="move('1/')">One</button>
        <button onclick="move('2/')">Two</button><script>
        let at = "/";
        const draw = (path) => { at = here.textContent = path; };
        const move = (step) => {
          const path = at + step;
          try { history.pushState({}, "", path); } catch {}
          draw(path);
        };
        addEventListener("popstate", () => draw(location.pathname));
    </script>"""

    assert _paths(browsing.explore(_serve(site, body)), site) == {"/1/", "/2/"}


def test_rows_of_a_list_are_sampled(browsing: Browsing, site: SiteServer) -> None:
    rows = "".join(f"<li onclick=\"go('/items/{row}')\">Item {row}</li>" for row in range(40))
    body = f"<ul>{rows}</ul><button onclick=\"go('/about')\">About</button>"

    found = browsing.explore(_serve(site, body), ExplorationLimits(max_alike=5))

    assert _paths(found, site) == {"/about", *(f"/items/{row}" for row in range(5))}
    assert found.truncated == ("max_alike",)


def test_at_most_so_many_clicks_are_made(browsing: Browsing, site: SiteServer) -> None:
    body = "".join(f"<button onclick=\"go('/{name}')\">{name}</button>" for name in "abcdef")

    found = browsing.explore(_serve(site, body), ExplorationLimits(max_clicks=4))

    assert (found.clicks, len(found.routes)) == (4, 4)
    assert (found.ending, found.truncated) == (Ending.MAX_CLICKS, ("max_clicks",))


def test_a_route_carries_its_element(browsing: Browsing, site: SiteServer) -> None:
    body = "<nav id=menu><ul><li>x<li class='item wide' onclick=\"go('/a')\">Our  staff</ul></nav>"

    [route] = browsing.explore(_serve(site, body)).routes

    assert (route.url, route.kind, route.label) == (site.at("/a"), RouteKind.CLICK, "Our staff")
    assert route.path == "nav#menu > ul > li.item:nth-of-type(2)"


def test_what_is_left_alone_is_told(browsing: Browsing, site: SiteServer) -> None:
    body = "<button onclick=\"go('/a')\">Delete account</button>"

    [refused] = browsing.explore(_serve(site, body)).refused

    assert (refused.label, refused.refusal.rule) == ("Delete account", "delete")


def test_all_parts_of_a_page_are_read(browsing: Browsing, site: SiteServer) -> None:
    body = """<x-open></x-open><x-closed></x-closed><iframe srcdoc="<a href=/frame>F</a>"></iframe>
        <button onclick="here.innerHTML = '<a href=/menu>M</a>'">Menu</button><div id=here></div>
        <script>
        for (const mode of ["open", "closed"]) {
          const root = document.querySelector("x-" + mode).attachShadow({ mode });
          root.innerHTML = `<a href=/${mode}>S</a>`;
        }
        </script>"""

    fragments = browsing.explore(_serve(site, body)).fragments

    assert [(each.where, each.label) for each in fragments] == [
        ("document", ""),
        ("shadow", ""),
        ("shadow", ""),
        ("frame", ""),
        ("revealed", "Menu"),
    ]
    assert {each.base for each in fragments} == {site.at("/")}
    for part, fragment in zip(
        ("<h1>start</h1>", "/open", "/closed", "/frame", "/menu"), fragments, strict=True
    ):
        assert part in fragment.html


@pytest.mark.parametrize("is_box", [True, False], ids=["box", "page"])
def test_a_list_is_loaded_to_its_end(browsing: Browsing, site: SiteServer, is_box: bool) -> None:
    style = "#list { height: 200px; overflow: auto }" if is_box else ""
    body = f"""<style>{style} p {{ height: 300px }}</style><div id=list></div><script>
        let count = 0;
        const box = {"list" if is_box else "document.scrollingElement"};
        const more = () => {{
          if (count < 12) for (const end = count + 3; count < end; count++) {{
            list.insertAdjacentHTML("beforeend", `<p><a href="/${{count}}">x</a></p>`);
          }}
        }};
        more();
        {"list" if is_box else "window"}.addEventListener("scroll", () => {{
          if (box.scrollTop + box.clientHeight >= box.scrollHeight - 50) setTimeout(more, 50);
        }});
    </script>"""
    url = _serve(site, body)

    whole = browsing.explore(url)
    cut = browsing.explore(url, ExplorationLimits(max_scrolls=2))

    assert (_links(whole), whole.truncated) == (12, ())
    assert (_links(cut), cut.truncated) == (9, ("max_scrolls",))


_ROWS = """<style>p { height: 9rem }</style><div id=list></div><i id=end>more</i><script>
  let part = 0;
  const load = async ([entry]) => {
    if (!entry.isIntersecting) return;
    watcher.disconnect();
    const rows = await (await fetch(`/rows/${part++}`)).json();
    for (const row of rows) {
      list.insertAdjacentHTML("beforeend", `<p onclick="REACTION; go('/${row}')">${row}</p>`);
    }
    if (rows.length) watcher.observe(end);
  };
  const watcher = new IntersectionObserver(load);
  const restart = () => { list.replaceChildren(); part = 0; watcher.observe(end); };
  restart();
</script>"""


@pytest.mark.parametrize("reaction", ["", "restart()"], ids=["stays", "begins anew"])
def test_a_list_whose_rows_come_late_is_loaded_to_its_end(
    browsing: Browsing, site: SiteServer, reaction: str
) -> None:
    """Rows come later than a page takes to settle, as they do with a Crawl-delay."""
    url = _serve(site, _ROWS.replace("REACTION", reaction))
    parts = [["a", "b", "c", "d", "e"], ["f", "g"], []]
    for number, rows in enumerate(parts):
        site.routes[f"/rows/{number}"] = Reply(
            json.dumps(rows), content_type="application/json", delay_seconds=0.4
        )
    limits = ExplorationLimits(settle_seconds=0.1, max_scrolls=5)

    found = browsing.explore(url, limits)

    assert _paths(found, site) == {f"/{name}" for name in "abcdefg"}
    assert found.truncated == ()


def _links(found: Exploration) -> int:
    return len(re.findall(r'href="/\d+"', found.fragments[0].html))
