"""Downloads that do not hold up the end of a scan."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.exceptions import DownloadCancelledError

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.http import Response

_LOOK_SECONDS = 0.25


class ScanStoppedError(DownloadCancelledError):
    """The scan was stopped while this was under way."""


class StoppableDownloadHandler(HTTP11DownloadHandler):
    """Scrapy's handler, which gives up what is under way once the spider is being closed.

    Scrapy waits for it instead: after Ctrl-C, or at the end of the time for a scan, up to the
    time-out of a request.
    """

    async def download_request(self, request: Request) -> Response:
        download = asyncio.ensure_future(super().download_request(request))
        while not (await asyncio.wait({download}, timeout=_LOOK_SECONDS))[0]:
            if self._is_stopping():
                download.cancel()
                raise ScanStoppedError("the scan was stopped")
        return download.result()

    def _is_stopping(self) -> bool:
        spider = self._crawler.spider
        return not self._crawler.crawling or bool(getattr(spider, "is_stopping", False))
