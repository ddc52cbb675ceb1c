"""Feeds of pages: Scrapy's feed exports, written from the inventory when the scan has ended."""

from __future__ import annotations

import asyncio
import logging
from importlib.util import find_spec
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from scrapy import signals
from scrapy.exceptions import NotConfigured
from scrapy.extensions.feedexport import FeedExporter, FileFeedStorage, ItemFilter
from scrapy.utils.misc import load_object

from sitecrawl.config import Config
from sitecrawl.config.packages import FEED_PACKAGES
from sitecrawl.errors import SitecrawlError
from sitecrawl.exporters.output import PartialFile
from sitecrawl.exporters.pages import ScanExporter
from sitecrawl.scan import scan_of
from sitecrawl.scan.lifecycle import ScanLifecycle
from sitecrawl.store.vocabulary import ScanStatus

if TYPE_CHECKING:
    from typing import Self

    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.extensions.feedexport import FeedSlot

    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.page_filter import PageFilter
    from sitecrawl.store.queries.scans import Scan

logger = logging.getLogger(__name__)


class LocalFeedStorage(FileFeedStorage):
    """Scrapy's storage of local files, but a feed is whole or not there.

    It is written beside its target and renamed when it is complete. A feed that is appended to
    (``-o``, ``overwrite: False``) begins with a copy of the old one.
    """

    _partial: PartialFile | None = None

    def open(self, spider: Spider) -> IO[bytes]:
        path = Path(self.path)
        path.parent.mkdir(parents=True, exist_ok=True)
        self._partial = PartialFile(path, append=self.write_mode == "ab")
        return self._partial.file

    def store(self, file: IO[bytes]) -> None:
        assert self._partial is not None
        self._partial.complete()

    def discard(self) -> None:
        """Leave the feed as it was."""
        if self._partial is not None:
            self._partial.discard()


class PageFeeds(FeedExporter):
    """Write one row per page to every feed of ``FEEDS`` (``-o``, ``-O``).

    A page's sources, title or verdict may still change while a scan runs, so no row is written
    before its end. A scan that failed leaves the feeds as they were. Items of a spider without an
    inventory are exported as Scrapy exports them, by its own exporters.

    Feeds are made by the database, unless their options need an item for each page: item filters,
    batches, other exporters. Then a page is a dictionary.

    Settings: ``SITECRAWL_FEED_REFUSED``, ``SITECRAWL_DATABASE_URL`` and Scrapy's ``FEED*``.
    """

    def __init__(self, crawler: Crawler):
        super().__init__(crawler)
        if not hasattr(crawler.spider, "scan_arguments"):
            for format_, path in crawler.settings["FEED_EXPORTERS_BASE"].items():
                if issubclass(self.exporters.get(format_, object), ScanExporter):
                    self.exporters[format_] = load_object(path)
        for options in self.feeds.values():
            package, extra = FEED_PACKAGES.get(options["format"], ("", ""))
            if package and find_spec(package) is None:
                logger.error("%s feeds need: pip install 'sitecrawl[%s]'", package, extra)
                raise NotConfigured

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
        if (database := lifecycle.scan.database) is not None:
            await lifecycle.is_finished.wait()
            written: list[FeedSlot] = []
            assert lifecycle.summary is not None
            if lifecycle.summary.status is ScanStatus.FAILED:
                for slot in self.slots:
                    logger.warning("The scan failed; the feed %s is left as it was", slot.uri)
            elif database.record is not None:
                for slot in self.slots:
                    written += await self._write_slot(slot, database.record.scan_id, spider)
            self.slots = written
            lifecycle.scan.counters.feeds_written = [slot.uri for slot in written]
        await super().close_spider(spider)
        counters = lifecycle.scan.counters
        if counters.feeds_written and not counters.feeds_failed:
            await asyncio.to_thread(self._forget_pending, lifecycle.scan.record.scan_id)

    def _forget_pending(self, scan_id: int) -> None:
        """From here on nothing of the scan is left to do."""
        from sitecrawl.store.engine import open_database
        from sitecrawl.store.errors import StoreError
        from sitecrawl.store.writers.scans import forget_feeds

        config = Config.from_settings(self.settings)
        try:
            with (
                open_database(config.database_url, create=False) as database,
                database.writing() as connection,
            ):
                forget_feeds(connection, scan_id)
        except StoreError as error:
            logger.warning("Feeds are written, but the scan's record does not say so: %s", error)

    async def _write_slot(self, slot: FeedSlot, scan_id: int, spider: Spider) -> list[FeedSlot]:
        """Write one feed; return the slots that are still to be stored."""
        try:
            return await self._export(slot, scan_id, spider)
        except (OSError, SitecrawlError) as error:
            if isinstance(slot.storage, LocalFeedStorage):
                slot.storage.discard()
            scan_of(self.crawler).counters.feeds_failed += 1
            reason = (isinstance(error, OSError) and error.strerror) or error
            logger.error("The feed %s cannot be written: %s", slot.uri, reason)  # noqa: TRY400  one line
            return []

    async def _export(self, slot: FeedSlot, scan_id: int, spider: Spider) -> list[FeedSlot]:
        from sitecrawl.store.engine import open_database
        from sitecrawl.store.queries.feed import iter_page_rows
        from sitecrawl.store.queries.page_filter import PageFilter
        from sitecrawl.store.queries.scans import scan_by_id

        config = Config.from_settings(self.settings)
        wanted = PageFilter(include_refused=config.feed_refused)
        with open_database(config.database_url, create=False) as database:
            scan = scan_by_id(database, scan_id)
            assert scan is not None
            slot.start_exporting()
            if self._takes_all(slot):
                slot.itemcount = await asyncio.to_thread(_write, slot, database, scan, wanted)
                return [slot]
            # ``item_scraped`` knows filters and batches, and begins new slots.
            self.slots = [slot]
            for row in iter_page_rows(database, scan_id, wanted):
                [current] = self.slots
                self.item_scraped(row, spider)
                if self.slots != [current]:
                    await asyncio.sleep(0)  # lets a full batch be stored
            return self.slots

    def _takes_all(self, slot: FeedSlot) -> bool:
        """Whether every page goes into this one file, as the exporter writes it."""
        has_filter = type(slot.filter) is not ItemFilter or slot.filter.item_classes
        is_in_batches = self.feeds[slot.uri_template]["batch_item_count"]
        exporter: Any = slot.exporter
        is_direct = isinstance(exporter, ScanExporter) and exporter.can_export_scan
        return is_direct and not has_filter and not is_in_batches


def _write(slot: FeedSlot, database: Database, scan: Scan, wanted: PageFilter) -> int:
    assert isinstance(slot.exporter, ScanExporter)
    return slot.exporter.export_scan(database, scan, wanted)
