"""The limit on URLs taken from sitemaps."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sitecrawl.sitemaps.entries import EntryBatch


class UrlCap:
    """Counts distinct locs up to a limit; without one (0) it counts nothing and costs nothing."""

    def __init__(self, limit: int):
        self.limit = limit
        self._seen: set[str] = set()

    @property
    def is_reached(self) -> bool:
        return 0 < self.limit <= len(self._seen)

    def takes(self, loc: str) -> bool:
        """Whether this one is still within the limit; a repeated one always is."""
        if self.limit and loc not in self._seen:
            if self.is_reached:
                return False
            self._seen.add(loc)
        return True

    def head(self, pages: EntryBatch) -> EntryBatch:
        """The entries before the first one that is over the limit."""
        if not self.limit:
            return pages
        over = next((row for row, loc in enumerate(pages.locs) if not self.takes(loc)), None)
        return pages if over is None else pages.head(over)
