"""Visits of pages in the order of the frontier, for the crawl and for checks."""

from __future__ import annotations

import logging
from abc import abstractmethod
from dataclasses import replace
from http import HTTPStatus
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from sitecrawl.items import NOT_SENT, DocumentKind, FetchOutcome, PageFacts, PageFormat, VisitedPage
from sitecrawl.scan.documents import document_request, failed_document, fetched_document
from sitecrawl.scan.errors import NotSentError, ScanStoppedError
from sitecrawl.stages.base import Stage
from sitecrawl.stages.order import InOrder
from sitecrawl.stages.pages import PageReader, ReadPage, note_limits
from sitecrawl.stages.soft_404 import ErrorPages
from sitecrawl.urls.address import resolve_location
from sitecrawl.urls.canonical import canonicalize, page_key
from sitecrawl.urls.refusal import Reason, Refusal

if TYPE_CHECKING:
    from collections.abc import Awaitable, Iterable

    from scrapy import Request
    from scrapy.http import Response
    from twisted.python.failure import Failure

    from sitecrawl.items import Document, Visit
    from sitecrawl.scan.frontier import Frontier
    from sitecrawl.stages.base import ScanContext

logger = logging.getLogger(__name__)

_REFUSED_OUTCOMES = {
    FetchOutcome.NOT_FOUND: Reason.NOT_FOUND,
    FetchOutcome.TOO_MANY_REDIRECTS: Reason.TOO_MANY_REDIRECTS,
}


class ReadAnswer(NamedTuple):
    """A page that was read, with its response if it is doubtful whether it is rendered."""

    read: ReadPage
    to_render: Response | None = None


class VisitStage(Stage):
    """Visit the pages of a frontier in its order.

    The scheduler hands the pages out. Answers are read as they come, but what they say is handed
    on in the order of the visits, so that the list does not depend on how fast each answer was.

    Settings: ``SITECRAWL_SOFT_404``, ``SITECRAWL_CANONICAL_IS_IDENTITY``,
    ``SITECRAWL_PAGE_TIMEOUT_SECONDS``, ``SITECRAWL_MAX_PAGE_BYTES``.
    Meta: ``sitecrawl_redirect_within_page``, ``sitecrawl_known_page``.
    """

    found_by: ClassVar[str]
    """``found_by`` of the documents of these visits."""
    tries_rendering: ClassVar[bool] = True
    """Whether pages that may need a browser are rendered, to see what that gives."""

    def __init__(self, context: ScanContext, frontier: Frontier):
        super().__init__(context)
        self._frontier = frontier
        self._reader = PageReader(context.config)
        self._error_pages = context.error_pages = context.error_pages or ErrorPages(context)
        self._order: InOrder[ReadAnswer] = InOrder()
        self._canonical_rules = context.config.canonical_rules()
        self._key_rules = context.config.key_rules()

    def _has_read(self, response: Response, page: VisitedPage) -> None:
        """A page was read as it was sent."""

    async def _store(self, page: VisitedPage) -> None:
        """Hand on what a visit gave."""
        await self.context.put(page)

    @abstractmethod
    def _count(self, page: VisitedPage) -> None:
        """A visit was made, and is stored."""

    async def _next_visit(self) -> Iterable[Request]:
        """The next request when nothing is under way; nothing: all visits were made."""
        if missing := self._order.give_up_missing():
            self.context.counters.items_lost += missing
            await self._drain()
        request = await self._frontier.first_request()
        return [request] if request else []

    def _request(self, visit: Visit) -> Request:
        config = self.context.config
        self._order.announce(visit.number)
        request = document_request(
            visit.url,
            DocumentKind.PAGE,
            self.found_by,
            callback=self._answered,
            errback=self._failed,
            callback_arguments={"visit": visit},
            timeout_seconds=config.page_timeout_seconds,
            max_bytes=config.max_page_bytes,
            depth=visit.clicks,
        )
        # A redirect to another page is a link to it: that page has its own visit.
        request.meta["sitecrawl_redirect_within_page"] = True
        request.meta["sitecrawl_known_page"] = visit.known
        return request

    async def _answered(self, response: Response, visit: Visit) -> None:
        await self._hand_on(await self._or_lost(self._read(response, visit), response, visit))

    async def _failed(self, failure: Failure) -> None:
        visit: Visit = failure.request.cb_kwargs["visit"]  # type: ignore[attr-defined]
        document = failed_document(failure)
        if document.outcome in NOT_SENT and not visit.external_hops:
            self._frontier.close()  # the next ones would not be sent either
        await self._hand_on(ReadAnswer(ReadPage(_unread_page(visit, document))))

    async def _or_lost(
        self, reading: Awaitable[ReadAnswer], response: Response, visit: Visit
    ) -> ReadAnswer:
        """An internal error must not keep the pages behind this one from their turn."""
        try:
            return await reading
        except Exception:
            logger.exception("%s could not be read", visit.url)
            self.context.counters.items_lost += 1
            document = fetched_document(response)
            document.outcome = FetchOutcome.INCOMPLETE
            return ReadAnswer(ReadPage(VisitedPage(visit, document)))

    async def _hand_on(self, answer: ReadAnswer) -> None:
        """Hand on this page and those behind it, as far as it is their turn."""
        self._order.add(answer.read.page.visit.number, answer)
        await self._drain()

    async def _drain(self) -> None:
        async for each in self._order.drain():
            await self._conclude(each)
            self._frontier.conclude()

    async def _conclude(self, answer: ReadAnswer) -> None:
        page = answer.read.page
        try:
            await self._judge(answer)
        except (NotSentError, ScanStoppedError):
            page = VisitedPage(page.visit, replace(page.document, outcome=FetchOutcome.STOPPED))
        except Exception:
            logger.exception("%s could not be judged", page.visit.url)
            self.context.counters.items_lost += 1
            page = VisitedPage(page.visit, replace(page.document, outcome=FetchOutcome.INCOMPLETE))
        await self._store(page)
        if page.document.outcome not in NOT_SENT:
            self._count(page)

    async def _read(self, response: Response, visit: Visit) -> ReadAnswer:
        """Read the page, or record why there is none."""
        document = self._reader.fetched(response)
        scope = self.context.scope
        if document.outcome is FetchOutcome.NOT_MODIFIED:
            assert visit.known is not None
            return ReadAnswer(ReadPage(self._reader.unchanged(document, visit, scope, visit.known)))
        if target := self._redirect_target(response):
            page = self._reader.redirected(document, visit, scope, target)
            refusal = self._redirect_refusal(visit, target)
            if refusal.reason is not Reason.REDIRECTED:
                page.batches.clear()
            page.facts = PageFacts(redirect_target=target, refusal=refusal)
            return ReadAnswer(ReadPage(page))
        if document.outcome is not FetchOutcome.OK:
            return ReadAnswer(ReadPage(_unread_page(visit, document)))
        read = self._reader.read(response, document, visit, scope)
        note_limits(self, read.page)
        document.forget_body()
        self._has_read(response, read.page)
        return await self._decide_rendering(read, response)

    async def _decide_rendering(self, read: ReadPage, response: Response) -> ReadAnswer:
        """Render a page that clearly needs it; a doubtful one waits for its turn."""
        is_doubtful = await self.context.rendering.if_sure(read, response, self.context.scope)
        return ReadAnswer(read, response if is_doubtful and self.tries_rendering else None)

    async def _judge(self, answer: ReadAnswer) -> None:
        """Render a doubtful page, and reject error pages; all pages before it have been judged."""
        if answer.to_render is not None:
            await self.context.rendering.at_turn(answer.read, answer.to_render, self.context.scope)
        await self._refuse(answer.read.page)

    async def _refuse(self, page: VisitedPage) -> None:
        """Reject an error page, and one that names another as canonical."""
        is_page = page.read is not None and page.read.format == PageFormat.HTML
        if is_page and (refusal := await self._refusal_of(page)):
            page.facts = replace(page.facts, refusal=refusal)

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
        if len(chain) > self.context.max_redirects:
            return Refusal(Reason.TOO_MANY_REDIRECTS, shown)
        return Refusal(Reason.REDIRECTED, shown)

    async def _refusal_of(self, page: VisitedPage) -> Refusal | None:
        """Why a fetched page is rejected."""
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
