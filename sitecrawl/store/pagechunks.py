"""Pages as the inventory gives them: some at a time, in columns."""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Self


class PageChunk:
    """Some pages of an inventory; of what most pages do not have, most chunks have no column.

    >>> chunk = PageChunk(2, {"url": ["a", "b"], "title": [None, "B"], "rule": [None, None]})
    >>> chunk["title"], chunk["rule"], chunk.get("rule")
    ([None, 'B'], [None, None], None)
    >>> list(chunk.only([False, True]).rows(["url", "title"]))
    [('b', 'B')]
    """

    __slots__ = ("_columns", "_size")

    def __init__(self, size: int, columns: Mapping[str, Sequence[Any]]):
        self._size = size
        # The first value tells most columns apart, without looking at the others.
        self._columns = {
            name: column
            for name, column in columns.items()
            if (column and column[0] is not None) or column.count(None) < size
        }

    @classmethod
    def from_rows(cls, names: Sequence[str], rows: Sequence[Sequence[Any]]) -> Self:
        columns = zip(*rows, strict=True) if rows else ()
        return cls(len(rows), dict(zip(names, columns, strict=bool(rows))))

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, name: str) -> Sequence[Any]:
        """The values of a column, None for each page that has none."""
        column = self._columns.get(name)
        return [None] * self._size if column is None else column

    def get(self, name: str) -> Sequence[Any] | None:
        """The column; None, if there is nothing in it."""
        return self._columns.get(name)

    def with_columns(self, columns: Mapping[str, Sequence[Any]]) -> PageChunk:
        return PageChunk(self._size, {**self._columns, **columns})

    def only(self, chosen: Sequence[bool]) -> PageChunk:
        """Without the pages that are not *chosen*."""
        columns = {name: list(compress(column, chosen)) for name, column in self._columns.items()}
        return PageChunk(sum(chosen), columns)

    def rows(self, names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        return zip(*(self[name] for name in names), strict=True)
