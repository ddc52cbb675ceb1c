"""The hreflang alternates of sitemap entries, which are URLs of the site as well."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitecrawl.items import Document, MentionBatch, Source

if TYPE_CHECKING:
    from sitecrawl.sitemaps.entries import EntryBatch
    from sitecrawl.stages.urlcap import UrlCap
    from sitecrawl.urls.scope import Scope


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
