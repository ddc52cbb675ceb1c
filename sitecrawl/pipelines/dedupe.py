"""Identity: the id of each page, and whether this scan has met it before."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from sitecrawl.config import Config
from sitecrawl.items import MentionBatch
from sitecrawl.pipelines.store import StorePipeline
from sitecrawl.urls.canonical import page_ids
from sitecrawl.urls.seen import SeenIds

if TYPE_CHECKING:
    from typing import Any, Self

    from scrapy.crawler import Crawler

    from sitecrawl.urls.canonical import KeyRules


class DedupePipeline:
    """Fill ``ids`` and ``is_new``.

    Stats: ``sitecrawl/pages/listed``, ``sitecrawl/pages/refused``,
    ``sitecrawl/pages/refused/<reason>``, ``sitecrawl/pages/source/<source>``,
    ``sitecrawl/mentions``.
    """

    def __init__(self, crawler: Crawler, key_rules: KeyRules):
        self._crawler = crawler
        self._stats = crawler.stats
        self._key_rules = key_rules
        self._seen = SeenIds()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler, Config.from_settings(crawler.settings).key_rules())

    def process_item(self, item: Any) -> Any:
        if isinstance(item, MentionBatch):
            item.ids = page_ids(item.urls, self._seed(), self._key_rules)
            item.is_new = self._seen.add_all(item.ids)
            self._count(item)
        return item

    def _seed(self) -> int:
        """Of the site's page ids: a secret of its record, so the store must have begun the scan."""
        store = self._crawler.get_item_pipeline(StorePipeline)
        assert store is not None
        return store.scan.seed

    def _count(self, batch: MentionBatch) -> None:
        new = sum(batch.is_new)
        refused = Counter(
            refusal.reason for row, refusal in batch.refused.items() if batch.is_new[row]
        )
        listed = new - refused.total()
        count = self._stats.inc_value
        count("sitecrawl/mentions", len(batch.ids))
        count("sitecrawl/pages/listed", listed)
        count(f"sitecrawl/pages/source/{batch.source}", listed)
        for reason, number in refused.items():
            count("sitecrawl/pages/refused", number)
            count(f"sitecrawl/pages/refused/{reason}", number)
