"""Compact sets of what a scan has seen: ids of pages, and fingerprints of texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


_MAX_LOAD = 0.6
_SLICE = 1 << 16
# Larger tables are emptied into a sorted array.
_MAX_TABLE = 1 << 19
_EMPTY = 0
# 2**64 divided by the golden ratio: spreads ids that are no hashes, too (Knuth, TAOCP 3, 6.4).
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)


class SeenIds:
    """Signed 64-bit ids that were seen, worked on a batch at a time.

    The newest are in an open-addressing table, the others in a sorted array: 8 bytes per id and 4
    MB, where a ``set`` takes 70 bytes and more.

    >>> seen = SeenIds()
    >>> seen.add_all([7, 0, 7]), seen.add_all([0, -1])
    ([True, True, False], [False, True])
    >>> len(seen), 7 in seen, 8 in seen
    (3, True, False)
    """

    def __init__(self) -> None:
        self._table: NDArray[np.int64] = np.zeros(_SLICE, dtype=np.int64)
        self._sorted: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._count = 0
        self._has_zero = False  # 0 marks an empty slot of the table

    def __len__(self) -> int:
        return self._count

    def __contains__(self, page_id: int) -> bool:
        if page_id == _EMPTY:
            return self._has_zero
        column = np.array([page_id], dtype=np.int64)
        if self._are_sorted_in(column)[0]:
            return True
        slot = int(self._home(column)[0])
        while (stored := self._table[slot]) != _EMPTY:
            if stored == page_id:
                return True
            slot = (slot + 1) % len(self._table)
        return False

    def add_all(self, ids: list[int]) -> list[bool]:
        """Add *ids* in order and say for each whether it is seen for the first time."""
        if len(ids) > _SLICE:
            starts = range(0, len(ids), _SLICE)
            return [
                is_new for start in starts for is_new in self.add_all(ids[start : start + _SLICE])
            ]
        column = np.array(ids, dtype=np.int64)
        is_new = self._add(column)
        ordered = np.sort(column)
        copied = set(ordered[1:][ordered[1:] == ordered[:-1]].tolist())
        if copied:
            for row in [row for row, page_id in enumerate(ids) if page_id in copied]:
                if ids[row] in copied:
                    copied.remove(ids[row])  # the first one keeps its flag
                else:
                    is_new[row] = False
        self._count += int(np.count_nonzero(is_new))
        return _as_list(is_new)

    def _add(self, ids: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Put *ids* into the set and say which are new; duplicates in *ids* all count as new."""
        while self._count - len(self._sorted) + len(ids) > _MAX_LOAD * len(self._table):
            if len(self._table) < _MAX_TABLE:
                self._grow()
            else:
                self._sort_in()
        is_zero, is_old = ids == _EMPTY, self._are_sorted_in(ids)
        if not (is_zero.any() or is_old.any()):
            return self._place(ids)
        is_new = np.zeros(len(ids), dtype=np.bool_)
        if is_zero.any():
            is_new[is_zero] = not self._has_zero
            self._has_zero = True
        rows = np.flatnonzero(~(is_zero | is_old))
        is_new[rows] = self._place(ids[rows])
        return is_new

    def _are_sorted_in(self, ids: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which of *ids* are in the sorted array."""
        if not len(self._sorted):
            return np.zeros(len(ids), dtype=np.bool_)
        order = np.argsort(ids)  # neighbours are found where the last one was
        wanted = ids[order]
        rows = np.searchsorted(self._sorted, wanted)
        rows[rows == len(self._sorted)] = 0
        found = np.empty(len(ids), dtype=np.bool_)
        found[order] = self._sorted[rows] == wanted
        return found

    def _sort_in(self) -> None:
        """Move all ids of the table into the sorted array, in place."""
        ids, before = self._take(0, len(self._table)), len(self._sorted)
        ids.sort()
        self._sorted.resize(before + len(ids), refcheck=False)
        self._sorted[before:] = ids
        self._sorted.sort(kind="stable")  # merges two sorted runs, with room for the smaller one

    def _home(self, ids: NDArray[np.int64]) -> NDArray[np.int64]:
        mixed = ids.view(np.uint64) * _MULTIPLIER
        mixed ^= mixed >> _HALF
        return (mixed & np.uint64(len(self._table) - 1)).view(np.int64)

    def _place(self, ids: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Write *ids* into their slots; in each round, those without one try the next."""
        table, last = self._table, len(self._table) - 1
        slots = self._home(ids)
        is_new, left = _write(table, slots, ids)
        rows = np.flatnonzero(left)
        while len(rows):
            ids, slots = ids[left], (slots[left] + 1) & last
            was_empty, left = _write(table, slots, ids)
            is_new[rows[was_empty]] = True
            rows = rows[left]
        return is_new

    def _grow(self) -> None:
        """Double the table in place: two tables at a time would need half as much memory again.

        An id's new home is its old one or that plus the old size. Slices are taken out and put back
        in the order of the table, so an id ends up inside its slice, in one before or in the new
        half, and never behind a slot that is emptied later. Only ids that had wrapped around from
        the end of the old table have to wait until that end has been done.
        """
        old_size = len(self._table)
        first_gap = int(np.argmax(self._table == _EMPTY))
        wrapped = self._take(0, first_gap)
        self._table.resize(2 * old_size, refcheck=False)
        for start in range(first_gap, old_size, _SLICE):
            self._place(self._take(start, min(start + _SLICE, old_size)))
        self._place(wrapped)

    def _take(self, start: int, stop: int) -> NDArray[np.int64]:
        part = self._table[start:stop]
        ids: NDArray[np.int64] = part[part != _EMPTY]
        part[:] = _EMPTY
        return ids


def _write(
    table: NDArray[np.int64], slots: NDArray[np.int64], ids: NDArray[np.int64]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Write *ids* into those *slots* that are empty; which were, and which ids are not there now.

    Where several ids want one empty slot the last write stays.
    """
    stored = table[slots]
    was_empty = stored == _EMPTY
    table[slots] = np.where(was_empty, ids, stored)
    return was_empty, table[slots] != ids


def _as_list(flags: NDArray[np.bool_]) -> list[bool]:
    values: list[bool] = flags.tolist()
    return values


_FIRST_SIZE = 1 << 10
_ALL_BITS = (1 << 64) - 1
_NO_DEPTH = 255


class Likeness(NamedTuple):
    """Where similar texts were seen."""

    is_anywhere: bool
    is_in_pattern: bool
    shallowest: int | None
    """The smallest path depth of those that have one."""


_NOWHERE = Likeness(is_anywhere=False, is_in_pattern=False, shallowest=None)


class SeenTexts:
    """Simhashes of 64 bits, each with the pattern and the path depth that it was seen at.

    Two texts are similar when few bits differ. Each look-up compares with all fingerprints: 12
    microseconds for 5,000, 180 for 100,000.

    >>> texts = SeenTexts()
    >>> texts.add(0b0000, pattern=1, depth=2)
    >>> texts.likeness(0b0111, pattern=2, distance=3)
    Likeness(is_anywhere=True, is_in_pattern=False, shallowest=2)
    >>> texts.likeness(0b1111, pattern=1, distance=3).is_anywhere
    False
    """

    def __init__(self, max_texts: int = 0) -> None:
        self._max_texts = max_texts
        self._count = 0
        self._texts: NDArray[np.uint64] = np.zeros(_FIRST_SIZE, dtype=np.uint64)
        self._patterns: NDArray[np.int32] = np.zeros(_FIRST_SIZE, dtype=np.int32)
        self._depths: NDArray[np.uint8] = np.zeros(_FIRST_SIZE, dtype=np.uint8)

    def __len__(self) -> int:
        return self._count

    def likeness(self, fingerprint: int, *, pattern: int, distance: int) -> Likeness:
        rows = self._rows_like(fingerprint, distance)
        if not len(rows):
            return _NOWHERE
        shallowest = int(self._depths[rows].min())
        return Likeness(
            is_anywhere=True,
            is_in_pattern=bool((self._patterns[rows] == pattern).any()),
            shallowest=None if shallowest == _NO_DEPTH else shallowest,
        )

    def add(self, fingerprint: int, *, pattern: int, depth: int | None) -> None:
        """Add a text, unless there are too many already."""
        known = _NO_DEPTH if depth is None else min(depth, _NO_DEPTH - 1)
        rows = (self._texts[: self._count] == np.uint64(fingerprint & _ALL_BITS)).nonzero()[0]
        same = rows[self._patterns[rows] == pattern]
        if len(same):
            self._depths[same] = np.minimum(self._depths[same], known)
            return
        if 0 < self._max_texts <= self._count:
            return
        if self._count == len(self._texts):
            self._grow()
        self._texts[self._count] = fingerprint & _ALL_BITS
        self._patterns[self._count] = pattern
        self._depths[self._count] = known
        self._count += 1

    def _rows_like(self, fingerprint: int, distance: int) -> NDArray[np.intp]:
        differing = self._texts[: self._count] ^ np.uint64(fingerprint & _ALL_BITS)
        rows: NDArray[np.intp] = (np.bitwise_count(differing) <= distance).nonzero()[0]
        return rows

    def _grow(self) -> None:
        size = 2 * len(self._texts)
        self._texts = np.resize(self._texts, size)
        self._patterns = np.resize(self._patterns, size)
        self._depths = np.resize(self._depths, size)
