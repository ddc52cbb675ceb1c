"""Renders pages in one browser for the whole scan, or reports that no browser is available."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.exceptions import NotConfigured

from sitecrawl.config import Config
from sitecrawl.downloader import is_stopping
from sitecrawl.items import DocumentKind, FetchOutcome
from sitecrawl.render.browser import why_no_browser
from sitecrawl.render.requests import RequestKind, is_data_wanted, is_tracker
from sitecrawl.render.trials import RenderMode
from sitecrawl.scan import scan_of
from sitecrawl.scan.documents import document_request, failed_document_of
from sitecrawl.scan.errors import ScanStoppedError
from sitecrawl.stages.waterfall import links_are_read

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from typing import Self

    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from sitecrawl.render.page import Renderer, Rendering
    from sitecrawl.render.requests import PageRequest
    from sitecrawl.scan.counters import ScanCounters
    from sitecrawl.spiders.site import SiteSpider

logger = logging.getLogger(__name__)

_STOP_CHECK_SECONDS = 0.25
# A page that is being rendered waits for its requests; pages of the crawl can wait.
_PRIORITY = 100

# The limit of a rendering that was hit -> the setting behind it, and words for a person.
_LIMITS = {
    "max_clicks": ("render_max_clicks", "elements of a rendered page that were not clicked"),
    "max_scrolls": ("render_max_scrolls", "the rest of a long list on a rendered page"),
    "seconds": ("render_seconds", "what was left when the time for a rendered page was up"),
    "max_requests": ("render_max_requests", "further requests of a rendered page"),
    "wait_seconds": ("render_wait_seconds", "requests of a rendered page that came too late"),
}
_EXPLORATION_LIMITS = frozenset({"max_clicks", "max_scrolls"})


class BrowserRendering:
    """Renders fetched pages in one browser, through scrapy-playwright's download handler.

    The browser has no network: what a page asks for is downloaded by the engine, under the same
    rules as every request (robots.txt, pace, budget, addresses, limits, ledger). Without a browser
    one warning is logged, and pages count as they were sent.

    Settings: ``SITECRAWL_RENDER``, ``SITECRAWL_BROWSER``, ``SITECRAWL_RENDER_*``,
    ``SITECRAWL_PAGE_TIMEOUT_SECONDS``, ``SITECRAWL_MAX_PAGE_BYTES``.
    Meta: ``sitecrawl_document`` with the kind ``resource`` for requests of pages.
    Stats, of visited pages: ``sitecrawl/render/pages``, ``/failed``, ``/missed`` (no browser),
    ``/interrupted`` (hung or closed while it was explored);
    of the requests of pages: ``/requests`` (answered), ``/not_fetched/<outcome>`` (``left_out``: by
    the settings), ``/stopped_changes`` (they would have changed something); ``/milliseconds``,
    ``/unavailable`` (why there is no browser), ``/limits`` (those that were hit).
    """

    def __init__(self, crawler: Crawler):
        self._crawler = crawler
        self._config = config = Config.from_settings(crawler.settings)
        is_scan = hasattr(crawler.spider, "scan_arguments")
        if not is_scan or config.render == RenderMode.NEVER or not links_are_read(config):
            raise NotConfigured
        self._skip_rules = config.skip_rules()
        self.has_browser = False
        self._requests_stopped = 0
        self._renderer: Renderer | None = None
        crawler.signals.connect(self.spider_opened, signals.spider_opened)
        crawler.signals.connect(self.spider_closed, signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def spider_opened(self) -> None:
        self._spider().context.rendering.renderer = self
        if why := why_no_browser(self._config.browser):
            self._counters().rendering["unavailable"] = why
            logger.warning("Pages are read as they were sent, without rendering: %s", why)
        self.has_browser = not why

    async def spider_closed(self) -> None:
        if self._renderer is not None:
            await self._renderer.close()

    async def render(self, document: Response, url: str, *, may_click: bool) -> Rendering | None:
        """Show a document; None: there is no browser.

        Raises ScanStoppedError when the scan ends, or the lease of a host: then the page may not
        have got all it asked for, or another one that shares a resource with it.
        """
        if not self.has_browser:
            self._count("missed", int(may_click))
            return None
        renderer, stopped_before = self._running_renderer(), self._requests_stopped
        rendering = await self._unless_stopped(renderer.render(document, url, may_click=may_click))
        if self._requests_stopped > stopped_before:
            raise ScanStoppedError("a request of the page could not be sent")
        is_shown = rendering.exploration is not None
        if may_click:
            self._count("pages" if is_shown else "failed")
        self._count("requests", rendering.requests)
        self._count("stopped_changes", rendering.stopped_changes)
        self._count("milliseconds", round(rendering.seconds * 1000))
        if rendering.interruption and may_click:
            self._count("interrupted")
            logger.info("%s was explored in part: %s", url, rendering.interruption)
        # A page without clicks is not scrolled either.
        chosen = frozenset() if may_click else _EXPLORATION_LIMITS
        for name in sorted((_LIMITS.keys() - chosen) & rendering.limits_hit):
            field, words = _LIMITS[name]
            limit = getattr(self._config, field)
            self._counters().hit(words, f"SITECRAWL_{field.upper()}", limit)
        return rendering

    async def _unless_stopped(self, rendering: Coroutine[Any, Any, Rendering]) -> Rendering:
        """Scrapy waits for callbacks that are under way, and a rendering may take minutes."""
        under_way = asyncio.ensure_future(rendering)
        while not (await asyncio.wait({under_way}, timeout=_STOP_CHECK_SECONDS))[0]:
            if is_stopping(self._crawler):
                under_way.cancel()
                raise ScanStoppedError("the scan was stopped")
        return under_way.result()

    def _count(self, name: str, number: int = 1) -> None:
        rendering = self._counters().rendering
        rendering[name] = rendering.get(name, 0) + number

    def _counters(self) -> ScanCounters:
        return scan_of(self._crawler).counters

    def _running_renderer(self) -> Renderer:
        if self._renderer is None:
            # Playwright is slow to import, and most scans do not need it.
            from sitecrawl.render.explorer import ExplorationLimits
            from sitecrawl.render.handler import SealedPlaywrightHandler
            from sitecrawl.render.network import NetworkLimits
            from sitecrawl.render.page import Renderer, RenderLimits

            config = self._config
            limits = RenderLimits(
                user_agent=self._crawler.settings["USER_AGENT"],
                tabs=config.render_tabs,
                load_seconds=config.page_timeout_seconds,
                exploration=ExplorationLimits(
                    max_clicks=config.render_max_clicks,
                    max_scrolls=config.render_max_scrolls,
                    seconds=config.render_seconds,
                ),
                network=NetworkLimits(
                    max_requests=config.render_max_requests,
                    wait_seconds=config.render_wait_seconds,
                ),
            )
            handler = SealedPlaywrightHandler.from_crawler(self._crawler)
            self._renderer = Renderer(handler, self._fetch, limits)
        return self._renderer

    async def _fetch(self, wanted: PageRequest) -> Response | None:
        """Download what a page asks for, by the rules that hold for every request."""
        if not self._may_be_fetched(wanted):
            self._count("not_fetched/left_out")
            return None
        config = self._config
        request = document_request(
            wanted.url,
            DocumentKind.RESOURCE,
            "a rendered page",
            callback=None,
            errback=None,
            timeout_seconds=config.page_timeout_seconds,
            max_bytes=config.max_page_bytes,
            deadline=wanted.deadline,
            parent=wanted.page_url,
        ).replace(method=wanted.method, headers=wanted.headers, priority=_PRIORITY)
        # A frame that leads elsewhere is not followed out of the scope.
        request.meta["dont_redirect"] = wanted.kind is RequestKind.FRAME
        try:
            return await self._spider().context.download(request)
        except Exception as error:  # noqa: BLE001  any failure is an answer to the page
            failed = failed_document_of(error, request)
            self._requests_stopped += failed.outcome is FetchOutcome.STOPPED
            self._count(f"not_fetched/{failed.outcome}")
            logger.debug("%s of %s: %s", wanted.url, wanted.page_url, failed.error)
            return None

    def _may_be_fetched(self, wanted: PageRequest) -> bool:
        if wanted.kind is RequestKind.FRAME:
            is_refused = self._skip_rules.refusal(wanted.url)
            return self._spider().context.scope.contains(wanted.url) and not is_refused
        if wanted.kind is RequestKind.DATA:
            return is_data_wanted(self._config.render_data, wanted)
        return not is_tracker(wanted)

    def _spider(self) -> SiteSpider:
        spider: SiteSpider = self._crawler.spider  # type: ignore[assignment]
        return spider
