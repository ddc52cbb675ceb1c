"""Pages as the inventory gives them: some at a time, in columns."""

from __future__ import annotations

from itertools import compress
from types import MappingProxyType
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
    >>> list(chunk.sharing({"source": "feed"}).rows(["url", "source"]))
    [('a', 'feed'), ('b', 'feed')]
    >>> chunk.sharing({"source": "feed"}).parted(["title", "source", "rule"])
    ({'source': 'feed', 'rule': None}, {'title': [None, 'B']})
    """

    __slots__ = ("_columns", "_shared", "_size")

    def __init__(
        self,
        size: int,
        columns: Mapping[str, Sequence[Any]],
        shared: Mapping[str, Any] = MappingProxyType({}),
    ):
        self._size = size
        self._shared = shared
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
        return [self._shared.get(name)] * self._size if column is None else column

    def get(self, name: str) -> Sequence[Any] | None:
        """The column; None, if there is nothing in it."""
        return self._columns.get(name) if self._shared.get(name) is None else self[name]

    def with_columns(self, columns: Mapping[str, Sequence[Any]]) -> PageChunk:
        return PageChunk(self._size, {**self._columns, **columns}, self._shared)

    def sharing(self, facts: Mapping[str, Any]) -> PageChunk:
        """With columns in which all pages have the same."""
        return PageChunk(self._size, self._columns, {**self._shared, **facts})

    def parted(self, names: Sequence[str]) -> tuple[dict[str, Any], dict[str, Sequence[Any]]]:
        """Of these columns what all pages have in common, and the columns in which they differ."""
        varying = {
            name: column
            for name in names
            if (column := self._columns.get(name)) and column.count(column[0]) < self._size
        }
        common = {
            name: column[0] if (column := self._columns.get(name)) else self._shared.get(name)
            for name in names
            if name not in varying
        }
        return common, varying

    def only(self, chosen: Sequence[bool]) -> PageChunk:
        """Without the pages that are not *chosen*."""
        columns = {name: list(compress(column, chosen)) for name, column in self._columns.items()}
        return PageChunk(sum(chosen), columns, self._shared)

    def rows(self, names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        return zip(*(self[name] for name in names), strict=True)
