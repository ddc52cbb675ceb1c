"""Ends the leases of fetchers at bad moments, and renews them shortly after."""

from __future__ import annotations

import asyncio
import json
import time
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from scrapy import signals

from sitecrawl.scan import scan_of
from sitecrawl.settings import EXTENSIONS

if TYPE_CHECKING:
    from typing import Self

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

_RENEWED_AFTER_SECONDS = 0.5  # a retry comes earlier


def ending_leases() -> dict[str, str]:
    """Settings under which the leases of a fetcher end."""
    own = {f"{__name__}.{EndingLeases.__name__}": 0}
    return {"EXTENSIONS": json.dumps({**EXTENSIONS, **own})}


class EndingLeases:
    """The lease of a host ends before its first document of each kind, and after an error."""

    def __init__(self, crawler: Crawler):
        self._crawler = crawler
        self._seen: set[tuple[str, Any]] = set()
        if crawler.spider is not None and crawler.spider.name == "fetch":
            crawler.signals.connect(self.requested, signals.request_reached_downloader)
            crawler.signals.connect(self.answered, signals.response_downloaded)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def requested(self, request: Request) -> None:
        pace = scan_of(self._crawler).politeness.host(request.url).pace
        seen = pace.host, request.meta["sitecrawl_document"]["kind"]
        if seen not in self._seen:
            self._seen.add(seen)
            self._end(request)

    def answered(self, response: Response, request: Request) -> None:
        if response.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            self._end(request)

    def _end(self, request: Request) -> None:
        pace = scan_of(self._crawler).politeness.host(request.url).pace
        before, pace.held_until = pace.held_until, time.monotonic()

        def renew() -> None:
            pace.held_until = max(pace.held_until, before)

        asyncio.get_running_loop().call_later(_RENEWED_AFTER_SECONDS, renew)
