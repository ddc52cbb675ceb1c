from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import pytest
from scrapy import signals
from scrapy.utils.test import get_crawler

from sitecrawl.scan.garbage import collect_garbage_rarely

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def _collector() -> Iterator[None]:
    """The collector belongs to the process: leave it as it was."""
    thresholds = gc.get_threshold()
    yield
    gc.set_threshold(*thresholds)
    gc.unfreeze()


@pytest.mark.usefixtures("_collector")
def test_loaded_objects_are_spared_once_the_spider_is_opened() -> None:
    crawler = get_crawler()
    collect_garbage_rarely(crawler)
    assert gc.get_freeze_count() == 0
    crawler.signals.send_catch_log(signals.spider_opened)
    assert gc.get_freeze_count() > 0
    assert gc.get_threshold()[0] > 700
