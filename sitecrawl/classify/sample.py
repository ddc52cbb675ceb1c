"""A sample of a stream of rows that depends on what they are, not on their order.

Up to the limit it is all of them. Beyond, it is those whose hash is small enough: so the same rows
give the same sample, however often and in whatever order they come, and one per cent more rows
change about one per cent of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

import xxhash

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Row = TypeVar("Row", bound="tuple[object, ...]")

_ALL = 1 << 64


class RowSample(Generic[Row]):
    """Keeps between *limit* and twice as many rows, if there are so many."""

    def __init__(self, limit: int):
        self._limit = limit
        self._rows: list[tuple[str, Row]] = []
        self._below = _ALL

    @property
    def is_whole(self) -> bool:
        """Whether every row is in it."""
        return self._below == _ALL

    def add(self, keys: Sequence[str], row: Callable[[int], Row]) -> None:
        """Offer rows by what identifies them; *row* makes the one of a number, if it is wanted."""
        below, digest = self._below, xxhash.xxh3_64_intdigest
        chosen = (
            range(len(keys))
            if self.is_whole
            else [
                number
                for number, key in enumerate(keys)
                if digest(key.encode("utf-8", "replace")) < below
            ]
        )
        self._rows += [(keys[number], row(number)) for number in chosen]
        self._shrink()

    def rows(self) -> list[Row]:
        """In the order of their hashes."""
        return [row for _, row in sorted(self._rows, key=lambda each: (_digest(each[0]), each[0]))]

    def _shrink(self) -> None:
        """Halve the range of hashes until the rows fit.

        What is left out now would be left out at the end as well: so the order does not matter.
        """
        while len(self._rows) > 2 * self._limit:
            self._below //= 2
            self._rows = [each for each in self._rows if _digest(each[0]) < self._below]


def _digest(key: str) -> int:
    return xxhash.xxh3_64_intdigest(key.encode("utf-8", "replace"))
