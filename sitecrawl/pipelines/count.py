"""Counts what a scan finds, when it is clear what is listed and what is refused."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from sitecrawl.items import SITEMAP_SOURCES, VisitedPage, mention_batches
from sitecrawl.pipelines import InventoryPipeline

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from sitecrawl.items import MentionBatch
    from sitecrawl.scan import Scan


class CountPipeline(InventoryPipeline):
    """Fill ``listed``, and count pages by source and by reason in the counters of the scan."""

    def __init__(self, scan: Scan):
        super().__init__(scan)
        self._counters = scan.counters
        # Pages that the root links to, which sitemaps may list as well.
        self._linked_ids: set[int] = set()

    def process_item(self, item: Any) -> Any:
        for batch in mention_batches(item):
            self._count(batch)
        if isinstance(item, VisitedPage) and item.read is not None:
            self._counters.mentions += item.read.own_links
        return item

    def _count(self, batch: MentionBatch) -> None:
        refused = Counter(
            refusal.reason for row, refusal in batch.refused.items() if batch.is_new[row]
        )
        batch.listed = sum(batch.is_new) - refused.total()
        counters = self._counters
        if batch.listed and not counters.first_page:
            counters.first_page = _first_listed(batch)
        counters.mentions += len(batch.ids)
        if batch.is_rendered:
            counters.pages_only_rendered += batch.listed
        counters.pages_by_source.update(self._sources(batch))
        counters.pages_refused.update(refused)
        self._count_in_sitemaps(batch)

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
        self._counters.pages_in_sitemaps += batch.listed + known


def _first_listed(batch: MentionBatch) -> str:
    return next(url for row, url in enumerate(batch.urls) if row not in batch.refused)
