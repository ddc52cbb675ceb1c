"""The bounded crawl: page after page, breadth first, from the frontier that the store keeps."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any, ClassVar

from sitecrawl.items import NOT_SENT, FetchOutcome
from sitecrawl.stages.fetch import fetched_pages, take_reports
from sitecrawl.stages.pages import note_limits
from sitecrawl.stages.visits import VisitStage
from sitecrawl.stages.waterfall import why_no_crawl

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable

    from scrapy import Request
    from scrapy.http import Response

    from sitecrawl.items import Visit, VisitedPage
    from sitecrawl.stages.base import ScanContext


class CrawlStage(VisitStage):
    """Visit the pages of the frontier; what they link to goes behind its end.

    So the crawl is strictly breadth first.
    """

    name: ClassVar[str] = "crawl"
    found_by: ClassVar[str] = "a link"

    def __init__(self, context: ScanContext):
        super().__init__(context, context.scan.frontier)
        self._has_begun = False
        self._last_taken = 0
        self._link_rules = context.link_rules

    async def next_requests(self) -> Iterable[Request]:
        pages = self.context.counters.pages_of_sitemaps
        if because := why_no_crawl(self.context.config, pages):
            self.has_run = False
            self.end_reason = because
            return []
        if not self._has_begun:
            await self._begin()
            if self.context.config.fetchers:
                await self._take_fetched()
        return await self._next_visit()

    def outcome(self) -> dict[str, Any]:
        context = self.context
        if self._frontier.is_limit_reached:
            limit = context.config.max_crawl_pages
            self.truncate("pages left to visit", "SITECRAWL_MAX_CRAWL_PAGES", limit)
            self.end_reason = "the limit of pages was reached"
        if beyond := context.counters.beyond_depth:
            limit = context.config.max_crawl_depth
            self.truncate(f"{beyond:,} pages more clicks away", "SITECRAWL_MAX_CRAWL_DEPTH", limit)
        return {**super().outcome(), "visited": self._frontier.started}

    async def _begin(self) -> None:
        """The root has been visited, and in a scan that goes on also others."""
        self._has_begun = True
        context = self.context
        if resumption := await context.resumption():
            context.rendering.restore(resumption)
        assert context.scan.database is not None
        self._frontier.open(
            context.scan.database.waiting_visits,
            self._request,
            context.crawl,
            visited=context.counters.visited,
            max_pages=context.config.max_crawl_pages,
        )

    async def _take_fetched(self) -> None:
        """Conclude the visits that fetchers make, until none is left or the scan is stopped."""
        context, database = self.context, self.context.scan.database
        assert database is not None
        budget = context.scan.politeness.budget
        async with context.scan.finalize_lock:
            await database.open_queues(
                budget.pages,
                budget.seconds_left(time.monotonic()),
                has_browser=context.rendering.has_browser,
            )
            processes = context.start_fetchers()
            try:
                async for fetched in fetched_pages(context, processes):
                    self._frontier.take_fetched()
                    for document in fetched.documents:
                        await context.put(document)
                    await self._take(fetched.page)
            finally:
                await asyncio.to_thread(processes.stop)
                await database.close_queues()
                await take_reports(context)
            await database.forget_answers(self._last_taken)
            self._frontier.close()
            context.scan.politeness.note_sent_by_others(time.monotonic())

    async def _take(self, page: VisitedPage) -> None:
        note_limits(self, page)
        self._last_taken = page.visit.number
        if page.rendered is not None:
            self.context.counters.count_rendering(page.rendered)
        await self._store(page)
        if page.document.outcome not in NOT_SENT:
            self._count(page)
        elif not page.visit.external_hops:
            is_refused = page.document.outcome is FetchOutcome.OVER_BUDGET
            self.context.scan.politeness.budget.refused_pages += is_refused
            self._frontier.close()  # nor would the next ones be sent

    def _request(self, visit: Visit) -> Request:
        request = super()._request(visit)
        if self._link_rules is not None:  # those of a spider look at every page itself
            del request.meta["sitecrawl_known_page"]
            request.callback = self._answered_by_rules
        return request

    async def _answered_by_rules(self, response: Response, visit: Visit) -> AsyncIterator[Any]:
        await self._answered(response, visit)
        assert self._link_rules is not None
        async for result in self._link_rules.results(response, visit):
            yield result

    def _has_read(self, response: Response, page: VisitedPage) -> None:
        if self._link_rules is not None:
            self._link_rules.choose(response, page)

    async def _store(self, page: VisitedPage) -> None:
        await super()._store(page)
        self.context.rendering.conclude(page)

    def _count(self, page: VisitedPage) -> None:
        self.context.counters.visited += 1
