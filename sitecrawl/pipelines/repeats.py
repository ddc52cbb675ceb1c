"""Links that pages repeat: what was decided about them need not be decided again."""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING, TypeVar

from sitecrawl.config import Config
from sitecrawl.items import RepeatedLinks, mention_batches
from sitecrawl.urls.memo import LinkMemo
from sitecrawl.urls.refusal import Reason

if TYPE_CHECKING:
    from collections.abc import Sequence, Set
    from typing import Any, Self

    from scrapy.crawler import Crawler

    from sitecrawl.items import MentionBatch
    from sitecrawl.urls.scope import Scope

T = TypeVar("T")

# Refusals for which the address alone is enough, whatever page gives it, and whenever.
_BY_ADDRESS = {
    *(Reason.INVALID_URL, Reason.SCHEME_NOT_ALLOWED, Reason.TOO_LONG, Reason.OFFSITE),
    *(Reason.OUTSIDE_BASE, Reason.SKIPPED_PATH, Reason.SKIPPED_QUERY),
}


class RepeatedLinksPipeline:
    """Move the links that earlier pages have given to ``repeats``: the others are judged alone.

    Most links of a page are those of every page. When one has gone through all pipelines, and no
    later page can change what they have decided, its next mentions are for the store only.

    Settings: ``SITECRAWL_MAX_EXTERNAL_HOPS``: where the crawl may leave the site, it depends on the
    page whether a link out of it is followed. ``SITECRAWL_SKIP_OTHER_LANGUAGES``: all links of a
    page together show which languages there are, so nothing is set aside.
    """

    def __init__(self, max_external_hops: int, *, skips_languages: bool = False):
        self._skips_languages = skips_languages
        self._refusals = _BY_ADDRESS - ({Reason.OFFSITE} if max_external_hops else set())
        self._links = LinkMemo()
        self._scope: Scope | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        config = Config.from_settings(crawler.settings)
        skips_languages = bool(config.languages) and config.skip_other_languages
        return cls(config.max_external_hops, skips_languages=skips_languages)

    def process_item(self, item: Any) -> Any:
        if self._skips_languages:
            return item
        for batch in mention_batches(item):
            # What a browser shows is read in another way, and a menu needs its rows.
            if batch.sources is not None and not batch.is_rendered and not batch.menu:
                self._set_aside(batch, batch.sources)
        return item

    def learn(self, batch: MentionBatch, waiting: Set[int]) -> None:
        """Remember those links of a batch about which all is decided.

        *waiting* are ids of pages that are in the frontier: they will be visited, or are held.
        """
        if batch.sources is None or batch.is_rendered:
            return
        if batch.scope is not self._scope:
            self._scope = batch.scope
            self._links = LinkMemo()
        self._links.learn(
            batch.base,
            {
                loc: page_id
                for row, (loc, page_id) in enumerate(zip(batch.locs, batch.ids, strict=True))
                if self._is_decided(batch, row, waiting)
            },
        )

    def _is_decided(self, batch: MentionBatch, row: int, waiting: Set[int]) -> bool:
        refusal = batch.refused.get(row)
        return batch.ids[row] in waiting or (
            refusal is not None and refusal.reason in self._refusals
        )

    def _set_aside(self, batch: MentionBatch, sources: list[str]) -> None:
        if batch.scope is not self._scope:
            return
        ids = self._links.all(batch.locs, batch.base)
        is_other = [page_id is None for page_id in ids]
        if all(is_other):
            return
        is_known = [not other for other in is_other]
        nothing = [""] * len(ids)
        batch.repeats = RepeatedLinks(
            ids=[page_id for page_id in ids if page_id is not None],
            positions=_some(batch.positions, is_known),
            sources=_some(sources, is_known),
            regions=_some(batch.regions or nothing, is_known),
            anchors=_some(batch.anchors or nothing, is_known),
            rels=_some(batch.rels or nothing, is_known),
            paths=_some(batch.paths or nothing, is_known),
        )
        batch.positions = _some(batch.positions, is_other)
        batch.locs = _some(batch.locs, is_other)
        batch.sources = _some(sources, is_other)
        batch.regions = batch.regions and _some(batch.regions, is_other)
        batch.anchors = batch.anchors and _some(batch.anchors, is_other)
        batch.rels = batch.rels and _some(batch.rels, is_other)
        batch.paths = batch.paths and _some(batch.paths, is_other)
        batch.languages = batch.languages and _some(batch.languages, is_other)


def _some(column: Sequence[T], chosen: Sequence[bool]) -> list[T]:
    return list(compress(column, chosen))
