"""The garbage collector of a process that runs one spider and ends with it."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

from scrapy import signals

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

# Python's default is 700: a page makes more objects than that, and they do not refer to each other.
_NEW_OBJECTS = 10_000


def collect_garbage_rarely(crawler: Crawler) -> None:
    """Let the collector look at new objects only, and less often.

    By default it goes through all loaded modules again and again, for a seventh of the CPU time of
    a crawl. What is there when the spider is opened stays until the process ends. Only for a
    process of our own: the collector is not the crawler's but the process's.
    """
    gc.set_threshold(_NEW_OBJECTS)
    crawler.signals.connect(_spare_loaded_objects, signals.spider_opened)


def _spare_loaded_objects() -> None:
    gc.freeze()
