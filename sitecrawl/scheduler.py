"""Scrapy's scheduler, with the frontier of the scan behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.core.scheduler import Scheduler

from sitecrawl.scan import scan_of

if TYPE_CHECKING:
    from typing import Self

    from scrapy import Request
    from scrapy.crawler import Crawler

    from sitecrawl.scan.frontier import Frontier


class FrontierScheduler(Scheduler):
    """Scrapy's scheduler; when it has no request, the next visit of the scan is handed out.

    The visits of the crawl and of the checks are rows of the store: memory does not grow with their
    number, and a killed scan can be resumed (``sitecrawl resume``). Requests of spiders without an
    inventory are not affected.
    """

    _frontiers: tuple[Frontier, Frontier]

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        scheduler = super().from_crawler(crawler)
        scan = scan_of(crawler)
        scheduler._frontiers = scan.frontier, scan.checks  # noqa: SLF001  of its own class
        return scheduler

    def has_pending_requests(self) -> bool:
        return super().has_pending_requests() or any(each.has_pending for each in self._frontiers)

    def next_request(self) -> Request | None:
        if request := super().next_request():
            return request
        return next(filter(None, (each.next_request() for each in self._frontiers)), None)
