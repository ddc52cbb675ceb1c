"""Identity: the id of each page, and whether this scan has met it before."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from sitecrawl.config import Config
from sitecrawl.items import MentionBatch
from sitecrawl.pipelines.store import StorePipeline
from sitecrawl.urls.canonical import page_ids

if TYPE_CHECKING:
    from typing import Any, Self

    from scrapy.crawler import Crawler

    from sitecrawl.urls.canonical import KeyRules
    from sitecrawl.urls.seen import SeenIds


class DedupePipeline:
    """Fill ``ids`` and ``is_new``.

    Stats: ``sitecrawl/pages/listed``, ``sitecrawl/pages/refused``,
    ``sitecrawl/pages/refused/<reason>``, ``sitecrawl/pages/source/<source>``,
    ``sitecrawl/pages/example`` (the first URL), ``sitecrawl/mentions``.
    """

    def __init__(self, crawler: Crawler, key_rules: KeyRules):
        self._crawler = crawler
        self._stats = crawler.stats
        self._key_rules = key_rules
        self._seen: SeenIds | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler, Config.from_settings(crawler.settings).key_rules())

    def process_item(self, item: Any) -> Any:
        if isinstance(item, MentionBatch):
            item.ids = page_ids(item.urls, self._seed(), self._key_rules)
            item.is_new = self._known_ids().add_all(item.ids)
            self._count(item)
        return item

    def _known_ids(self) -> SeenIds:
        if self._seen is None:
            from sitecrawl.urls.seen import SeenIds  # NumPy would hold up the first request

            self._seen = SeenIds()
        return self._seen

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
        listed = batch.listed = new - refused.total()
        count = self._stats.inc_value
        if listed and not self._stats.get_value("sitecrawl/pages/example"):
            self._stats.set_value("sitecrawl/pages/example", _first_listed(batch))
        count("sitecrawl/mentions", len(batch.ids))
        count("sitecrawl/pages/listed", listed)
        count(f"sitecrawl/pages/source/{batch.source}", listed)
        for reason, number in refused.items():
            count("sitecrawl/pages/refused", number)
            count(f"sitecrawl/pages/refused/{reason}", number)


def _first_listed(batch: MentionBatch) -> str:
    return next(url for row, url in enumerate(batch.urls) if row not in batch.refused)
