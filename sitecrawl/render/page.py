"""Renders a fetched page in the browser and explores it."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import TimeoutError as PlaywrightTimeoutError
from scrapy import Request
from scrapy_playwright.page import PageMethod

from sitecrawl.render.explorer import ExplorationLimits, explore
from sitecrawl.render.handler import START_SECONDS
from sitecrawl.render.network import NetworkLimits, PageNetwork, ResourceCache
from sitecrawl.render.page_script import INIT_SCRIPT
from sitecrawl.render.router_tables import reachable

if TYPE_CHECKING:
    from playwright.async_api import Page
    from scrapy.http import Response

    from sitecrawl.render.explorer import Exploration
    from sitecrawl.render.handler import SealedPlaywrightHandler
    from sitecrawl.render.network import Fetch

logger = logging.getLogger(__name__)

# A page whose tab or browser has crashed is rendered once more.
_ATTEMPTS = 2
# Exploring keeps its own time; this is for a page that keeps the browser from answering.
_GRACE_SECONDS = 5
# Clearing and closing take milliseconds, unless the page is in an endless loop.
_CLOSE_SECONDS = 5
_WINDOW = {"width": 1366, "height": 900}
_LOAD_CHECK_SECONDS = 1
# Data that leads to further data, before the page is read.
_MAX_DATA_ROUNDS = 5
_DATA_PAUSE_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class RenderLimits:
    """How pages are rendered."""

    user_agent: str
    tabs: int = 2
    load_seconds: float = 10.0
    """For loading, once the page has all answers that it waits for."""
    exploration: ExplorationLimits = field(default_factory=ExplorationLimits)
    network: NetworkLimits = field(default_factory=NetworkLimits)


@dataclass(frozen=True, slots=True)
class Rendering:
    """The result for one page, whether it went well or not."""

    exploration: Exploration | None
    failure: str = ""
    seconds: float = 0.0
    requests: int = 0
    """That were answered for the page, itself not included."""
    stopped_changes: int = 0
    """Requests that would have changed something; none of them was sent."""
    stopped_navigations: tuple[str, ...] = ()
    """Where the page wanted to go without a click."""
    limits_hit: frozenset[str] = frozenset()
    interruption: str = ""
    """Why the exploration ended before its time; what was found by then is there."""


class TabLostError(Exception):
    """The tab or the whole browser has crashed or was closed."""


class PageGivenUpError(Exception):
    """A page that no longer answers; the handler need not ask it for its content."""


class Renderer:
    """Renders pages, each in a browser context of its own; never raises for what a page does."""

    def __init__(
        self, handler: SealedPlaywrightHandler, fetch: Fetch, limits: RenderLimits
    ) -> None:
        self._handler = handler
        self._fetch = fetch
        self._limits = limits
        self._cache = ResourceCache()
        self._tabs = asyncio.Semaphore(limits.tabs)
        self._names = itertools.count(1)

    async def render(self, document: Response, url: str, *, may_click: bool = True) -> Rendering:
        """Show the *document* at *url*; read it when it has settled, then explore it."""
        started = time.monotonic()
        failure = ""
        for _ in range(_ATTEMPTS):
            try:
                async with self._tabs:
                    started = time.monotonic()
                    rendering = await self._show(document, url, may_click=may_click)
                    return replace(rendering, seconds=time.monotonic() - started)
            except TabLostError as error:
                failure = f"the browser lost the page ({error})"
            except TimeoutError:
                failure = "the page keeps the browser from answering"
                break
            except PlaywrightError as error:
                failure = error.message.partition("\n")[0]
                break
        return Rendering(None, failure, time.monotonic() - started)

    async def close(self) -> None:
        # The second ends the driver when the first hangs with the browser.
        for close in (self._handler.close, self._handler.browser_provider.close):
            try:
                async with asyncio.timeout(_CLOSE_SECONDS):
                    await close()
                break
            except (PlaywrightError, TimeoutError) as error:
                logger.debug("The browser could not be closed: %s", error)

    async def _show(self, document: Response, url: str, *, may_click: bool) -> Rendering:
        limits = self._limits
        if not may_click:
            exploration_limits = replace(limits.exploration, max_clicks=0, max_scrolls=0)
            limits = replace(limits, exploration=exploration_limits)
        network = PageNetwork(document, self._fetch, self._cache, limits.network)
        tab = _Tab(url, network, limits)
        # The first page also waits for the browser to start, and for longer on a busy machine.
        seconds = float(START_SECONDS + _GRACE_SECONDS)
        seconds += limits.network.wait_seconds + limits.load_seconds + limits.exploration.seconds
        try:
            async with asyncio.timeout(seconds):
                await self._handler.download_request(self._request(tab))
        except PageGivenUpError:
            pass
        except PlaywrightError as error:
            if tab.is_lost:
                raise TabLostError(error.message.partition("\n")[0]) from error
            if tab.exploration is None:
                raise
        finally:
            network.close()
            await _close(tab)
        return _rendering(tab, network)

    def _request(self, tab: _Tab) -> Request:
        meta: dict[str, Any] = {
            "playwright": True,
            "playwright_include_page": True,
            "playwright_context": f"sitecrawl-{next(self._names)}",
            "playwright_context_kwargs": {
                "user_agent": self._limits.user_agent,
                "viewport": _WINDOW,
                "service_workers": "block",
                "accept_downloads": False,
            },
            "playwright_page_init_callback": tab.prepare,
            "playwright_page_event_handlers": {"crash": tab.crashed},
            # The page method waits for the rest: here a page that loads too slowly would be lost.
            "playwright_page_goto_kwargs": {
                "wait_until": "commit",
                "timeout": self._limits.load_seconds * 1000,
            },
            "playwright_page_methods": [PageMethod(tab.explore)],
        }
        return Request(tab.url, meta=meta, dont_filter=True)


class _Tab:
    """One page in the browser: what scrapy-playwright calls back for it."""

    def __init__(self, url: str, network: PageNetwork, limits: RenderLimits) -> None:
        self.url = url
        self.page: Page | None = None
        self.exploration: Exploration | None = None
        self.failure = ""
        self.loaded_to: tuple[str, ...] = ()
        self._network = network
        self._limits = limits
        self._has_crashed = False

    @property
    def is_lost(self) -> bool:
        return self._has_crashed or self.page is None or self.page.is_closed()

    def crashed(self, _page: Page) -> None:
        self._has_crashed = True

    async def prepare(self, page: Page, _request: Request) -> None:
        self.page = page
        await page.context.add_init_script(INIT_SCRIPT)
        await self._network.install(page)
        self._network.show_document()

    async def explore(self, page: Page) -> None:
        async def reload() -> None:
            self._network.show_document()
            milliseconds = self._limits.load_seconds * 1000
            await page.goto(self.url, wait_until="commit", timeout=milliseconds)
            await self._load(page)

        await self._load(page)
        self._note_navigations(page)
        if self._network.lacks_resources:
            self._network.limits_hit.add("wait_seconds")
            self.failure = (
                f"its scripts were not fetched within {self._limits.network.wait_seconds:g} s"
                " (SITECRAWL_RENDER_WAIT_SECONDS)"
            )
            raise PageGivenUpError
        limits = self._limits.exploration
        self.exploration = await explore(page, limits, self._network, reload=reload)
        # Some pages leave late. Clicks navigate nowhere: their targets are noted inside the page.
        self._note_navigations(page)
        if not self.exploration.is_page_usable:
            raise PageGivenUpError
        # The handler reads the content afterwards, however large it is: of an empty page.
        await page.goto("about:blank", timeout=_CLOSE_SECONDS * 1000)

    def _note_navigations(self, page: Page) -> None:
        self.loaded_to = tuple(self._network.stopped_navigations)
        if arrived := reachable(page.url, self.url):
            self.loaded_to += (arrived,)

    async def _load(self, page: Page) -> None:
        expires = time.monotonic() + self._limits.load_seconds
        while True:
            try:
                await page.wait_for_load_state("load", timeout=_LOAD_CHECK_SECONDS * 1000)
                break
            except PlaywrightTimeoutError:
                # What has come by then is shown. A page that wanted to leave never gets its event.
                network = self._network
                is_over = network.has_stopped_navigation or network.lacks_resources
                if not network.is_busy and (is_over or time.monotonic() > expires):
                    break
        for _ in range(_MAX_DATA_ROUNDS):
            if not self._network.is_busy:
                break
            await self._network.settled()
            await asyncio.sleep(_DATA_PAUSE_SECONDS)
        self._network.mark()


async def _close(tab: _Tab) -> None:
    page = tab.page
    if page is None:
        return
    try:
        async with asyncio.timeout(_CLOSE_SECONDS):
            await page.context.close()
    except (PlaywrightError, TimeoutError):
        # The page does not let itself be closed; its process would run for ever.
        browser = page.context.browser
        if browser is not None and browser.is_connected():
            logger.info("The browser is restarted: a page could not be closed")
            with contextlib.suppress(PlaywrightError, TimeoutError):
                async with asyncio.timeout(_CLOSE_SECONDS):
                    await browser.close()


def _rendering(tab: _Tab, network: PageNetwork) -> Rendering:
    exploration, failure, interruption = tab.exploration, tab.failure, ""
    limits_hit = frozenset(network.limits_hit)
    if exploration is not None:
        limits_hit |= set(exploration.truncated)
        if not exploration.fragments:
            failure = f"the page could not be read ({exploration.ending})"
            exploration = None
        elif not exploration.is_page_usable:
            interruption = exploration.trouble
    return Rendering(
        exploration,
        failure,
        requests=network.answered_requests,
        stopped_changes=network.stopped_changes,
        stopped_navigations=tab.loaded_to,
        limits_hit=limits_hit,
        interruption=interruption,
    )
