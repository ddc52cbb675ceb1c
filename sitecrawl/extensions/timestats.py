"""When a run started and ended, and how many answers there were."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.extensions.corestats import CoreStats

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler


class TimeStats(CoreStats):
    """Scrapy's, which does not count items: here an item is whatever one document said.

    (Each receiver of that signal costs a task for each item.)
    """

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        stats = super().from_crawler(crawler)
        crawler.signals.disconnect(stats.item_scraped, signals.item_scraped)
        return stats
