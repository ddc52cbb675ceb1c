"""The browser of this machine, for tests that need a real one."""

from __future__ import annotations

import asyncio
import contextlib
import urllib.error
import urllib.request
from typing import TYPE_CHECKING

import pytest
from scrapy import Spider
from scrapy.http import HtmlResponse, Response
from scrapy.utils.reactor import is_reactor_installed
from scrapy.utils.test import get_crawler
from twisted.internet import asyncioreactor

from sitecrawl import settings
from sitecrawl.render.browser import find_browser
from sitecrawl.render.explorer import ExplorationLimits
from sitecrawl.render.network import NetworkLimits
from sitecrawl.render.page import Renderer, RenderLimits

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from sitecrawl.render.handler import SealedPlaywrightHandler
    from sitecrawl.render.network import Fetch
    from sitecrawl.render.requests import PageRequest

BROWSER = find_browser()
_FETCH_SECONDS = 3
needs_browser = pytest.mark.skipif(BROWSER is None, reason="there is no browser")

# scrapy-playwright's handler asks for this reactor. It gets an event loop of its own that is never
# closed, because the loop of a test ends with the test.
if not is_reactor_installed():
    asyncioreactor.install(asyncio.new_event_loop())  # type: ignore[no-untyped-call]


async def fetch_nothing(_wanted: PageRequest) -> Response | None:
    return None


async def fetch_all(wanted: PageRequest) -> Response | None:
    """Sends what a page asks for as it is, without the rules of a scan."""
    request = urllib.request.Request(wanted.url, headers=wanted.headers, method=wanted.method)
    try:
        return await asyncio.to_thread(_sent, request)
    except OSError:
        return None


async def fetched_document(url: str) -> Response:
    return await asyncio.to_thread(_sent, urllib.request.Request(url.partition("#")[0]))


def _sent(request: urllib.request.Request) -> Response:
    try:
        with urllib.request.urlopen(request, timeout=_FETCH_SECONDS) as answer:
            return Response(request.full_url, answer.status, dict(answer.headers), answer.read())
    except urllib.error.HTTPError as error:
        with error:
            return Response(request.full_url, error.code, dict(error.headers), error.read())


def playwright_handler() -> SealedPlaywrightHandler:
    from sitecrawl.render.handler import SealedPlaywrightHandler

    values = {name: value for name, value in vars(settings).items() if name.isupper()}
    crawler = get_crawler(Spider, {**values, "ADDONS": {}})
    crawler.spider = Spider.from_crawler(crawler, "test")
    return SealedPlaywrightHandler(crawler)


@contextlib.asynccontextmanager
async def rendering(
    fetch: Fetch = fetch_all,
    *,
    tabs: int = 1,
    seconds: float = 5,
    patience_seconds: float = 5,
    network: NetworkLimits | None = None,
) -> AsyncIterator[Renderer]:
    limits = RenderLimits(
        "sitecrawl-test",
        tabs=tabs,
        exploration=ExplorationLimits(seconds=seconds, patience_seconds=patience_seconds),
        network=network or NetworkLimits(),
    )
    renderer = Renderer(playwright_handler(), fetch, limits)
    try:
        yield renderer
    finally:
        await renderer.close()


def document(url: str, body: str, **headers: str) -> Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return HtmlResponse(
        url, headers={"Content-Type": "text/html; charset=utf-8", **named}, body=body.encode()
    )
