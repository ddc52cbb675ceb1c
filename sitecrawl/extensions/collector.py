"""Python's garbage collector, set for columns of thousands of strings."""

from __future__ import annotations

import atexit
import gc
from typing import TYPE_CHECKING

from scrapy import signals

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler

_THRESHOLDS = (200_000, 20, 20)


def look_seldom() -> None:
    """Let the collector wait for hundreds of thousands of new objects."""
    gc.set_threshold(*_THRESHOLDS)


class CollectorTuning:
    """Let the collector leave the modules alone and look less often.

    A batch makes tens of thousands of tuples that die at once by reference counting. With the
    default of 700 objects the collector runs for each of them, and goes through all that Scrapy
    has loaded again and again.

    When the process ends, Python looks for garbage among all that is still there, to free what the
    operating system takes back anyway: a tenth of the time of a scan that reads one page.
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
        look_seldom()
        atexit.unregister(gc.freeze)  # of another crawler in this process
        atexit.register(gc.freeze)

    def engine_stopped(self) -> None:
        # What was made meanwhile counts as old with the rest; as new it would be looked at at once.
        gc.freeze()
        gc.unfreeze()
        gc.set_threshold(*self._thresholds)
