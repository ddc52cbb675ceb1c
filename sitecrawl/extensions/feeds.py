"""Feeds of pages: Scrapy's feed storage, written from the inventory when the scan has ended."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.extensions.feedexport import FeedExporter

from sitecrawl.config import Config
from sitecrawl.exporters.pages import PageExporter
from sitecrawl.scan.lifecycle import ScanLifecycle

if TYPE_CHECKING:
    from typing import Self

    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.extensions.feedexport import FeedSlot

    from sitecrawl.scan.scan import Scan

logger = logging.getLogger(__name__)


class PageFeeds(FeedExporter):
    """Write one row per page to every feed of ``FEEDS`` (``-o``, ``-O``).

    A page's sources, title or verdict may still change while a scan runs, so no row is written
    before its end: items are batches of mentions and never reach a feed themselves.

    Settings: ``SITECRAWL_FEED_REFUSED`` and Scrapy's ``FEED*``.
    Stats: ``sitecrawl/feeds/written``, ``sitecrawl/feeds/failed``.
    """

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        feeds = super().from_crawler(crawler)
        if hasattr(crawler.spider, "scan_arguments"):
            # Rows come from the inventory, not from items.
            crawler.signals.disconnect(feeds.item_scraped, signals.item_scraped)
        return feeds

    async def close_spider(self, spider: Spider) -> None:
        lifecycle = self.crawler.get_extension(ScanLifecycle)
        assert lifecycle is not None
        if lifecycle.scan.database is None:
            await super().close_spider(spider)
            return
        await lifecycle.is_finished.wait()
        scan = lifecycle.scan
        written = [slot for slot in self.slots if await self._is_written(slot, scan)]
        self.slots = written
        scan.counters.feeds_written = [slot.uri for slot in written]
        await super().close_spider(spider)

    async def _is_written(self, slot: FeedSlot, scan: Scan) -> bool:
        try:
            if scan.database and scan.database.has_begun:
                slot.itemcount = await asyncio.to_thread(self._write, slot, scan)
        except OSError as error:
            scan.counters.feeds_failed += 1
            reason = error.strerror or error
            logger.error("The feed %s cannot be written: %s", slot.uri, reason)  # noqa: TRY400  one line
            return False
        return True

    def _write(self, slot: FeedSlot, scan: Scan) -> int:
        from sitecrawl.store.engine import open_database
        from sitecrawl.store.inventory import PageFilter

        config = Config.from_settings(self.settings)
        slot.start_exporting()
        assert isinstance(slot.exporter, PageExporter)
        database = open_database(config.database_url, create=False)
        try:
            return slot.exporter.export_scan(
                database,
                scan.record.scan_id,
                config.key_rules(),
                PageFilter(include_refused=config.feed_refused),
            )
        finally:
            database.close()
