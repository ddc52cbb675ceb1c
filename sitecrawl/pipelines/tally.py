"""Counts what a scan finds, when it is clear what is listed and what is refused."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from sitecrawl.items import SITEMAP_SOURCES, mention_batches

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Self

    from scrapy.crawler import Crawler

    from sitecrawl.items import MentionBatch


class TallyPipeline:
    """Fill ``listed``.

    Stats: ``sitecrawl/pages/listed``, ``sitecrawl/pages/refused/<reason>``,
    ``sitecrawl/pages/source/<source>``, ``sitecrawl/pages/in_sitemaps``,
    ``sitecrawl/pages/example`` (the first URL), ``sitecrawl/mentions``,
    ``sitecrawl/render/only_rendered`` (pages that only a browser has found).
    """

    def __init__(self, crawler: Crawler):
        self._stats = crawler.stats
        # Pages that the root links to, which sitemaps may list as well.
        self._linked_ids: set[int] = set()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def process_item(self, item: Any) -> Any:
        for batch in mention_batches(item):
            self._count(batch)
        return item

    def _count(self, batch: MentionBatch) -> None:
        refused = Counter(
            refusal.reason for row, refusal in batch.refused.items() if batch.is_new[row]
        )
        batch.listed = sum(batch.is_new) - refused.total()
        count = self._stats.inc_value
        if batch.listed and not self._stats.get_value("sitecrawl/pages/example"):
            self._stats.set_value("sitecrawl/pages/example", _first_listed(batch))
        repeated = len(batch.repeats.ids) if batch.repeats else 0
        count("sitecrawl/mentions", len(batch.ids) + repeated)
        count("sitecrawl/pages/listed", batch.listed)
        if batch.is_rendered:
            count("sitecrawl/render/only_rendered", batch.listed)
        for source, number in self._sources(batch).items():
            count(f"sitecrawl/pages/source/{source}", number)
        self._count_in_sitemaps(batch)
        for reason, number in refused.items():
            count(f"sitecrawl/pages/refused/{reason}", number)

    def _sources(self, batch: MentionBatch) -> Mapping[str, int]:
        if batch.sources is None:
            return {batch.source: batch.listed}
        return Counter(
            source
            for row, source in enumerate(batch.sources)
            if batch.is_new[row] and row not in batch.refused
        )

    def _count_in_sitemaps(self, batch: MentionBatch) -> None:
        """Whether the sitemaps are enough must not depend on what the root links to."""
        if batch.source not in SITEMAP_SOURCES:
            if batch.visit is not None and batch.visit.number == 1:
                self._linked_ids.update(batch.ids)
            return
        known = 0
        if not self._linked_ids.isdisjoint(batch.ids):
            listed = {page_id for row, page_id in enumerate(batch.ids) if row not in batch.refused}
            known = len(self._linked_ids & listed)
            self._linked_ids -= listed
        self._stats.inc_value("sitecrawl/pages/in_sitemaps", batch.listed + known)


def _first_listed(batch: MentionBatch) -> str:
    return next(url for row, url in enumerate(batch.urls) if row not in batch.refused)
