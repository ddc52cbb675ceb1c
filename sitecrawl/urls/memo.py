"""Remembers what was found out about links, because most come again on every page of a site."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitecrawl.urls.columns import origin_prefix

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_MAX_KNOWN = 20_000
# Longer addresses are seldom repeated, and a page may have megabytes of them.
_MAX_CHARACTERS = 500
# "http:a" and "a" mean something else in every folder.
_SAME_EVERYWHERE = ("/", "http://", "https://", "mailto:", "tel:", "javascript:", "data:")


class LinkMemo:
    """The pages that links lead to; remembered if they mean the same on all pages of an origin.

    >>> memo = LinkMemo()
    >>> memo.learn("https://example.com/", {"/a": 7, "b": 8})
    >>> memo.all(["/a", "b", "/c"], "https://example.com/docs/")
    [7, None, None]
    """

    def __init__(self) -> None:
        self._known: dict[str, dict[str, int]] = {}
        self._number = 0

    def all(self, locs: Sequence[str], base: str) -> list[int | None]:
        """The id of the page that each address on *base* leads to, None for the unknown."""
        known = self._known.get(origin_prefix(base))
        return [None] * len(locs) if known is None else list(map(known.get, locs))

    def learn(self, base: str, page_ids: Mapping[str, int]) -> None:
        """Remember where addresses lead that were written on *base*."""
        if self._number > _MAX_KNOWN:
            self._known.clear()
            self._number = 0
        lasting = {
            loc: page_id
            for loc, page_id in page_ids.items()
            if loc.startswith(_SAME_EVERYWHERE) and len(loc) <= _MAX_CHARACTERS
        }
        if lasting:
            self._known.setdefault(origin_prefix(base), {}).update(lasting)
            self._number += len(lasting)
