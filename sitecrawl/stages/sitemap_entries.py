"""Which entries of a sitemap count: limits, alternates, and what a spider chooses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sitecrawl.items import Document, MentionBatch, Source
from sitecrawl.sitemaps.entries import EntryBatch

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable, Sequence

    from sitecrawl.urls.scope import Scope


class UrlCap:
    """Counts distinct locs up to a limit; without one (0) it counts nothing and costs nothing.

    *used*: how many were listed before the scan was interrupted.
    """

    def __init__(self, limit: int, used: int = 0):
        self.limit = limit
        self._used = used
        self._seen: set[str] = set()

    @property
    def is_reached(self) -> bool:
        return 0 < self.limit <= self._used + len(self._seen)

    def takes(self, loc: str) -> bool:
        """Whether this one is still within the limit; a repeated one always is."""
        if self.limit and loc not in self._seen:
            if self.is_reached:
                return False
            self._seen.add(loc)
        return True

    def head(self, pages: EntryBatch) -> EntryBatch:
        """The entries before the first one that is over the limit."""
        if not self.limit:
            return pages
        over = next((row for row, loc in enumerate(pages.locs) if not self.takes(loc)), None)
        return pages if over is None else pages.head(over)


@dataclass(slots=True)
class SitemapChoice:
    """What a ``SitemapSpider`` chooses, by the attributes of Scrapy's class of that name."""

    urls: Sequence[str] = ()
    """Where to start; empty: the maps of robots.txt, then the common places."""
    follow: Sequence[re.Pattern[str]] = ()
    """Patterns of maps to read of an index; empty: all."""
    rules: Sequence[tuple[re.Pattern[str], Callable[..., Any]]] = ()
    """Pages to fetch, with their callbacks; the first pattern that matches counts."""
    filter: Callable[[Iterable[dict[str, Any]]], Iterable[dict[str, Any]]] | None = None
    has_alternates: bool = True

    def follows(self, loc: str) -> bool:
        return not self.follow or any(pattern.search(loc) for pattern in self.follow)

    def callback(self, url: str) -> Callable[..., Any] | None:
        return next((callback for pattern, callback in self.rules if pattern.search(url)), None)

    def filtered(self, entries: EntryBatch) -> tuple[EntryBatch, list[int]]:
        """The entries that the spider's filter gives, and the position of each."""
        assert self.filter is not None
        as_dicts = [_as_dict(entries, row) for row in range(len(entries))]
        rows = {id(each): row for row, each in enumerate(as_dicts)}
        kept = list(self.filter(iter(as_dicts)))
        old = [rows.get(id(each)) for each in kept]
        batch = EntryBatch(
            first=entries.first,
            locs=[each["loc"] for each in kept],
            lastmods=[each.get("lastmod", "") for each in kept] if entries.lastmods else None,
            changefreqs=[each.get("changefreq", "") for each in kept]
            if entries.changefreqs
            else None,
            priorities=[-1.0 if row is None else entries.priorities[row] for row in old]
            if entries.priorities
            else None,
            details={
                new: entries.details[row]
                for new, row in enumerate(old)
                if row is not None and row in entries.details
            },
        )
        return batch, [entries.first + (row or 0) for row in old]


def _as_dict(entries: EntryBatch, row: int) -> dict[str, Any]:
    """An entry as Scrapy's ``Sitemap`` gives it: texts, and no key without a value."""
    entry: dict[str, Any] = {"loc": entries.locs[row]}
    if entries.lastmods and entries.lastmods[row]:
        entry["lastmod"] = entries.lastmods[row]
    if entries.changefreqs and entries.changefreqs[row]:
        entry["changefreq"] = entries.changefreqs[row]
    if entries.priorities and entries.priorities[row] >= 0:
        entry["priority"] = str(entries.priorities[row])
    if row in entries.details and (alternates := entries.details[row].alternates):
        entry["alternate"] = [alternate.href for alternate in alternates]
    return entry


class Alternates:
    """Collects the alternates of one document, because few entries have them."""

    def __init__(self, document: Document, scope: Scope, cap: UrlCap):
        self._document = document
        self._scope = scope
        self._cap = cap
        self._clear()

    def __len__(self) -> int:
        return len(self._locs)

    def add(self, pages: EntryBatch) -> bool:
        """Whether all of them are within the limit of URLs."""
        is_whole = True
        for row, details in pages.details.items():
            for hreflang, href in details.alternates:
                if href == pages.locs[row]:
                    continue
                if self._cap.takes(href):
                    self._positions.append(pages.first + row)
                    self._locs.append(href)
                    self._languages.append(_language(hreflang))
                else:
                    is_whole = False
        return is_whole

    def take(self) -> MentionBatch:
        """What has been collected, which starts anew."""
        batch = MentionBatch(
            document=self._document.url,
            base=self._document.final_url,
            source=Source.SITEMAP_ALTERNATE,
            scope=self._scope,
            positions=self._positions,
            locs=self._locs,
            languages=self._languages,
        )
        self._clear()
        return batch

    def _clear(self) -> None:
        self._positions: list[int] = []
        self._locs: list[str] = []
        self._languages: list[str] = []


def own_languages(pages: EntryBatch) -> list[str] | None:
    """The languages of the entries themselves: most that have alternates name themselves, too."""
    found = {
        row: language
        for row, details in pages.details.items()
        for hreflang, href in details.alternates
        if href == pages.locs[row] and (language := _language(hreflang))
    }
    if not found:
        return None
    languages = [""] * len(pages.locs)
    for row, language in found.items():
        languages[row] = language
    return languages


def _language(hreflang: str) -> str:
    language = hreflang.lower()
    return "" if language == "x-default" else language
