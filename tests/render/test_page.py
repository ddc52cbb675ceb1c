"""Pages in a real browser: shown, not fetched, kept from sending, rendered again after a crash."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

import pytest

from sitecrawl.render.network import NetworkLimits
from sitecrawl.render.page import RenderLimits
from sitecrawl.render.requests import RequestKind
from tests.render.browser import document, fetch_all, fetch_nothing, needs_browser, rendering
from tests.site import Reply, SiteServer

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from scrapy.http import Response

    from sitecrawl.render.page import Renderer, Rendering
    from sitecrawl.render.requests import PageRequest

pytestmark = needs_browser

JSON = "application/json"
SCRIPT = "text/javascript"
_SECONDS = 5.0


def run(work: Callable[[Renderer], Awaitable[Any]], **options: Any) -> Any:
    async def with_renderer() -> Any:
        async with rendering(**options) as renderer:
            return await work(renderer)

    return asyncio.run(with_renderer())


def shown(site: SiteServer, body: str, path: str = "/page", **options: Any) -> Rendering:
    headers = options.pop("headers", {})

    async def show(renderer: Renderer) -> Rendering:
        url = site.at(path)
        return await renderer.render(document(url.partition("#")[0], body, **headers), url)

    result: Rendering = run(show, **options)
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
    assert result.requests == 1


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
    assert asked(site) == []
    assert result.stopped_changes >= 5


def test_pictures_fonts_and_media_are_not_loaded(site: SiteServer) -> None:
    shown(
        site,
        """<img src=/a.png><video src=/b.mp4 autoplay></video><link rel=icon href=/c.ico>
        <style>@font-face {font-family: x; src: url(/d.woff)} p {font-family: x}</style><p>text</p>
        <div style="background: url(/e.png); height: 9px"></div><link rel=prefetch href=/f>
        <script>new EventSource("/g")</script>""",
    )
    assert asked(site) == []


def test_scripts_are_loaded_once_for_all_pages(site: SiteServer) -> None:
    site.routes["/app.js"] = Reply(b"document.title = 'by script'", content_type=SCRIPT)
    body = "<title>none</title><script src=/app.js></script>"

    async def show_three(renderer: Renderer) -> list[str]:
        pages = [document(site.at(path), body) for path in ("/a", "/b", "/c")]
        done = await asyncio.gather(*(renderer.render(page, page.url) for page in pages))
        return list(map(html_of, done))

    assert all("by script" in html for html in run(show_three, tabs=2))
    assert asked(site) == [("GET", "/app.js")]


def test_a_page_has_its_own_cookies_and_storage(site: SiteServer) -> None:
    site.routes["/data"] = Reply(b"{}", content_type=JSON)
    body = """<p></p><script>
    document.querySelector("p").textContent = `[${localStorage.seen}|${document.cookie}]`;
    localStorage.seen = "yes"; document.cookie = "seen=yes";
    fetch("/data");
    </script>"""

    async def show_two(renderer: Renderer) -> list[str]:
        pages = [document(site.at(path), body, Set_Cookie="a=1") for path in ("/a", "/b")]
        return [html_of(await renderer.render(page, page.url)) for page in pages]

    assert ["[undefined|a=1]" in html for html in run(show_two)] == [True, True]
    assert [each.header("Cookie") for each in site.requests("/data")] == ["a=1; seen=yes"] * 2


def test_the_browser_does_not_describe_itself(site: SiteServer) -> None:
    site.routes["/data"] = Reply(b"{}", content_type=JSON)
    wanted: list[PageRequest] = []

    async def fetch(request: PageRequest) -> Response | None:
        wanted.append(request)
        return await fetch_all(request)

    shown(site, "<script>fetch('/data', {headers: {'X-Key': '7'}})</script>", fetch=fetch)
    [request] = wanted
    assert (request.kind, request.method) == (RequestKind.DATA, "GET")
    assert request.headers == {"accept": "*/*", "referer": site.at("/page"), "x-key": "7"}


def test_a_page_cannot_leave(site: SiteServer) -> None:
    result = shown(site, "<p>still here</p><script>location.href = '/elsewhere'</script>")
    assert "still here" in html_of(result)
    assert asked(site) == []


@pytest.mark.parametrize(
    "script",
    [
        "location.replace('/elsewhere')",
        "history.pushState({}, '', '/elsewhere')",
        "fetch('/slow').then(() => location.replace('/elsewhere'))",
        "fetch('/slow').then(() => history.pushState({}, '', '/elsewhere'))",
    ],
)
def test_where_a_page_went_by_itself_is_told(site: SiteServer, script: str) -> None:
    site.routes["/slow"] = Reply(b"{}", content_type=JSON, delay_seconds=0.3)
    result = shown(site, f"<script>{script}</script>")
    assert result.exploration is not None
    routes = {route.url for route in result.exploration.routes}
    assert site.at("/elsewhere") in routes | set(result.stopped_navigations)


def test_frames_are_fetched_as_such(site: SiteServer) -> None:
    wanted: list[tuple[str, RequestKind]] = []

    async def fetch(request: PageRequest) -> Response | None:
        wanted.append((request.url, request.kind))
        is_good = request.url.endswith("/good")
        return document(request.url, "<a href=/inside>In</a>") if is_good else None

    result = shown(site, "<iframe src=/good></iframe><iframe src=/bad></iframe>", fetch=fetch)
    urls = [site.at("/bad"), site.at("/good")]
    assert sorted(wanted) == [(url, RequestKind.FRAME) for url in urls]
    assert result.exploration is not None
    frames = [each for each in result.exploration.fragments if each.where == "frame"]
    assert [each.base for each in frames if "/inside" in each.html] == [site.at("/good")]


def test_a_redirect_never_reaches_the_browser(site: SiteServer) -> None:
    """Chromium would follow it without asking the routes again."""

    async def fetch(request: PageRequest) -> Response | None:
        return document(request.url, "", Location="/target").replace(status=302)

    result = shown(site, "<script src=/a.js></script><iframe src=/b></iframe>", fetch=fetch)
    assert result.exploration is not None
    assert asked(site) == []


def test_a_route_behind_a_hash_is_shown(site: SiteServer) -> None:
    result = shown(
        site, "<p></p><script>p = location.hash; document.body.append(p)</script>", "/#/x"
    )
    assert "#/x" in html_of(result)


def test_an_attachment_is_shown_all_the_same(site: SiteServer) -> None:
    headers = {"Content_Disposition": "attachment; filename=a.html"}
    assert "shown" in html_of(shown(site, "<p>shown</p>", headers=headers))


def test_slow_answers_are_waited_for_and_do_not_use_up_the_time_of_exploring(
    site: SiteServer,
) -> None:
    site.routes["/list"] = Reply(b'["/1", "/2"]', content_type=JSON, delay_seconds=2)
    site.routes["/app.js"] = Reply(
        b"""fetch("/list").then(r => r.json()).then(paths => paths.forEach(path => {
            const row = document.createElement("button"); row.textContent = path;
            row.onclick = () => history.pushState({}, "", path); document.body.append(row);
        }))""",
        content_type=SCRIPT,
        delay_seconds=2,
    )
    result = shown(site, "<script src=/app.js></script>", seconds=1.5)
    assert result.exploration is not None
    assert {route.url for route in result.exploration.routes} == {site.at("/1"), site.at("/2")}
    assert "seconds" not in result.limits_hit


def test_a_synchronous_request_is_not_taken_for_an_endless_script(site: SiteServer) -> None:
    async def fetch(request: PageRequest) -> Response | None:
        await asyncio.sleep(7)  # longer than the patience with a script
        return document(request.url, "late")

    body = """<script>setTimeout(() => { const request = new XMLHttpRequest();
        request.open("GET", "/data", false); request.send();
        document.body.append(request.responseText) }, 100)</script>"""
    assert "late" in html_of(shown(site, body, fetch=fetch))


class TestLimits:
    def test_the_start_of_the_browser_is_not_taken_off_the_time_of_a_page(
        self, site: SiteServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        limits = RenderLimits("test", network=NetworkLimits(wait_seconds=1))
        seconds = 1 + limits.load_seconds + _SECONDS
        monkeypatch.setattr("sitecrawl.render.page._GRACE_SECONDS", 0.1 - seconds)
        result = shown(site, "<p>text</p>", seconds=_SECONDS, network=limits.network)
        assert "text" in html_of(result)

    def test_a_page_without_its_scripts_has_failed(self, site: SiteServer) -> None:
        async def fetch(request: PageRequest) -> Response | None:
            await asyncio.sleep(request.deadline - time.monotonic() + 0.1)
            return None

        limits = NetworkLimits(wait_seconds=1)
        result = shown(site, "<script src=/app.js></script>", fetch=fetch, network=limits)
        assert result.exploration is None
        assert result.failure.endswith("within 1 s (SITECRAWL_RENDER_WAIT_SECONDS)")
        assert result.limits_hit == {"wait_seconds"}

    def test_a_page_without_some_data_is_shown(self, site: SiteServer) -> None:
        async def fetch(request: PageRequest) -> Response | None:
            await asyncio.sleep(request.deadline - time.monotonic() + 0.1)
            return None

        limits = NetworkLimits(wait_seconds=1)
        body = "<p>text</p><script>fetch('/data')</script>"
        result = shown(site, body, fetch=fetch, network=limits)
        assert "text" in html_of(result)
        assert "wait_seconds" in result.limits_hit

    @pytest.mark.parametrize(
        ("script", "is_shown"), [("<script src=/app.js></script>", False), ("<p>text</p>", True)]
    )
    def test_an_answer_that_never_comes_is_not_waited_for(
        self, site: SiteServer, script: str, is_shown: bool
    ) -> None:
        async def fetch(_request: PageRequest) -> Response | None:
            await asyncio.sleep(60)
            return None

        body = f"<script>fetch('/data').catch(() => 0)</script>{script}"
        started = time.monotonic()
        result = shown(site, body, fetch=fetch, network=NetworkLimits(wait_seconds=1))
        assert time.monotonic() - started < 30
        assert (result.exploration is not None) is is_shown
        assert "wait_seconds" in result.limits_hit

    def test_at_most_so_many_requests_are_sent(self, site: SiteServer) -> None:
        site.routes["/*"] = Reply(b"{}", content_type=JSON)
        body = "<script>for (let i = 0; i < 50; i++) fetch('/data/' + i).catch(() => 0)</script>"
        result = shown(site, body, network=NetworkLimits(max_requests=10))
        assert len(asked(site)) == result.requests == 10
        assert "max_requests" in result.limits_hit

    def test_what_a_closed_page_has_asked_for_is_not_sent(self, site: SiteServer) -> None:
        sent: list[str] = []

        async def fetch(request: PageRequest) -> Response | None:
            sent.append(request.url)
            await asyncio.sleep(1)
            return document(request.url, "{}")

        async def show(renderer: Renderer) -> None:
            body = """<p>text</p><script>
            for (let i = 0; i < 60; i++) fetch('/data?' + i).catch(() => 0)</script>"""
            page = document(site.at("/page"), body)
            assert "text" in html_of(await renderer.render(page, page.url))
            at_the_end = len(sent)
            await asyncio.sleep(1)
            assert len(sent) == at_the_end

        run(show, fetch=fetch)
        assert 20 <= len(sent) < 60

    def test_a_page_that_polls_does_not_keep_the_browser(self, site: SiteServer) -> None:
        site.routes["/poll"] = Reply(b"{}", content_type=JSON, delay_seconds=0.05)
        body = "<p>text</p><script>(function poll() { fetch('/poll').then(poll) })()</script>"
        started = time.monotonic()
        assert "text" in html_of(shown(site, body))
        assert time.monotonic() - started < 20


def test_a_page_that_hangs_is_given_up_and_the_next_one_is_shown(site: SiteServer) -> None:
    async def show_all(renderer: Renderer) -> list[Rendering]:
        bodies = (
            "<script>setTimeout(() => { for (;;) {} }, 50)</script>",
            "<a href=/a>A</a><button onclick='for (;;);'>More</button>",
            "<p>fine</p>",
        )
        pages = [document(site.at("/page"), body) for body in bodies]
        return [await renderer.render(page, page.url) for page in pages]

    stuck, stuck_later, fine = run(show_all, seconds=1, patience_seconds=1)
    assert stuck.exploration is None
    assert stuck.failure
    assert "href" in html_of(stuck_later)
    assert stuck_later.interruption == "a script of the page does not end"
    assert "fine" in html_of(fine)
    assert fine.interruption == ""


def test_a_page_whose_browser_died_is_shown_once_more(site: SiteServer) -> None:
    attempts: list[str] = []

    async def with_a_death(renderer: Renderer) -> Rendering:
        async def fetch(request: PageRequest) -> Response | None:
            attempts.append(request.url)
            if len(attempts) == 1:
                await renderer._handler.browser.close()
            return None

        renderer._fetch = fetch
        page = document(site.at("/page"), "<p>alive</p><iframe src=/f>")
        return await renderer.render(page, page.url)

    assert "alive" in html_of(run(with_a_death))
    assert len(attempts) == 2


def test_a_tab_that_crashes_does_not_end_the_scan(site: SiteServer) -> None:
    async def crash_first(renderer: Renderer) -> list[Rendering]:
        body = "<script>const a = []; for (;;) a.push(new Array(1e6).fill(a.length))</script>"
        pages = [document(site.at("/page"), each) for each in (body, "<p>fine</p>")]
        return [await renderer.render(page, page.url) for page in pages]

    crashed, fine = run(crash_first, seconds=1)
    assert crashed.exploration is None
    assert "fine" in html_of(fine)


def test_several_pages_are_shown_at_once_and_leave_nothing_open(site: SiteServer) -> None:
    async def show_many(renderer: Renderer) -> list[str]:
        pages = [document(site.at(f"/{name}"), f"<p>page {name}</p>") for name in "abcde"]
        done = await asyncio.gather(*(renderer.render(page, page.url) for page in pages))
        assert renderer._handler.browser.contexts == []
        assert renderer._handler.context_wrappers == {}
        return list(map(html_of, done))

    texts = run(show_many, tabs=2, fetch=fetch_nothing)
    assert [f"page {name}" in html for name, html in zip("abcde", texts, strict=True)] == [True] * 5
