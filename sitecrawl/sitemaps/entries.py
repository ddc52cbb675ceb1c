"""The entries of a sitemap or feed: collected as raw columns, handed on as normalised batches.

Values are normalised a column at a time when a batch is cut, so that entries of the exact parser
and of the fast path get the same normalisation and the same findings in the same order.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from sitecrawl.parsing.findings import FindingKind, Findings
from sitecrawl.sitemaps.lastmod import normalize_lastmod, usual_lastmods
from sitecrawl.sitemaps.markup import has_raw_ampersand, plain_text, resolve_references

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class SitemapKind(StrEnum):
    URLSET = "urlset"
    INDEX = "index"
    TEXT = "text"
    RSS = "rss"
    ATOM = "atom"
    INVALID = "invalid"


class Alternate(NamedTuple):
    hreflang: str
    href: str


@dataclass(frozen=True, slots=True)
class EntryDetails:
    """What only some entries have: language alternates, media, a news or feed title and date."""

    alternates: tuple[Alternate, ...] = ()
    images: int = 0
    videos: int = 0
    title: str = ""
    published: str = ""


@dataclass(slots=True)
class EntryBatch:
    """Parallel columns of consecutive entries of one document.

    - `first` is the 1-based position of the first one among the document's entries of its kind
      (pages and child maps are counted apart).
    - `locs` are as written (trimmed, references resolved) and may be relative.
    - `lastmods` and `changefreqs` hold "" and `priorities` -1.0 for "absent or invalid"; a column
      is None when no entry of the batch has a value.
    - `details` is sparse, by index in this batch.
    """

    first: int
    locs: list[str]
    lastmods: list[str] | None
    changefreqs: list[str] | None
    priorities: list[float] | None
    details: dict[int, EntryDetails]

    def __len__(self) -> int:
        return len(self.locs)

    def head(self, count: int) -> EntryBatch:
        """The first *count* entries."""
        return EntryBatch(
            first=self.first,
            locs=self.locs[:count],
            lastmods=self.lastmods and self.lastmods[:count],
            changefreqs=self.changefreqs and self.changefreqs[:count],
            priorities=self.priorities and self.priorities[:count],
            details={row: entry for row, entry in self.details.items() if row < count},
        )


class SitemapChunk(NamedTuple):
    """The next entries of a document: pages, and further maps to read."""

    pages: EntryBatch
    children: EntryBatch


# A URL may be broken over lines; other control characters are removed.
_LINE_BREAK = re.compile(r"[\r\n]+")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
# Zero-width characters that are pasted along with an address.
INVISIBLE = "\ufeff\u200b\u200c\u200d\u200e\u200f"
_MAP_ENDINGS = (".xml", ".xml.gz")


class EntryColumns:
    """The raw columns of one kind of entry: pages, or child maps."""

    def __init__(self, findings: Findings):
        self._findings = findings
        self._taken = 0
        self._locs: list[str] = []
        self._lastmods: list[str] = []
        self._changefreqs: list[str] = []
        self._priorities: list[str] = []
        self._details: dict[int, EntryDetails] = {}

    def __len__(self) -> int:
        return len(self._locs)

    def add(
        self,
        loc: str,
        lastmod: str,
        changefreq: str = "",
        priority: str = "",
        details: EntryDetails | None = None,
    ) -> None:
        if details is not None:
            self._details[len(self._locs)] = details
        self._locs.append(loc)
        self._lastmods.append(lastmod)
        self._changefreqs.append(changefreq)
        self._priorities.append(priority)

    def extend(
        self,
        locs: Sequence[str],
        lastmods: Sequence[str],
        changefreqs: Sequence[str],
        priorities: Sequence[str],
        details: Mapping[int, EntryDetails],
    ) -> None:
        for at, value in details.items():
            self._details[len(self._locs) + at] = value
        self._locs += locs
        self._lastmods += lastmods
        self._changefreqs += changefreqs
        self._priorities += priorities

    def take(self, count: int) -> EntryBatch:
        """Cut the first `count` entries off as a batch."""
        locs, self._locs = self._locs[:count], self._locs[count:]
        lastmods, self._lastmods = self._lastmods[:count], self._lastmods[count:]
        changefreqs, self._changefreqs = self._changefreqs[:count], self._changefreqs[count:]
        priorities, self._priorities = self._priorities[:count], self._priorities[count:]
        details, self._details = self._details, {}
        if self._locs and details:
            self._details = {at - count: value for at, value in details.items() if at >= count}
            details = {at: value for at, value in details.items() if at < count}
        first = self._taken + 1
        self._taken += len(locs)
        return EntryBatch(
            first,
            locs,
            self._lastmod_column(lastmods),
            self._changefreq_column(changefreqs),
            self._priority_column(priorities),
            details,
        )

    def _lastmod_column(self, raw: list[str]) -> list[str] | None:
        if not any(raw):
            return None
        usual = usual_lastmods(raw)
        if usual is not None:
            return usual
        column = [value and normalize_lastmod(value) for value in raw]
        # Absent values are "" before and after; further ones are invalid values.
        if column.count("") != raw.count(""):
            self._note_lost(FindingKind.INVALID_LASTMOD, raw, column, "")
        return column if any(column) else None

    def _changefreq_column(self, raw: list[str]) -> list[str] | None:
        if not any(raw):
            return None
        column = [value and normalize_changefreq(value) for value in raw]
        if column.count("") != raw.count(""):
            self._note_lost(FindingKind.INVALID_CHANGEFREQ, raw, column, "")
        return column if any(column) else None

    def _priority_column(self, raw: list[str]) -> list[float] | None:
        if not any(raw):
            return None
        column = [normalize_priority(value) if value else NO_PRIORITY for value in raw]
        absent = column.count(NO_PRIORITY)
        if absent != raw.count(""):
            self._note_lost(FindingKind.INVALID_PRIORITY, raw, column, NO_PRIORITY)
        return column if absent < len(column) else None

    def _note_lost(
        self, kind: FindingKind, raw: list[str], column: Sequence[object], absent: object
    ) -> None:
        for value, normalized in zip(raw, column, strict=True):
            if value and normalized == absent and (text := plain_text(value)):
                self._findings.note(kind, text)


class EntrySink:
    """Receives the entries of every parser, pages and child sitemaps separately."""

    def __init__(self, findings: Findings):
        self.findings = findings
        self.pages = EntryColumns(findings)
        self.children = EntryColumns(findings)

    def add(
        self,
        raw_loc: str,
        lastmod: str,
        changefreq: str = "",
        priority: str = "",
        details: EntryDetails | None = None,
        *,
        is_map: bool = False,
    ) -> None:
        """Add an entry with its values as the document has them, references unresolved."""
        loc = self._clean_loc(raw_loc)
        if loc is None:
            return
        if not is_map and is_map_file(loc):
            is_map = True
            self.findings.note(FindingKind.MISPLACED_ENTRY, f"a map listed as a page: {loc}")
        columns = self.children if is_map else self.pages
        columns.add(loc, lastmod, changefreq, priority, details)

    def _clean_loc(self, raw: str) -> str | None:
        loc = resolve_references(raw)
        if loc is None:
            self.findings.note(FindingKind.UNDEFINED_ENTITY, raw.strip())
            return None
        if "&" in raw and has_raw_ampersand(raw):
            self.findings.note(FindingKind.RAW_AMPERSAND, raw.strip())
        loc = loc.strip().strip(INVISIBLE).strip()
        if _CONTROL.search(loc):
            loc = _CONTROL.sub("", "".join(map(str.strip, _LINE_BREAK.split(loc))))
        if not loc:
            self.findings.note(FindingKind.BAD_LOC, "an entry without an address")
            return None
        if not _SCHEME.match(loc):
            self.findings.note(FindingKind.RELATIVE_LOC, loc)
        return loc


def is_map_file(loc: str) -> bool:
    """Whether the address of a page is that of a sitemap: some sites list their sitemaps as pages.

    >>> is_map_file("https://shop.example/s1.xml"), is_map_file("https://shop.example/a?f=s1.xml")
    (True, False)
    """
    return ".xml" in loc and loc.partition("?")[0].partition("#")[0].endswith(_MAP_ENDINGS)


NO_PRIORITY = -1.0
_MAX_HINT_CHARACTERS = 32
_FREQUENCIES = frozenset({"always", "hourly", "daily", "weekly", "monthly", "yearly", "never"})
_DECIMAL = re.compile(r"[0-9]+(?:\.[0-9]*)?|\.[0-9]+")


def normalize_changefreq(value: str) -> str:
    """One of the seven words of the protocol, or the empty string.

    >>> normalize_changefreq(" Daily "), normalize_changefreq("whenever")
    ('daily', '')
    """
    if value in _FREQUENCIES:
        return value
    word = plain_text(value).lower()
    return word if word in _FREQUENCIES else ""


def normalize_priority(value: str) -> float:
    """A priority from 0.0 to 1.0, or `NO_PRIORITY`.

    >>> normalize_priority("0.8"), normalize_priority("high"), normalize_priority("7")
    (0.8, -1.0, -1.0)
    """
    text = plain_text(value)
    return _parse_priority(text) if len(text) <= _MAX_HINT_CHARACTERS else NO_PRIORITY


@lru_cache(maxsize=1_024)
def _parse_priority(text: str) -> float:
    if not _DECIMAL.fullmatch(text):
        return NO_PRIORITY
    priority = float(text)
    return priority if priority <= 1.0 else NO_PRIORITY
