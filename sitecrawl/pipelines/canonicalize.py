"""From what documents wrote to canonical URLs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitecrawl.config import Config
from sitecrawl.items import MentionBatch
from sitecrawl.urls.canonical import canonicalize_all, explain_refusal
from sitecrawl.urls.credentials import without_credentials

if TYPE_CHECKING:
    from typing import Any, Self

    from scrapy.crawler import Crawler


class CanonicalizePipeline:
    """Fill ``urls``; what is no http(s) URL is refused and kept as it was written."""

    def __init__(self, config: Config):
        self._rules = config.canonical_rules()
        self._max_length = config.max_url_length

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(Config.from_settings(crawler.settings))

    def process_item(self, item: Any) -> Any:
        if isinstance(item, MentionBatch):
            urls = canonicalize_all(item.locs, item.base, self._rules)
            if None in urls:
                for row, url in enumerate(urls):
                    if url is None:
                        loc = item.locs[row]
                        item.refused[row] = explain_refusal(loc, item.base, self._rules)
                        urls[row] = without_credentials(loc)[: self._max_length]
            item.urls = urls  # type: ignore[assignment]  # no None is left
        return item
