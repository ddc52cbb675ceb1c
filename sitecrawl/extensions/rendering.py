"""The browser of a scan: found at the start, started for the first page, ended with the scan."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.exceptions import NotConfigured

from sitecrawl.config import Config
from sitecrawl.downloader.stopping import ScanStoppedError, is_stopping
from sitecrawl.items import DocumentKind
from sitecrawl.render.browser import find_browser, is_playwright_installed
from sitecrawl.render.trials import RenderMode
from sitecrawl.stages.fetching import document_request
from sitecrawl.stages.rendering import site_answer
from sitecrawl.stages.waterfall import links_are_read

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from typing import Self

    from scrapy.crawler import Crawler

    from sitecrawl.render.browser import Browser
    from sitecrawl.render.renderer import Renderer, Rendering
    from sitecrawl.render.siteanswers import SiteAnswer
    from sitecrawl.render.tabs import TabPool
    from sitecrawl.spiders.staged import StagedSpider

logger = logging.getLogger(__name__)

_LOOK_SECONDS = 0.25

# What an exploration says it left out -> the setting behind it, and words for a person.
_LIMITS = {
    "max_clicks": ("render_max_clicks", "elements of a rendered page that were not clicked"),
    "max_scrolls": ("render_max_scrolls", "the rest of a long list on a rendered page"),
    "seconds": ("render_seconds", "what was left when the time for a rendered page was up"),
}
NO_PLAYWRIGHT = "the playwright package is not installed: pip install 'sitecrawl[render]'"
NO_BROWSER = "there is no browser: sitecrawl doctor --install-browser"


class BrowserRendering:
    """Renders pages that were fetched, in one browser for the whole scan.

    Without a browser that is said once, and pages count as they were sent.

    Settings: ``SITECRAWL_RENDER``, ``SITECRAWL_BROWSER``, ``SITECRAWL_RENDER_*``.
    Stats, of visited pages: ``sitecrawl/render/pages``, ``/failed``, ``/missed`` (for want of a
    browser); ``/requests`` (of pages), ``/stopped_changes`` (that would have sent something),
    ``/refused_addresses``, ``/milliseconds``, ``/unavailable`` (why there is no browser),
    ``/limits`` (those that were hit).
    """

    def __init__(self, crawler: Crawler):
        self._crawler = crawler
        self._config = config = Config.from_settings(crawler.settings)
        if config.render == RenderMode.NEVER or not links_are_read(config):
            raise NotConfigured
        self._browser: Browser | None = None
        self._tabs: TabPool | None = None
        self._renderer: Renderer | None = None
        self._limits_hit: set[str] = set()
        crawler.signals.connect(self.spider_opened, signals.spider_opened)
        crawler.signals.connect(self.spider_closed, signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def spider_opened(self) -> None:
        self._spider().context.rendering.renderer = self
        self._browser = find_browser(self._config.browser)
        if not is_playwright_installed():
            self._do_without(NO_PLAYWRIGHT)
        elif self._browser is None:
            self._do_without(NO_BROWSER)

    async def spider_closed(self) -> None:
        if self._tabs is not None:
            refused = sum(self._tabs.proxy.refusals.values())
            self._crawler.stats.inc_value("sitecrawl/render/refused_addresses", refused)
            self._crawler.stats.set_value("sitecrawl/render/limits", self._hit_limits())
            await self._tabs.close()

    async def render(self, document: SiteAnswer, *, may_click: bool) -> Rendering | None:
        """Show a document; None: there is no browser. Raises ScanStoppedError at the scan's end."""
        stats = self._crawler.stats
        if self._browser is None:
            stats.inc_value("sitecrawl/render/missed", int(may_click))
            return None
        renderer = self._running_renderer(self._browser)
        rendering = await self._unless_stopped(renderer.render(document, may_click=may_click))
        is_shown = rendering.exploration is not None
        if may_click:
            stats.inc_value("sitecrawl/render/pages" if is_shown else "sitecrawl/render/failed")
        stats.inc_value("sitecrawl/render/requests", rendering.requests)
        stats.inc_value("sitecrawl/render/stopped_changes", rendering.stopped_changes)
        if rendering.exploration is not None:
            self._limits_hit.update(_LIMITS.keys() & set(rendering.exploration.truncated))
        stats.inc_value("sitecrawl/render/milliseconds", round(rendering.seconds * 1000))
        return rendering

    async def _unless_stopped(self, rendering: Coroutine[Any, Any, Rendering]) -> Rendering:
        """Scrapy waits for what is under way, and a page may take its time."""
        under_way = asyncio.ensure_future(rendering)
        while not (await asyncio.wait({under_way}, timeout=_LOOK_SECONDS))[0]:
            if is_stopping(self._crawler):
                under_way.cancel()
                raise ScanStoppedError("the scan was stopped")
        return under_way.result()

    def _hit_limits(self) -> list[dict[str, Any]]:
        hit = (_LIMITS[name] for name in sorted(self._limits_hit))
        return [
            {
                "what": words,
                "setting": f"SITECRAWL_{field.upper()}",
                "limit": getattr(self._config, field),
            }
            for field, words in hit
        ]

    def _do_without(self, why: str) -> None:
        self._browser = None
        self._crawler.stats.set_value("sitecrawl/render/unavailable", why)
        logger.warning("Pages are read as they were sent, without rendering: %s", why)

    def _running_renderer(self, browser: Browser) -> Renderer:
        if self._renderer is None:
            # Playwright takes a while to import, and most scans do without.
            from sitecrawl.render.explorer import ExplorationLimits
            from sitecrawl.render.renderer import Renderer
            from sitecrawl.render.tabs import TabOptions, TabPool

            config = self._config
            options = TabOptions(
                user_agent=self._crawler.settings["USER_AGENT"],
                tabs=config.render_tabs,
                tab_memory_mb=config.render_tab_memory_mb,
                verify_certificates=config.verify_certificates,
            )
            policy = self._spider().address_policy
            self._tabs = TabPool(browser, options, policy, self._fetch_frame)
            limits = ExplorationLimits(
                max_clicks=config.render_max_clicks,
                max_scrolls=config.render_max_scrolls,
                seconds=config.render_seconds,
            )
            self._renderer = Renderer(self._tabs, limits, config.page_timeout_seconds)
        return self._renderer

    async def _fetch_frame(self, url: str) -> SiteAnswer | None:
        """The document of a frame, if the scan would fetch it as a page: by the same rules."""
        context, config = self._spider().context, self._config
        if not context.scope.contains(url) or config.skip_rules().refusal(url):
            return None
        request = document_request(
            url,
            DocumentKind.PAGE,
            "a frame of a rendered page",
            callback=None,
            errback=None,
            timeout_seconds=config.page_timeout_seconds,
            max_bytes=config.max_page_bytes,
        )
        request.meta["dont_redirect"] = True
        try:
            response = await context.download(request)
        except Exception as error:  # noqa: BLE001  whatever hinders a download, the frame stays empty
            logger.debug("The frame %s was not loaded: %s", url, error)
            return None
        return site_answer(response, response.url)

    def _spider(self) -> StagedSpider:
        spider: StagedSpider = self._crawler.spider  # type: ignore[assignment]
        return spider
