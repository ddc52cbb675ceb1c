"""Downloads that do not hold up the end of a scan."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from sitecrawl.downloader.stopping import ScanStoppedError, is_stopping
from sitecrawl.downloadhandlers.plain import PlainDownloadHandler

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

_LOOK_SECONDS = 0.25


class StoppableDownloadHandler(PlainDownloadHandler):
    """Gives up what is under way once the spider is being closed, and connects guarded.

    Scrapy waits for it instead: after Ctrl-C, or at the end of the time for a scan, up to the
    time-out of a request.
    """

    def __init__(self, crawler: Crawler):
        super().__init__(crawler)
        # The downloader has a task for each.
        self._under_way: set[asyncio.Task[Any]] = set()
        self._given_up: set[asyncio.Task[Any]] = set()
        self._timer: asyncio.TimerHandle | None = None

    async def download_request(self, request: Request) -> Response:
        task = asyncio.current_task()
        assert task is not None
        self._under_way.add(task)
        if self._timer is None:
            self._look_again()
        try:
            return await super().download_request(request)
        except asyncio.CancelledError:
            if task not in self._given_up:
                raise
            task.uncancel()
            raise ScanStoppedError("the scan was stopped") from None
        finally:
            self._under_way.discard(task)
            self._given_up.discard(task)

    async def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        await super().close()

    def _look_again(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(_LOOK_SECONDS, self._look)

    def _look(self) -> None:
        """One look for all of them: a timer for each would cost more than the download."""
        self._timer = None
        if is_stopping(self._crawler):
            for task in self._under_way - self._given_up:
                self._given_up.add(task)
                task.cancel()
        if self._under_way:
            self._look_again()
