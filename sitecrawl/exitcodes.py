"""What the commands return to the shell."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

from sitecrawl.store.vocabulary import ScanStatus

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class ExitCode(IntEnum):
    """0 and 2 as everywhere; 1: no result; 3: a result that is not whole."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    PARTIAL = 3


def exit_code(crawler: Crawler) -> ExitCode:
    """Of a crawler that has ended."""
    from sitecrawl.scan.lifecycle import ScanLifecycle  # brings Scrapy, which --help can do without

    lifecycle = crawler.get_extension(ScanLifecycle)
    if lifecycle is None or lifecycle.summary is None:
        return ExitCode.FAILED
    if lifecycle.scan.database is None:
        return ExitCode.DONE  # a spider without an inventory
    status = lifecycle.summary.status
    if lifecycle.scan.counters.feeds_failed:
        return ExitCode.FAILED
    if status == ScanStatus.FINISHED:
        return ExitCode.DONE
    return ExitCode.PARTIAL if status == ScanStatus.PARTIAL else ExitCode.FAILED
