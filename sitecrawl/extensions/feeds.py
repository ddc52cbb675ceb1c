"""Feeds of pages: Scrapy's feed storage, written from the inventory when the scan has ended."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.extensions.feedexport import FeedExporter

from sitecrawl.config import Config
from sitecrawl.exporters.pages import PageExporter
from sitecrawl.pipelines.store import StorePipeline

if TYPE_CHECKING:
    from typing import Self

    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.extensions.feedexport import FeedSlot

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
        # Items are not rows.
        crawler.signals.disconnect(feeds.item_scraped, signals.item_scraped)
        return feeds

    async def close_spider(self, spider: Spider) -> None:
        store = self.crawler.get_item_pipeline(StorePipeline)
        assert store is not None
        await store.is_finished.wait()
        written = [slot for slot in self.slots if await self._is_written(slot, store)]
        self.slots = written
        self.crawler.stats.set_value("sitecrawl/feeds/written", [slot.uri for slot in written])
        await super().close_spider(spider)

    async def _is_written(self, slot: FeedSlot, store: StorePipeline) -> bool:
        try:
            if store.has_scan:
                slot.itemcount = await asyncio.to_thread(self._write, slot, store)
        except OSError as error:
            self.crawler.stats.inc_value("sitecrawl/feeds/failed")
            reason = error.strerror or error
            logger.error("The feed %s cannot be written: %s", slot.uri, reason)  # noqa: TRY400  one line
            return False
        return True

    def _write(self, slot: FeedSlot, store: StorePipeline) -> int:
        from sitecrawl.store.engine import open_database
        from sitecrawl.store.queries.pages import PageFilter

        config = Config.from_settings(self.settings)
        slot.start_exporting()
        assert isinstance(slot.exporter, PageExporter)
        database = open_database(config.database_url, create=False)
        try:
            return slot.exporter.export_scan(
                database,
                store.scan.scan_id,
                config.key_rules(),
                PageFilter(include_refused=config.feed_refused),
            )
        finally:
            database.close()
