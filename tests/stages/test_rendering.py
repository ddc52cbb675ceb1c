"""Which visited pages are rendered, and what becomes of them, with a renderer that is told."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse

from sitecrawl.config import Config
from sitecrawl.config.profiles import load_settings
from sitecrawl.items import FetchOutcome, RenderOutcome, Visit
from sitecrawl.render.explorer import Ending, Exploration
from sitecrawl.render.page import Rendering
from sitecrawl.render.page_script import RenderedFragment
from sitecrawl.render.router_tables import Route, RouteKind
from sitecrawl.scan.errors import ScanStoppedError
from sitecrawl.stages.pages import PageReader
from sitecrawl.stages.rendering import PageRendering
from sitecrawl.urls.scope import Scope

if TYPE_CHECKING:
    from scrapy.http import Response

    from sitecrawl.stages.pages import ReadPage

URL = "https://example.com/app"
SHELL = '<title>Shell</title><div id="root"></div><script src=/static/js/main.js></script>'
DOUBTFUL = "<p>Few words, and <a href=/>a link</a> <script type=module>load()</script>"
ARTICLE = "<title>Article</title>" + "<p>Plenty of text, and a <a href=/next>link</a>.</p>" * 60
SCOPE = Scope.from_urls([URL.removesuffix("app")])


def rendering(html: str, *routes: Route) -> Rendering:
    fragments = (RenderedFragment(html, URL, "document"),)
    return Rendering(Exploration(routes, fragments, Ending.FINISHED, "", 0, (), 0, ()))


class Renderer:
    """Gives what it is told, and notes what it was asked for."""

    has_browser = True

    def __init__(self, result: Rendering | Exception | None) -> None:
        self.asked: list[tuple[str, bool]] = []
        self._result = result

    async def render(self, document: Response, url: str, *, may_click: bool) -> Rendering | None:
        self.asked.append((url, may_click))
        if isinstance(self._result, Exception):
            raise self._result
        return self._result


def rendering_by(renderer: Renderer, **settings: Any) -> PageRendering:
    pages = PageRendering(config_of(settings))
    pages.renderer = renderer
    return pages


def config_of(settings: dict[str, Any]) -> Config:
    values = load_settings("default")
    values.update(settings)
    return Config.from_settings(values)


def visited(body: str, renderer: Renderer, url: str = URL, **settings: Any) -> ReadPage:
    read, response = read_from(body, url, **settings)
    asyncio.run(rendering_by(renderer, **settings).if_sure(read, response, SCOPE))
    return read


def read_from(body: str, url: str = URL, **settings: Any) -> tuple[ReadPage, Response]:
    meta = {"sitecrawl_document": {"kind": "page", "found_by": "test", "parent": None, "depth": 0}}
    headers = {"Content-Type": "text/html"}
    address = url.partition("#")[0]
    response = HtmlResponse(
        address, headers=headers, body=body.encode(), request=Request(address, meta=meta)
    )
    reader = PageReader(config_of(settings))
    return reader.read(response, reader.fetched(response), Visit(1, url, 0), SCOPE), response


@pytest.mark.parametrize(
    ("body", "mode", "is_rendered"),
    [
        (SHELL, "auto", True),
        (ARTICLE, "auto", False),
        (ARTICLE, "always", True),
        (SHELL, "never", False),
    ],
)
def test_what_is_rendered(body: str, mode: str, is_rendered: bool) -> None:
    renderer = Renderer(rendering("<p>text</p>"))
    read = visited(body, renderer, SITECRAWL_RENDER=mode)
    assert renderer.asked == ([(URL, True)] if is_rendered else [])
    assert read.page.rendered == (RenderOutcome.RENDERED if is_rendered else None)


def test_the_pages_before_a_doubtful_one_decide_and_not_those_read_before() -> None:
    pages = rendering_by(renderer := Renderer(rendering("<a href=/new>new</a>")))
    tried, _ = read_from(DOUBTFUL)
    tried.page.rendered = RenderOutcome.RENDERED
    pages.conclude(tried.page)  # it has brought nothing
    doubtful, response = read_from(DOUBTFUL, URL + "2")
    assert asyncio.run(pages.if_sure(doubtful, response, SCOPE))
    between, shown = read_from(SHELL, URL + "1")
    asyncio.run(pages.if_sure(between, shown, SCOPE))
    for batch in between.page.batches:
        batch.listed = len(batch.locs)
    pages.conclude(between.page)
    asyncio.run(pages.at_turn(doubtful, response, SCOPE))
    assert [url for url, _ in renderer.asked] == [URL + "1", URL + "2"]


def test_a_route_behind_a_hash_is_shown() -> None:
    renderer = Renderer(rendering("<p>text</p>"))
    visited(SHELL, renderer, URL + "#/orders")
    assert renderer.asked == [(URL + "#/orders", True)]


def test_links_and_routes_of_the_rendering_are_added_once() -> None:
    routes = (
        Route("https://example.com/orders", RouteKind.CLICK, "Orders", "button"),
        Route("https://example.com/user/:id", RouteKind.ROUTER_TABLE, is_pattern=True),
        Route("https://example.com/linked", RouteKind.CLICK),
    )
    html = "<title>Shown</title><a href=/linked>Linked</a>"
    page = visited(SHELL, Renderer(rendering(html, *routes))).page
    added = [batch for batch in page.batches if batch.is_rendered]
    rows = [(loc, batch.source_of(row)) for batch in added for row, loc in enumerate(batch.locs)]
    assert rows == [
        ("/linked", "rendered-link"),
        ("https://example.com/orders", "spa-click"),
        ("https://example.com/user/:id", "spa-router-table"),
    ]
    assert [refusal.reason for refusal in added[1].refused.values()] == ["route_pattern"]
    assert page.facts.title == "Shown"
    assert page.read is not None
    assert page.read.entries == len(rows)


def test_a_page_counts_as_sent_without_a_browser_and_after_a_failure() -> None:
    for result, outcome in (
        (None, RenderOutcome.NO_BROWSER),
        (Rendering(None, "it hangs"), RenderOutcome.FAILED),
    ):
        page = visited(SHELL, Renderer(result)).page
        assert page.rendered is outcome
        assert page.facts.title == "Shell"
        assert page.document.outcome is FetchOutcome.OK


def test_a_page_of_a_stopped_scan_is_visited_again() -> None:
    page = visited(SHELL, Renderer(ScanStoppedError("the scan was stopped"))).page
    assert page.document.outcome is FetchOutcome.STOPPED
    assert page.read is None
    assert page.batches == []
