"""Collects the rows of a page's links: each mention once, up to a limit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitecrawl.parse.findings import FindingKind, Findings
from sitecrawl.parse.links.reading import Links, PageLimits

if TYPE_CHECKING:
    from sitecrawl.parse.links.vocabulary import LinkSource

# Addresses that hold their content themselves: what they are is enough.
_HOLDING_CONTENT = ("data:", "javascript:")
_CONTENT_CHARACTERS = 120
_NO_ROW = -1


class LinkRows:
    """The rows so far; once it is full, nothing is added and whoever reads may stop."""

    def __init__(self, limits: PageLimits, findings: Findings):
        self.is_full = False
        self._max_links = limits.max_links
        self._max_address_characters = limits.max_address_characters
        self._findings = findings
        # In order, and each only once: a dictionary is both.
        self._rows: dict[tuple[str, LinkSource, str, str], tuple[str, str]] = {}
        self._languages: dict[int, str] = {}

    def __len__(self) -> int:
        return len(self._rows)

    def add(
        self,
        source: LinkSource,
        loc: str,
        region: str,
        anchor: str,
        rel: str,
        path: str,
        language: str = "",
    ) -> int:
        """Add a mention and give its row; -1 when it is a repetition or over a limit."""
        if len(loc) > _CONTENT_CHARACTERS:
            loc = self._shortened(loc)
        key = (loc, source, region, anchor)
        rows = self._rows
        if key in rows or not loc:
            return _NO_ROW
        row = len(rows)
        if row >= self._max_links:
            self._refuse()
            return _NO_ROW
        rows[key] = (rel, path)
        if language:
            self._languages[row] = language
        return row

    def can_take(self, others: LinkRows) -> bool:
        """Whether none of the other rows is a repetition, there is room, and nothing to note."""
        is_room = len(self._rows) + len(others._rows) <= self._max_links
        has_losses = bool(others._findings.as_list())
        return is_room and not has_losses and self._rows.keys().isdisjoint(others._rows)

    def take(self, others: LinkRows) -> None:
        """Add all rows of others."""
        first = len(self._rows)
        self._rows.update(others._rows)
        for row, language in others._languages.items():
            self._languages[first + row] = language

    def columns(self) -> Links:
        """Give what was collected as columns."""
        if not self._rows:
            return Links()
        locs, sources, regions, anchors = map(list, zip(*self._rows, strict=True))
        rels, paths = map(list, zip(*self._rows.values(), strict=True))
        return Links(locs, sources, regions, anchors, rels, paths, self._languages)

    def _refuse(self) -> None:
        if not self.is_full:
            self.is_full = True
            self._findings.note(FindingKind.OVER_LIMIT, f"more than {self._max_links:,} links")

    def _shortened(self, loc: str) -> str:
        if loc[:11].lower().startswith(_HOLDING_CONTENT):
            return loc[:_CONTENT_CHARACTERS]
        if len(loc) > self._max_address_characters and not self.is_full:
            self._findings.note(FindingKind.OVERSIZED_TEXT, loc)
            return ""
        return loc
