"""Downloads that do not hold up the end of a scan."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from scrapy.exceptions import DownloadCancelledError

from sitecrawl.downloadhandlers.departures import DeparturePool
from sitecrawl.downloadhandlers.guarded import GuardedDownloadHandler

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

_LOOK_SECONDS = 0.25


class ScanStoppedError(DownloadCancelledError):
    """The scan was stopped while this was under way."""


class StoppableDownloadHandler(GuardedDownloadHandler):
    """Gives up what is under way once the spider is being closed, and connects guarded.

    Scrapy waits for it instead: after Ctrl-C, or at the end of the time for a scan, up to the
    time-out of a request.
    """

    def __init__(self, crawler: Crawler):
        super().__init__(crawler)
        from twisted.internet import reactor

        self._pool = DeparturePool(reactor, self._pool.maxPersistentPerHost)

    async def download_request(self, request: Request) -> Response:
        download = asyncio.ensure_future(super().download_request(request))
        while not (await asyncio.wait({download}, timeout=_LOOK_SECONDS))[0]:
            if is_stopping(self._crawler):
                download.cancel()
                raise ScanStoppedError("the scan was stopped")
        return download.result()


def is_stopping(crawler: Crawler) -> bool:
    """Whether the spider is being closed, for whatever reason."""
    # Scrapy has no public word for a spider that is being closed and waits for its requests.
    slot = crawler.engine._slot  # noqa: SLF001
    return not crawler.crawling or slot is None or slot.closing is not None
