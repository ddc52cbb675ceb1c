"""The collector leaves alone what stays, and is as it was when the crawl has ended."""

from __future__ import annotations

import gc
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy.signalmanager import SignalManager

from sitecrawl.extensions.collector import CollectorTuning

_SCAN_IN_A_PROCESS = """
import atexit, gc
from tests.extensions.test_collector import a_crawler
from sitecrawl.extensions.collector import CollectorTuning

atexit.register(lambda: print(gc.get_freeze_count() > 0))
tuning = CollectorTuning.from_crawler(a_crawler())
tuning.spider_opened()
tuning.engine_stopped()
print(gc.get_freeze_count())
"""


def a_crawler() -> Any:
    crawler = SimpleNamespace()
    crawler.signals = SignalManager(crawler)
    return crawler


@pytest.fixture
def tuning() -> CollectorTuning:
    return CollectorTuning.from_crawler(a_crawler())


def test_what_is_loaded_is_left_alone_while_the_spider_is_open(tuning: CollectorTuning) -> None:
    before = gc.get_threshold()
    tuning.spider_opened()
    assert gc.get_freeze_count()
    assert gc.get_threshold() > before
    tuning.engine_stopped()
    assert not gc.get_freeze_count()
    assert gc.get_threshold() == before


def test_a_process_that_ends_looks_for_no_garbage() -> None:
    command = [sys.executable, "-c", _SCAN_IN_A_PROCESS]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    assert done.stdout.split() == ["0", "True"]
