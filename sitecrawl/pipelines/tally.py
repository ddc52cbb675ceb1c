"""Counts what a scan finds, when it is clear what is listed and what is refused."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from sitecrawl.items import MentionBatch

if TYPE_CHECKING:
    from typing import Any, Self

    from scrapy.crawler import Crawler


class TallyPipeline:
    """Fill ``listed``.

    Stats: ``sitecrawl/pages/listed``, ``sitecrawl/pages/refused/<reason>``,
    ``sitecrawl/pages/source/<source>``, ``sitecrawl/pages/example`` (the first URL),
    ``sitecrawl/mentions``.
    """

    def __init__(self, crawler: Crawler):
        self._stats = crawler.stats

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def process_item(self, item: Any) -> Any:
        if isinstance(item, MentionBatch):
            self._count(item)
        return item

    def _count(self, batch: MentionBatch) -> None:
        refused = Counter(
            refusal.reason for row, refusal in batch.refused.items() if batch.is_new[row]
        )
        batch.listed = sum(batch.is_new) - refused.total()
        count = self._stats.inc_value
        if batch.listed and not self._stats.get_value("sitecrawl/pages/example"):
            self._stats.set_value("sitecrawl/pages/example", _first_listed(batch))
        count("sitecrawl/mentions", len(batch.ids))
        count("sitecrawl/pages/listed", batch.listed)
        count(f"sitecrawl/pages/source/{batch.source}", batch.listed)
        for reason, number in refused.items():
            count(f"sitecrawl/pages/refused/{reason}", number)


def _first_listed(batch: MentionBatch) -> str:
    return next(url for row, url in enumerate(batch.urls) if row not in batch.refused)
