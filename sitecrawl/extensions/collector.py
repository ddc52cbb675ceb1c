"""Python's garbage collector, set for columns of thousands of strings."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

from scrapy import signals

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler

_THRESHOLDS = (200_000, 20, 20)


class CollectorTuning:
    """Let the collector leave the modules alone and look less often.

    A batch makes tens of thousands of tuples that die at once by reference counting. With the
    default of 700 objects the collector runs for each of them, and goes through all that Scrapy
    has loaded again and again.
    """

    def __init__(self, crawler: Crawler):
        crawler.signals.connect(self.spider_opened, signals.spider_opened)
        crawler.signals.connect(self.engine_stopped, signals.engine_stopped)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def spider_opened(self) -> None:
        self._thresholds = gc.get_threshold()
        gc.freeze()
        gc.set_threshold(*_THRESHOLDS)

    def engine_stopped(self) -> None:
        gc.set_threshold(*self._thresholds)
        gc.unfreeze()
