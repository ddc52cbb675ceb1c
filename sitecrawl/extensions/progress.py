"""Progress while a scan runs: a live line on a terminal, log lines elsewhere."""

from __future__ import annotations

import logging
import sys
import time
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import create_looping_call

from sitecrawl.config import Config
from sitecrawl.scan.scan import scan_of

if TYPE_CHECKING:
    from typing import Self

    from rich.live import Live
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

_LIVE_INTERVAL_SECONDS = 0.25


class Progress:
    """Show stage, documents, URLs, rate and elapsed time.

    Settings: ``SITECRAWL_PROGRESS`` (``auto``: live on a terminal), and
    ``SITECRAWL_PROGRESS_INTERVAL_SECONDS`` between two log lines.
    """

    def __init__(self, crawler: Crawler):
        config = Config.from_settings(crawler.settings)
        if config.progress == "off" or not hasattr(crawler.spider, "scan_arguments"):
            raise NotConfigured
        self._crawler = crawler
        self._is_live = config.progress == "live" or (
            config.progress == "auto" and sys.stderr.isatty()
        )
        self._interval = (
            _LIVE_INTERVAL_SECONDS if self._is_live else config.progress_interval_seconds
        )
        self._started = time.monotonic()
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
        if self._live:
            from sitecrawl.console.styled import progress_line

            self._live.update(progress_line(**self._figures()), refresh=True)
        else:
            logger.info(
                "%(stage)s: %(documents)d documents, %(urls)d URLs, %(rate)d per second,"
                " %(seconds)d s",
                self._figures(),
            )

    def _figures(self) -> dict[str, Any]:
        seconds = time.monotonic() - self._started
        counters = scan_of(self._crawler).counters
        urls = counters.mentions
        return {
            "stage": counters.stage,
            "documents": counters.documents.total(),
            "urls": urls,
            "rate": round(urls / seconds) if seconds else 0,
            "seconds": round(seconds),
        }
