"""The hreflang alternates of sitemap entries, which are URLs of the site as well."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitecrawl.items import Document, MentionBatch, Source

if TYPE_CHECKING:
    from sitecrawl.parse.entries import Alternate, EntryBatch
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
            for alternate in details.alternates:
                if alternate.href == pages.locs[row]:
                    continue
                if self._cap.takes(alternate.href):
                    self._positions.append(pages.first + row)
                    self._locs.append(alternate.href)
                    self._languages.append(_language(alternate))
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
        row: _language(alternate)
        for row, details in pages.details.items()
        for alternate in details.alternates
        if alternate.href == pages.locs[row] and _language(alternate)
    }
    return [found.get(row, "") for row in range(len(pages.locs))] if found else None


def _language(alternate: Alternate) -> str:
    language = alternate.hreflang.lower()
    return "" if language == "x-default" else language
