"""Scope and skip rules: what is not wanted stays in the inventory, refused with its rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitecrawl.config import Config
from sitecrawl.items import MentionBatch
from sitecrawl.urls.skip import first_segments

if TYPE_CHECKING:
    from typing import Any, Self

    from scrapy.crawler import Crawler

    from sitecrawl.urls.skip import SkipRules

_ANY = "http://refused.invalid/"


class ScopePipeline:
    """Fill ``segments`` and ``refused``: by scope first, then by the skip rules."""

    def __init__(self, skip: SkipRules):
        self._skip = skip

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(Config.from_settings(crawler.settings).skip_rules())

    def process_item(self, item: Any) -> Any:
        if isinstance(item, MentionBatch):
            urls = item.urls
            if item.refused:  # some are no URLs, and the rules take nothing else
                urls = [_ANY if row in item.refused else url for row, url in enumerate(urls)]
            item.segments = first_segments(urls)
            # The first refusal stands: an offsite /cart is offsite.
            item.refused = {
                **self._skip.refusals(urls, item.segments),
                **item.scope.refusals(urls),
                **item.refused,
            }
        return item
