"""Pages in a real browser: shown, not fetched, kept from sending, replaced if they break it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from tests.render.browser import document, needs_browser, rendering
from tests.site import Reply, SiteServer

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from sitecrawl.render.renderer import Renderer, Rendering
    from sitecrawl.render.siteanswers import SiteAnswer
    from sitecrawl.render.tabs import TabPool

pytestmark = needs_browser

JSON = "application/json"
SCRIPT = "text/javascript"


def run(
    site: SiteServer, work: Callable[[Renderer, TabPool], Awaitable[Any]], **options: Any
) -> Any:
    async def with_renderer() -> Any:
        async with rendering(site.url, **options) as (renderer, pool):
            return await work(renderer, pool)

    return asyncio.run(with_renderer())


def shown(site: SiteServer, body: str, path: str = "/page", **options: Any) -> Rendering:
    async def show(renderer: Renderer, _pool: TabPool) -> Rendering:
        return await renderer.render(document(site.at(path), body))

    result: Rendering = run(site, show, **options)
    return result


def html_of(result: Rendering) -> str:
    assert result.exploration is not None, result.failure
    return result.exploration.fragments[0].html


def asked(site: SiteServer) -> list[tuple[str, str]]:
    return [(each.method, each.path) for each in site.requests()]


def test_the_page_is_shown_and_not_fetched_again(site: SiteServer) -> None:
    site.routes["/data"] = Reply(b'["/found"]', content_type=JSON)
    result = shown(
        site,
        """<main></main><script>
        fetch("/data").then(r => r.json()).then(([to]) => {
            document.querySelector("main").innerHTML = `<a href="${to}">Found</a>`;
        });
        </script>""",
    )
    assert '<a href="/found">Found</a>' in html_of(result)
    assert asked(site) == [("GET", "/data")]


def test_nothing_that_would_send_something_reaches_the_site(site: SiteServer) -> None:
    result = shown(
        site,
        """<form method=post action=/form><input name=a></form><script>
        fetch("/fetch", {method: "POST", body: "x"}).catch(() => 0);
        fetch("/delete", {method: "DELETE"}).catch(() => 0);
        navigator.sendBeacon("/beacon", "x");
        const request = new XMLHttpRequest(); request.open("PUT", "/xhr"); request.send("x");
        new Worker(URL.createObjectURL(new Blob(
            [`fetch("${location.origin}/worker", {method: "POST"})`])));
        document.forms[0].submit();
        </script>""",
    )
    assert result.exploration is not None
    assert [method for method, _ in asked(site) if method != "GET"] == []


def test_pictures_fonts_and_media_are_not_loaded(site: SiteServer) -> None:
    shown(
        site,
        """<img src=/a.png><video src=/b.mp4 autoplay></video><link rel=icon href=/c.ico>
        <style>@font-face {font-family: x; src: url(/d.woff)} p {font-family: x}</style><p>text</p>
        <div style="background: url(/e.png); height: 9px"></div>""",
    )
    assert asked(site) == []


def test_scripts_are_loaded_once_for_all_pages(site: SiteServer) -> None:
    site.routes["/app.js"] = Reply(b"document.title = 'by script'", content_type=SCRIPT)
    body = "<title>none</title><script src=/app.js></script>"

    async def show_two(renderer: Renderer, _pool: TabPool) -> list[str]:
        pages = [await renderer.render(document(site.at(path), body)) for path in ("/a", "/b")]
        return list(map(html_of, pages))

    assert all("by script" in html for html in run(site, show_two))
    assert asked(site) == [("GET", "/app.js")]


def test_a_tab_forgets_the_page_before(site: SiteServer) -> None:
    body = """<p></p><script>
    document.querySelector("p").textContent = `[${localStorage.seen}|${document.cookie}]`;
    localStorage.seen = "yes"; document.cookie = "seen=yes";
    </script>"""

    async def show_two(renderer: Renderer, _pool: TabPool) -> list[str]:
        pages = [await renderer.render(document(site.at(path), body)) for path in ("/a", "/b")]
        return list(map(html_of, pages))

    assert ["[undefined|]" in html for html in run(site, show_two)] == [True, True]


def test_a_page_cannot_leave(site: SiteServer) -> None:
    result = shown(site, "<p>still here</p><script>location.href = '/elsewhere'</script>")
    assert "still here" in html_of(result)
    assert asked(site) == []


def test_where_a_page_went_by_itself_is_told(site: SiteServer) -> None:
    result = shown(site, "<script>location.replace('/elsewhere')</script>")
    assert result.exploration is not None
    routes = {route.url for route in result.exploration.routes}
    assert site.at("/elsewhere") in routes | set(result.stopped_navigations)


def test_frames_are_what_the_scan_gives_for_them(site: SiteServer) -> None:
    wanted: list[str] = []

    async def fetch(url: str) -> SiteAnswer | None:
        wanted.append(url)
        return document(url, "<a href=/inside>In</a>") if url.endswith("/good") else None

    result = shown(
        site, "<iframe src=/good></iframe><iframe src=/bad></iframe>", fetch_document=fetch
    )
    assert sorted(wanted) == [site.at("/bad"), site.at("/good")]
    assert result.exploration is not None
    frames = [each for each in result.exploration.fragments if each.where == "frame"]
    assert [each.base for each in frames if "/inside" in each.html] == [site.at("/good")]
    assert asked(site) == []


def test_other_addresses_are_out_of_reach(
    site: SiteServer, make_site: Callable[..., SiteServer]
) -> None:
    other = make_site()
    shown(
        site,
        f"""<script src="{other.at("/a.js")}"></script><script>
        fetch("{other.at("/b")}", {{mode: "no-cors"}}).catch(() => 0);
        new WebSocket("{other.at("/c").replace("http", "ws")}");
        </script>""",
    )
    assert asked(other) == []


def test_a_page_that_hangs_is_given_up_and_the_next_one_is_shown(site: SiteServer) -> None:
    async def show_two(renderer: Renderer, _pool: TabPool) -> list[Rendering]:
        bodies = ("<script>for (;;) {}</script>", "<p>fine</p>")
        return [await renderer.render(document(site.at("/page"), body)) for body in bodies]

    stuck, fine = run(site, show_two, seconds=1)
    assert stuck.exploration is None or not stuck.exploration.is_page_usable
    assert "fine" in html_of(fine)


def test_a_page_whose_browser_died_is_shown_once_more(site: SiteServer) -> None:
    attempts: list[str] = []

    async def with_a_death(renderer: Renderer, pool: TabPool) -> Rendering:
        async def fetch(url: str) -> SiteAnswer | None:
            attempts.append(url)
            if len(attempts) == 1:
                assert pool._browser is not None
                await pool._browser.close()
            return None

        pool._fetch_document = fetch
        return await renderer.render(document(site.at("/page"), "<p>alive</p><iframe src=/f>"))

    assert "alive" in html_of(run(site, with_a_death))
    assert len(attempts) == 2


def test_several_pages_are_shown_at_once(site: SiteServer) -> None:
    async def show_many(renderer: Renderer, pool: TabPool) -> list[str]:
        pages = [document(site.at(f"/{name}"), f"<p>page {name}</p>") for name in "abcde"]
        done = await asyncio.gather(*map(renderer.render, pages))
        assert len(pool._free) == 2
        return list(map(html_of, done))

    texts = run(site, show_many, tabs=2)
    assert [f"page {name}" in html for name, html in zip("abcde", texts, strict=True)] == [True] * 5
