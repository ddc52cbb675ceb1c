"""Writes items into the database, off the event loop."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from sitecrawl.items import INTERNAL_ITEMS, VisitedPage, mention_batches
from sitecrawl.pipelines import InventoryPipeline
from sitecrawl.pipelines.records import ItemRecorder

if TYPE_CHECKING:
    from sitecrawl.scan import Scan

logger = logging.getLogger(__name__)

# Visited pages that come within this time are written in one transaction, which takes half as
# long. Of a killed crawl at most twice so many are fetched again, besides those under way.
_GATHER_SECONDS = 0.1
_MAX_PAGES_TOGETHER = 16


class StorePipeline(InventoryPipeline):
    """Write documents, pages, mentions, visits and evidence.

    A visited page is stored with all that it named, visits included, in one transaction: whatever
    point the process is killed at, the page is stored completely or visited again.

    Settings: ``SITECRAWL_KEEP_BODIES``, ``SITECRAWL_KEEP_BODIES_MAX_BYTES``,
    ``SITECRAWL_KEEP_TEXTS``, ``SITECRAWL_KEEP_TEXTS_MAX_PAGES``.
    """

    def __init__(self, scan: Scan):
        super().__init__(scan)
        self._recorder: ItemRecorder | None = None
        self._damaged: set[str] = set()
        self._pages: list[VisitedPage] = []
        self._writing: asyncio.Task[None] | None = None
        self._are_due = asyncio.Event()
        if scan.database is not None:
            scan.database.flush = self.written

    async def process_item(self, item: Any) -> Any:
        if isinstance(item, VisitedPage):
            await self._gather(item)
        elif isinstance(item, INTERNAL_ITEMS):
            await self.written()
            await self._run(self._take, item)
        return item

    def item_lost(self, item: Any) -> None:
        """The documents have not been stored completely, and the next scan reads them again."""
        self._damaged.update(batch.document for batch in mention_batches(item))

    async def conclude(self) -> None:
        await self.written()

    async def written(self) -> None:
        """Wait until no visited page is left to write."""
        self._are_due.set()
        if self._writing is not None:
            await self._writing

    async def _gather(self, page: VisitedPage) -> None:
        """Take a page; waits only when too many have come together."""
        self._pages.append(page)
        if self._writing is None or self._writing.done():
            self._are_due.clear()
            self._writing = asyncio.ensure_future(self._write_pages())
        if len(self._pages) >= _MAX_PAGES_TOGETHER:
            await self.written()

    async def _write_pages(self) -> None:
        while self._pages:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._are_due.wait(), _GATHER_SECONDS)
            pages, self._pages = self._pages, []
            try:
                await self._run(self._take_pages, pages)
            except Exception:
                logger.exception("%s visited pages could not be stored", len(pages))
                self.scan.counters.items_lost += len(pages)

    async def _run(self, function: Any, what: Any) -> None:
        assert self.scan.database is not None
        await self.scan.database.run(function, what)

    # --- on the store's thread ---------------------------------------------------------------

    def _take(self, item: Any) -> None:
        self._open_recorder().take(item)

    def _take_pages(self, pages: list[VisitedPage]) -> None:
        self._open_recorder().take_pages(pages)

    def _open_recorder(self) -> ItemRecorder:
        if self._recorder is None:
            assert self.scan.database is not None
            writer = self.scan.database.writer
            self._recorder = ItemRecorder(self.scan, writer, self._damaged)
        return self._recorder
