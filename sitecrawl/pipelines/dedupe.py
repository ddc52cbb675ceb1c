"""Identity: the id of each page, and whether this scan has met it before."""

from __future__ import annotations

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
    """Fill ``ids`` and ``is_new``."""

    def __init__(self, crawler: Crawler, key_rules: KeyRules):
        self._crawler = crawler
        self._key_rules = key_rules
        self._seen: SeenIds | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler, Config.from_settings(crawler.settings).key_rules())

    def process_item(self, item: Any) -> Any:
        if isinstance(item, MentionBatch):
            item.ids = page_ids(item.urls, self._seed(), self._key_rules)
            item.is_new = self._known_ids().add_all(item.ids)
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
