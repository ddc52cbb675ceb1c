"""Remembers what was found out about links, because most come again on every page of a site."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from sitecrawl.urls.plain import origin_prefix

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

T = TypeVar("T")

_MAX_KNOWN = 20_000
# "http:a" and "a" mean something else in every folder.
_SAME_EVERYWHERE = ("/", "http://", "https://", "mailto:", "tel:", "javascript:", "data:")
_UNKNOWN = "\0"


class ColumnMemo(Generic[T]):
    """Answers for a column of texts, of which only the unknown ones are worked out.

    When it has become too large everything is forgotten: the frequent ones are back at once.

    >>> memo = ColumnMemo(lambda texts: [len(text) for text in texts])
    >>> memo.all(["a", "bb", "a"])
    [1, 2, 1]
    """

    def __init__(self, work_out: Callable[[list[str]], Sequence[T]]) -> None:
        self._work_out = work_out
        self._known: dict[str, T] = {}

    def all(self, texts: Sequence[str]) -> list[T]:
        known = self._known
        if unknown := [text for text in texts if text not in known]:
            if len(known) > _MAX_KNOWN:
                known.clear()
                unknown = list(texts)
            unknown = list(dict.fromkeys(unknown))
            known.update(zip(unknown, self._work_out(unknown), strict=True))
        return [known[text] for text in texts]


class LinkMemo:
    """Canonical URLs of links; remembered if they mean the same on all pages of an origin."""

    def __init__(self, canonicalize_all: Callable[[list[str], str], Sequence[str | None]]) -> None:
        self._canonicalize_all = canonicalize_all
        self._origin = ""
        self._known: dict[str, str | None] = {}

    def all(self, locs: Sequence[str], base: str) -> list[str | None]:
        origin, known = origin_prefix(base), self._known
        if origin != self._origin or len(known) > _MAX_KNOWN:
            self._origin = origin
            known.clear()
        urls = [known.get(loc, _UNKNOWN) for loc in locs]
        if _UNKNOWN in urls:
            rows = [row for row, url in enumerate(urls) if url is _UNKNOWN]
            found = self._canonicalize_all([locs[row] for row in rows], base)
            for row, url in zip(rows, found, strict=True):
                urls[row] = url
                if locs[row].startswith(_SAME_EVERYWHERE):
                    known[locs[row]] = url
        return urls
