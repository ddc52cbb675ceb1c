"""The bounded crawl: page after page, breadth first, from the frontier that the store keeps."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from dataclasses import replace
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, ClassVar

from sitecrawl.items import NOT_SENT, DocumentKind, FetchOutcome, PageFacts, VisitedPage
from sitecrawl.stages.base import ScanContext, Stage
from sitecrawl.stages.fetching import document_request, failed_document, fetched_document
from sitecrawl.stages.order import InOrder
from sitecrawl.stages.pages import PageReader, ReadPage, note_limits
from sitecrawl.stages.probe import ErrorPages
from sitecrawl.stages.waterfall import crawl_is_needed
from sitecrawl.urls.address import resolve_location
from sitecrawl.urls.canonical import canonicalize, page_key
from sitecrawl.urls.redirects import MAX_REDIRECTS
from sitecrawl.urls.refusal import Reason, Refusal

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Iterable

    from scrapy import Request
    from scrapy.http import Response
    from twisted.python.failure import Failure

    from sitecrawl.items import Document, Visit

logger = logging.getLogger(__name__)

# Under way at once; the politeness of the download slots comes on top. These are fetched again
# when a killed scan is resumed.
_MAX_PARALLEL = 12
# Read from the frontier at once.
_TAKEN_AT_ONCE = 64
_REFUSED_OUTCOMES = {
    FetchOutcome.NOT_FOUND: Reason.NOT_FOUND,
    FetchOutcome.TOO_MANY_REDIRECTS: Reason.TOO_MANY_REDIRECTS,
}


class CrawlStage(Stage):
    """Visit the pages of the frontier in its order; what they link to goes behind its end.

    Answers are read as they come, but what they say is handed on in the order of the visits: so
    the crawl is strictly breadth first, and gives the same list however fast each answer was.
    """

    name: ClassVar[str] = "crawl"

    def __init__(self, context: ScanContext):
        super().__init__(context)
        self._reader = PageReader(context.config)
        self._error_pages = ErrorPages(context)
        self._order = InOrder()
        self._doubtful: set[int] = set()  # visits whose turn decides whether they are rendered
        self._frontier: deque[Visit] = deque()
        self._taking = asyncio.Lock()
        self._last_taken: int | None = None
        self._started = 0
        self._is_over = False
        self._canonical_rules = context.config.canonical_rules()
        self._key_rules = context.config.key_rules()

    async def next_requests(self) -> Iterable[Request]:
        if not self._is_needed():
            self.end_reason = "the sitemaps gave enough"
            return []
        if self._last_taken is None:
            await self._begin()
        return await self._take()

    def outcome(self) -> dict[str, Any]:
        if beyond := self.context.progress.pages_beyond_depth:
            limit = self.context.config.max_crawl_depth
            self.truncate(f"{beyond:,} pages more clicks away", "SITECRAWL_MAX_CRAWL_DEPTH", limit)
        return {**super().outcome(), "visited": self._started}

    def _is_needed(self) -> bool:
        return crawl_is_needed(self.context.config, self.context.progress.pages_in_sitemaps)

    async def _begin(self) -> None:
        """The root has been visited, and in a scan that goes on also others."""
        self._last_taken = 0
        self._started = self.context.progress.visits
        if resumption := await self.context.frontier.scan_to_resume():
            self.context.rendering.restore(resumption)

    async def _take(self) -> list[Request]:
        """Requests for the next pages, as many as may be under way."""
        limit = self.context.config.max_crawl_pages
        requests: list[Request] = []
        async with self._taking:
            while len(self._order) < _MAX_PARALLEL and not self._is_over:
                if not self._frontier:
                    assert self._last_taken is not None
                    self._frontier.extend(
                        await self.context.frontier.waiting_visits(self._last_taken, _TAKEN_AT_ONCE)
                    )
                if not self._frontier:
                    break
                if 0 < limit <= self._started:
                    self.truncate("pages left to visit", "SITECRAWL_MAX_CRAWL_PAGES", limit)
                    self.end_reason = "the limit of pages was reached"
                    break
                visit = self._frontier.popleft()
                self._last_taken = visit.number
                self._started += 1
                self._order.announce(visit.number)
                requests.append(self._request(visit))
        return requests

    def _request(self, visit: Visit) -> Request:
        config = self.context.config
        request = document_request(
            visit.url,
            DocumentKind.PAGE,
            "a link",
            callback=self._answered,
            errback=self._failed,
            callback_arguments={"visit": visit},
            timeout_seconds=config.page_timeout_seconds,
            max_bytes=config.max_page_bytes,
            depth=visit.clicks,
        )
        # A redirect to another page is a link to it: that page has its own visit.
        request.meta["sitecrawl_redirect_within_page"] = True
        return request

    async def _answered(self, response: Response, visit: Visit) -> AsyncIterator[Any]:
        read = await self._or_lost(self._read(response, visit), response, visit)
        async for item in self._hand_on(read, response):
            yield item

    async def _failed(self, failure: Failure) -> AsyncIterator[Any]:
        visit: Visit = failure.request.cb_kwargs["visit"]  # type: ignore[attr-defined]
        document = failed_document(failure)
        if document.outcome in NOT_SENT and not visit.external_hops:
            self._is_over = True  # nor would the next ones be sent
        async for item in self._hand_on(ReadPage(_unread_page(visit, document))):
            yield item

    async def _or_lost(
        self, reading: Awaitable[ReadPage], response: Response, visit: Visit
    ) -> ReadPage:
        """A fault of ours must not keep the pages behind this one from their turn."""
        try:
            return await reading
        except Exception:
            logger.exception("%s could not be read", visit.url)
            self.context.progress.count_lost()
            document = fetched_document(response)
            document.outcome = FetchOutcome.INCOMPLETE
            return ReadPage(VisitedPage(visit, document))

    async def _hand_on(
        self, read: ReadPage, response: Response | None = None
    ) -> AsyncIterator[Any]:
        """Yield the page when it is its turn; then ask for what may be visited next."""
        visit = read.page.visit
        async with self._order.turn(visit.number):
            if response is not None:
                read = await self._or_lost(self._judge(read, response), response, visit)
            page = read.page
            yield page
            await self.context.frontier.visit_accepted(visit)
            self.context.rendering.conclude(page)
        for asked in self._error_pages.take_new():
            yield asked
        if page.document.outcome not in NOT_SENT:
            self.context.progress.count_visit()
        for request in await self._take():
            yield request

    async def _read(self, response: Response, visit: Visit) -> ReadPage:
        """What the page says, or nothing but why."""
        document = self._reader.fetched(response)
        scope = self.context.scope
        if target := self._redirect_target(response):
            page = self._reader.redirected(document, visit, scope, target)
            refusal = self._redirect_refusal(visit, target)
            if refusal.reason is not Reason.REDIRECTED:
                page.batches.clear()
            page.facts = PageFacts(refusal=refusal)
            return ReadPage(page)
        if document.outcome is not FetchOutcome.OK:
            return ReadPage(_unread_page(visit, document))
        read = self._reader.read(response, document, visit, scope)
        note_limits(self, read.page)
        if await self.context.rendering.if_sure(read, response, scope):
            self._doubtful.add(visit.number)
        return read

    async def _judge(self, read: ReadPage, response: Response) -> ReadPage:
        """See the page as people do, and whether it is one; all before it have been judged."""
        number = read.page.visit.number
        if number in self._doubtful:
            self._doubtful.remove(number)
            await self.context.rendering.at_turn(read, response, self.context.scope)
        if read.reading is not None and (refusal := await self._refusal_of(read.page)):
            read.page.facts = replace(read.page.facts, refusal=refusal)
        return read

    def _redirect_target(self, response: Response) -> str | None:
        location = response.headers.get("Location")
        is_redirect = HTTPStatus.MULTIPLE_CHOICES <= response.status < HTTPStatus.BAD_REQUEST
        if location is None or not is_redirect:
            return None
        return resolve_location(location, response.url)

    def _redirect_refusal(self, visit: Visit, target: str) -> Refusal:
        chain = (*visit.redirected_from, visit.url)
        shown = canonicalize(target, rules=self._canonical_rules) or target
        if self._key(shown) in map(self._key, chain):
            return Refusal(Reason.REDIRECT_LOOP, shown)
        if len(chain) > MAX_REDIRECTS:
            return Refusal(Reason.TOO_MANY_REDIRECTS, shown)
        return Refusal(Reason.REDIRECTED, shown)

    async def _refusal_of(self, page: VisitedPage) -> Refusal | None:
        """Why a page that was read is none of the site's after all."""
        config, facts = self.context.config, page.facts
        if config.soft_404 and facts.fingerprint is not None:
            error_page = await self._error_pages.of(page.visit.url)
            if error_page and error_page.looks_like(facts):
                return Refusal(Reason.SOFT_404, error_page.url)
        if config.canonical_is_identity and facts.canonical:
            base = page.document.final_url
            canonical = canonicalize(facts.canonical, base, self._canonical_rules)
            if canonical and self._key(canonical) != self._key(page.visit.url):
                return Refusal(Reason.OTHER_CANONICAL, canonical)
        return None

    def _key(self, url: str) -> str:
        return page_key(url, self._key_rules)


def _unread_page(visit: Visit, document: Document) -> VisitedPage:
    page = VisitedPage(visit, document)
    if reason := _REFUSED_OUTCOMES.get(document.outcome):
        page.facts = PageFacts(refusal=Refusal(reason, document.error))
    return page
