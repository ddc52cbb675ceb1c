"""The pages that a stage is to visit, in their order."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from scrapy import Request

    from sitecrawl.items import Visit

# Handed out and not concluded: their answers, read but not the bodies, wait in memory for the
# slowest of them. They are fetched again when a killed scan is resumed.
_MAX_UNDER_WAY = 48
# Read from the table at once, and when fewer are left than that.
_LOADED_AT_ONCE = 64
_REFILL_BELOW = 8


class Frontier:
    """Hands visits out in the order of their numbers; the table of visits holds them.

    The store pipeline writes new visits in the same transaction as the page that named them. So
    whatever point a process is killed at, the table says where to go on, and memory holds no more
    than the next few.
    """

    def __init__(self) -> None:
        self._window: deque[Visit] = deque()
        self._under_way = 0
        self._last_loaded = 0
        self._started = 0
        self._max_pages = 0
        self._refilling: asyncio.Task[None] | None = None
        self._is_open = False
        self._is_awaited = False
        self._load: Callable[[int, int], Awaitable[list[Visit]]]
        self._make_request: Callable[[Visit], Request]
        self._crawl: Callable[[Request], None]
        self.is_limit_reached = False

    def open(
        self,
        load: Callable[[int, int], Awaitable[list[Visit]]],
        make_request: Callable[[Visit], Request],
        crawl: Callable[[Request], None],
        *,
        visited: int,
        max_pages: int,
    ) -> None:
        """Begin to hand out; *load* reads the next visits behind a number from the table.

        *crawl* puts a request into the engine, *visited* pages count against *max_pages* already.
        """
        self._load, self._make_request, self._crawl = load, make_request, crawl
        self._started, self._max_pages = visited, max_pages
        self._is_open = True

    @property
    def is_open(self) -> bool:
        return self._is_open

    @property
    def has_begun(self) -> bool:
        """Whether the crawl has begun, also if nothing more is handed out."""
        return self._started > 0

    @property
    def started(self) -> int:
        """How many pages have been handed out, those before an interruption included."""
        return self._started

    @property
    def has_pending(self) -> bool:
        """Whether the engine has to go on asking: what is under way keeps it busy anyway."""
        return self._is_open and bool(self._window) and not self._is_over

    def close(self) -> None:
        """Hand out nothing more."""
        self._is_open = False
        self._window.clear()

    def next_request(self) -> Request | None:
        """The next visit, if one is loaded and may be under way."""
        if not self._is_open or self._under_way >= _MAX_UNDER_WAY:
            return None
        is_low = len(self._window) < _REFILL_BELOW
        if is_low and self._under_way and self._refilling is None:
            self._refilling = asyncio.ensure_future(self._refill())
        return self._take()

    async def first_request(self) -> Request | None:
        """The next visit when nothing is under way; None: the crawl has ended."""
        self._is_awaited = True
        if self._refilling is not None:
            await self._refilling
        if not self._window:
            await self._extend()
        self._is_awaited = False
        return self._take() if self._is_open else None

    def may_take_fetched(self) -> bool:
        """Whether the next page, which a fetcher reads, may be visited."""
        if 0 < self._max_pages <= self._started:
            self.is_limit_reached = True
            return False
        return self._is_open

    def take_fetched(self) -> None:
        """Count a page that a fetcher has read."""
        self._started += 1

    def conclude(self) -> None:
        """A visit that was handed out has ended."""
        self._under_way -= 1

    def _take(self) -> Request | None:
        if not self._window or self._is_over:
            return None
        self._started += 1
        self._under_way += 1
        return self._make_request(self._window.popleft())

    @property
    def _is_over(self) -> bool:
        if 0 < self._max_pages <= self._started and self._window:
            self.is_limit_reached = True
        return 0 < self._max_pages <= self._started

    async def _extend(self) -> None:
        visits = await self._load(self._last_loaded, _LOADED_AT_ONCE)
        if visits:
            self._last_loaded = visits[-1].number
            self._window.extend(visits)

    async def _refill(self) -> None:
        was_empty = not self._window
        try:
            await self._extend()
        finally:
            self._refilling = None
        # The engine may not ask again by itself: everything else may have ended meanwhile.
        is_wanted = was_empty and self._is_open and not self._is_awaited
        if is_wanted and (request := self._take()):
            self._crawl(request)
