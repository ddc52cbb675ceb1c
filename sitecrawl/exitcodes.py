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
    status = crawler.stats.get_value("sitecrawl/scan/status")
    if crawler.stats.get_value("sitecrawl/feeds/failed"):
        return ExitCode.FAILED
    if status == ScanStatus.FINISHED:
        return ExitCode.DONE
    return ExitCode.PARTIAL if status == ScanStatus.PARTIAL else ExitCode.FAILED
