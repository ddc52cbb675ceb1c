"""Gathers visited pages for a moment, so that they are written together."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from sitecrawl.items import Visit, VisitedPage

logger = logging.getLogger(__name__)

# Pages that come within this time are written together, which takes half as long. Of a killed
# crawl at most twice so many are fetched again, besides those under way: some are being written,
# and the next ones have come together.
_GATHER_SECONDS = 0.1
_MAX_PAGES_TOGETHER = 16


class PageQueue:
    """Writes pages behind the crawl's back, in their order.

    *write* stores some pages in one transaction; *lose* is told how many could not be stored
    because of a fault.
    """

    def __init__(
        self,
        write: Callable[[list[VisitedPage]], Awaitable[None]],
        lose: Callable[[int], None],
    ):
        self._write = write
        self._lose = lose
        self._pages: list[VisitedPage] = []
        self._writing: asyncio.Task[None] | None = None
        self._are_due = asyncio.Event()
        self._accepted: dict[int, asyncio.Event] = {}

    async def put(self, page: VisitedPage) -> None:
        """Take a page; waits only when too many have come together."""
        self._pages.append(page)
        if self._writing is None or self._writing.done():
            self._are_due.clear()
            self._writing = asyncio.ensure_future(self._write_all())
        if len(self._pages) >= _MAX_PAGES_TOGETHER:
            await self.written()
        self.accept(page)

    async def written(self) -> None:
        """Wait until nothing is left to write."""
        self._are_due.set()
        if self._writing is not None:
            await self._writing

    def accept(self, page: VisitedPage) -> None:
        """The page is through the pipelines, whatever came of it."""
        self._accepted.setdefault(page.visit.number, asyncio.Event()).set()

    async def accepted(self, visit: Visit) -> None:
        """Wait until the page is through the pipelines."""
        await self._accepted.setdefault(visit.number, asyncio.Event()).wait()
        del self._accepted[visit.number]

    async def _write_all(self) -> None:
        while self._pages:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._are_due.wait(), _GATHER_SECONDS)
            pages, self._pages = self._pages, []
            try:
                await self._write(pages)
            except Exception:
                logger.exception("%s visited pages could not be stored", len(pages))
                self._lose(len(pages))
