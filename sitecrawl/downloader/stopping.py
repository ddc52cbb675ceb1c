"""A scan that is being stopped waits for nothing more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.exceptions import DownloadCancelledError

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class ScanStoppedError(DownloadCancelledError):
    """The scan was stopped while this was under way."""


def is_stopping(crawler: Crawler) -> bool:
    """Whether the spider is being closed, for whatever reason."""
    # Scrapy has no public word for a spider that is being closed and waits for its requests.
    slot = crawler.engine._slot  # noqa: SLF001
    return not crawler.crawling or slot is None or slot.closing is not None
