"""Progress while a scan runs: a live line on a terminal, log lines elsewhere."""

from __future__ import annotations

import logging
import sys
import time
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import create_looping_call

from sitecrawl.config import Config
from sitecrawl.console.progress import ProgressFigures
from sitecrawl.scan import scan_of

if TYPE_CHECKING:
    from typing import Self

    from rich.live import Live
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

_LIVE_INTERVAL_SECONDS = 0.25


class Progress:
    """Show stage, pages found, visited and waiting, rate, elapsed time and time left.

    Settings: ``SITECRAWL_PROGRESS`` (``auto``: live on a terminal, unless ``SITECRAWL_LOG_FORMAT``
    is ``json``), ``SITECRAWL_PROGRESS_INTERVAL_SECONDS`` (between two log lines),
    ``SITECRAWL_MAX_CRAWL_PAGES``.
    """

    def __init__(self, crawler: Crawler):
        config = Config.from_settings(crawler.settings)
        if config.progress == "off" or not hasattr(crawler.spider, "scan_arguments"):
            raise NotConfigured
        self._crawler = crawler
        self._is_live = config.progress == "live" or (
            config.progress == "auto" and config.log_format == "text" and sys.stderr.isatty()
        )
        self._interval = (
            _LIVE_INTERVAL_SECONDS if self._is_live else config.progress_interval_seconds
        )
        self._started = self._stage_began = time.monotonic()
        self._stage, self._done_before = "", 0
        self._live: Live | None = None
        self._loop = create_looping_call(self._show)
        crawler.signals.connect(self.spider_opened, signals.spider_opened)
        crawler.signals.connect(self.spider_closed, signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def spider_opened(self) -> None:
        if self._is_live:
            from sitecrawl.console.styled import start_live

            self._live = start_live()
        if self._interval:
            self._loop.start(self._interval, now=False)

    def spider_closed(self) -> None:
        if self._loop.running:
            self._loop.stop()
        if self._live:
            self._live.stop()

    def _show(self) -> None:
        figures = self._figures()
        if self._live:
            from sitecrawl.console.styled import progress_line

            self._live.update(progress_line(figures), refresh=True)
        else:
            logger.info("%s: %s, %s", figures.stage, ", ".join(figures.counts()), figures.time())

    def _figures(self) -> ProgressFigures:
        now = time.monotonic()
        scan = scan_of(self._crawler)
        counters = scan.counters
        if counters.stage != self._stage:
            self._stage, self._stage_began, self._done_before = counters.stage, now, self._done()
        seconds = now - self._stage_began
        return ProgressFigures(
            stage=counters.stage,
            found=counters.pages_listed + counters.pages_unchanged,
            visited=counters.visited,
            waiting=self._waiting() if counters.is_crawling else None,
            rate=(self._done() - self._done_before) / seconds if seconds else 0.0,
            seconds=now - self._started,
            stage_seconds=seconds,
        )

    def _done(self) -> int:
        """What the rate is of: visits in the crawl, URLs before."""
        counters = scan_of(self._crawler).counters
        return counters.visited if counters.is_crawling else counters.pages_listed

    def _waiting(self) -> int:
        """Pages whose visit is due and that the limit allows."""
        scan = scan_of(self._crawler)
        due, limit = scan.counters.visits_due, scan.config.max_crawl_pages
        return max(min(due, limit or due) - scan.counters.visited, 0)
