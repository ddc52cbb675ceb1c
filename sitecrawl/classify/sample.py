"""A sample of a stream of rows that depends on what they are, not on their order.

Up to the limit it is all of them. Beyond, it is those whose hash is small enough: so the same rows
give the same sample, however often and in whatever order they come, and one per cent more rows
change about one per cent of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

import xxhash

if TYPE_CHECKING:
    from collections.abc import Iterable

Row = TypeVar("Row", bound="tuple[Any, ...]")

_ALL = 1 << 64


class RowSample(Generic[Row]):
    """Keeps between *limit* and twice as many rows, if there are so many.

    What a row begins with identifies it.
    """

    def __init__(self, limit: int):
        self._limit = limit
        self._rows: list[Row] = []
        self._below = _ALL

    @property
    def is_whole(self) -> bool:
        """Whether every row is in it."""
        return self._below == _ALL

    def add(self, rows: Iterable[Row]) -> None:
        """Offer rows."""
        self._rows += rows if self.is_whole else self._chosen(rows)
        # What is left out now would be left out at the end as well: so the order does not matter.
        while len(self._rows) > 2 * self._limit:
            self._below //= 2
            self._rows = self._chosen(self._rows)

    def rows(self) -> list[Row]:
        """In the order of their hashes."""
        return sorted(self._rows, key=lambda row: (_digest(row[0]), row[0]))

    def _chosen(self, rows: Iterable[Row]) -> list[Row]:
        return [row for row in rows if _digest(row[0]) < self._below]


def _digest(key: str) -> int:
    return xxhash.xxh3_64_intdigest(key.encode("utf-8", "replace"))
