"""Finds ids in columns of them: a dictionary of a million ids takes ten times the memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


class IdPlaces:
    """Where ids stand in a column that has each of them once."""

    def __init__(self, ids: Sequence[int]) -> None:
        column = np.array(ids, np.int64)
        self._order = np.argsort(column)
        self._sorted = column[self._order]

    def __len__(self) -> int:
        return len(self._sorted)

    def of(self, ids: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
        """The place of each id; -1: it has none."""
        wanted = np.asarray(ids, np.int64)
        if not len(self._sorted):
            return np.full(len(wanted), -1, np.int64)
        found = np.minimum(np.searchsorted(self._sorted, wanted), len(self._sorted) - 1)
        return np.where(self._sorted[found] == wanted, self._order[found], -1)
