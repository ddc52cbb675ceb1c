"""The summary at the end of a run, for the person who started it."""

from __future__ import annotations

import io
import logging
import shlex
import sys
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.exceptions import NotConfigured

from sitecrawl.config import COMMAND_LINE_PRIORITY, Config
from sitecrawl.console.summary import print_summary
from sitecrawl.scan.lifecycle import ScanLifecycle
from sitecrawl.store.vocabulary import ScanStatus

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)


class PrintSummary:
    """Print the summary to stderr once everything, feeds included, is written.

    Settings: ``SITECRAWL_PROGRESS`` (``off`` also turns this off), ``SITECRAWL_LOG_FORMAT``
    (``json``: the summary is a record of the log), ``SITECRAWL_DATABASE_URL``.
    """

    def __init__(self, crawler: Crawler):
        self._crawler = crawler
        self._config = Config.from_settings(crawler.settings)
        if self._config.progress == "off" or not hasattr(crawler.spider, "scan_arguments"):
            raise NotConfigured
        crawler.signals.connect(self.print_report, signals.engine_stopped)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def print_report(self) -> None:
        # SQLAlchemy would hold up the first request.
        from sitecrawl.store.engine import without_password

        lifecycle = self._crawler.get_extension(ScanLifecycle)
        assert lifecycle is not None
        database = lifecycle.scan.database
        if lifecycle.summary is None or database is None:
            return
        if database.failure and not database.has_begun:
            return  # the log has the reason, and there is nothing to summarize
        shown = io.StringIO() if self._config.log_format == "json" else sys.stderr
        print_summary(
            lifecycle.summary,
            database=without_password(self._config.database_url),
            database_option=self._database_option(),
            feeds=lifecycle.scan.counters.feeds_written,
            can_resume=bool(database.failure) or lifecycle.summary.status == ScanStatus.PARTIAL,
            file=shown,
        )
        if isinstance(shown, io.StringIO):
            logger.info("%s", shown.getvalue().strip())

    def _database_option(self) -> str:
        """What the next command needs to find the same database, if nothing else tells it."""
        from sitecrawl.store.engine import without_password

        url = self._config.database_url
        given = self._crawler.settings.getpriority("SITECRAWL_DATABASE_URL") or 0
        is_known_elsewhere = given < COMMAND_LINE_PRIORITY
        if is_known_elsewhere:
            return ""
        if without_password(url) != url:
            return "  # with SITECRAWL_DATABASE_URL set to this database"
        return f" --database {shlex.quote(url)}"
