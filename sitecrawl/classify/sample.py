"""A sample of a stream of pages that depends on what they are, not on their order.

Up to the limit it is all of them. Beyond, it is those whose hash is small enough: so the same pages
give the same sample, however often and in whatever order they come, and one per cent more pages
change about one per cent of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import xxhash

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sitecrawl.classify.pages import PageColumns

_ALL = 1 << 64


class PageSample:
    """Keeps between *limit* and twice as many pages, if there are so many."""

    def __init__(self, limit: int):
        self._limit = limit
        self._chunks: list[PageColumns] = []
        self._pages = 0
        self._below = _ALL

    def __len__(self) -> int:
        return self._pages

    @property
    def chunks(self) -> Sequence[PageColumns]:
        """The pages, as they came together."""
        return self._chunks

    @property
    def is_whole(self) -> bool:
        """Whether every page is in it."""
        return self._below == _ALL

    def add(self, columns: PageColumns) -> None:
        """Offer pages."""
        self._keep(columns if self.is_whole else self._chosen(columns))
        # What is left out now would be left out at the end as well: so the order does not matter.
        while self._pages > 2 * self._limit:
            self._below //= 2
            chunks, self._chunks, self._pages = self._chunks, [], 0
            for chunk in chunks:
                self._keep(self._chosen(chunk))

    def _keep(self, columns: PageColumns) -> None:
        if columns.urls:
            self._chunks.append(columns)
            self._pages += len(columns.urls)

    def _chosen(self, columns: PageColumns) -> PageColumns:
        return columns.only([_digest(url) < self._below for url in columns.urls])


def by_chance(url: str) -> tuple[int, str]:
    """What to sort pages by so that their order is by chance, but always the same."""
    return _digest(url), url


def _digest(url: str) -> int:
    return xxhash.xxh3_64_intdigest(url.encode("utf-8", "replace"))
