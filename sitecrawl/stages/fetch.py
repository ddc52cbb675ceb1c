"""The crawl with fetchers: they read the pages, and the scan's own process takes what they read."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, ClassVar, Final

from sitecrawl.items import NOT_SENT, Document, DocumentKind, FetchOutcome, VisitedPage
from sitecrawl.scan.answers import pack_answer, unpack_answer
from sitecrawl.scan.fetch_database import FetchDatabase
from sitecrawl.scan.frontier import Frontier
from sitecrawl.scan.shared_budget import SharedBudget
from sitecrawl.stages.pages import ReadPage
from sitecrawl.stages.visits import ReadAnswer, VisitStage
from sitecrawl.store.writers.records import Answer
from sitecrawl.urls.address import resolve

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable
    from typing import Any

    from scrapy import Request

    from sitecrawl.items import Visit
    from sitecrawl.scan.fetch_database import HeldQueue
    from sitecrawl.scan.fetchers import FetcherProcesses
    from sitecrawl.stages.base import ScanContext

_POLL_SECONDS: Final = 0.05
# A queue that has become free is found within this time.
_FILL_SECONDS: Final = 0.5
_TAKEN_AT_ONCE: Final = 64
# The lease or this process came to its end, or the turn of the request did not come.
_ASKED_AGAIN: Final = frozenset({FetchOutcome.STOPPED, FetchOutcome.SLOT_TIMEOUT})


async def fetched_pages(
    context: ScanContext, processes: FetcherProcesses
) -> AsyncIterator[tuple[VisitedPage, list[Document]]]:
    """What the fetchers have read, in the order of the visits, until no visit is left.

    Each page comes with other documents that were fetched because of it.
    """
    database, frontier, after = context.scan.database, context.scan.frontier, 0
    assert database is not None
    while answers := await database.next_answers(after, _TAKEN_AT_ONCE):
        before = after
        for number, content in answers:
            if context.is_stopping() or not frontier.may_take_fetched():
                return
            if content is None:
                break
            yield unpack_answer(content, context.scope)
            after = number
        if after > before:
            await database.forget_answers(after)
            continue
        for holder in processes.replace_dead():
            await database.release_queues(holder)
        await asyncio.sleep(_POLL_SECONDS)


async def take_reports(context: ScanContext) -> None:
    """Add what the fetchers have sent and counted to what this process has."""
    scan = context.scan
    assert scan.database is not None
    result = await scan.database.fetchers_result()
    if result is None:
        return
    scan.politeness.budget.pages = result.page_requests
    for fetcher, report in result.reports.items():
        scan.politeness.merge(fetcher, report["hosts"])
        scan.counters.merge(report["counters"])


class FetchStage(VisitStage):
    """Fetch and read pages of the queues that this process has leased, for the scan of another.

    A page is judged here, too, by the error page of its host; all that depends on other pages of
    the site is left to the scan's own process. So the order of answers does not matter here.
    Doubtful pages are not rendered: whether that pays off depends on the pages before them.
    """

    name: ClassVar[str] = "fetch"
    found_by: ClassVar[str] = "a link"
    tries_rendering: ClassVar[bool] = False

    def __init__(self, context: ScanContext):
        super().__init__(context, Frontier())
        database = context.scan.database
        assert isinstance(database, FetchDatabase)
        self._database = database
        self._queues: dict[int, HeldQueue] = {}
        self._visits: dict[int, Visit] = {}
        self._filled_at = 0.0
        self._documents: list[Document] = []
        self._answers: list[Answer] = []
        self._writing: asyncio.Future[None] | None = None
        self._filling: asyncio.Future[None] | None = None
        database.report = self._report
        politeness = context.scan.politeness
        politeness.budget = SharedBudget(context.config.max_pages, database.take_pages)
        context.scan.put = self._keep_document
        context.root_url = database.root_url
        context.root_fingerprint = database.root_fingerprint
        bases = [resolve(base, context.root_url) or base for base in context.bases]
        context.scope = context.config.scope(bases or [context.root_url])

    def _report(self) -> dict[str, Any]:
        scan = self.context.scan
        return {"hosts": scan.politeness.record(), "counters": scan.counters.record()}

    async def next_requests(self) -> Iterable[Request]:
        """Asked when nothing is under way; the spider is closed when the scan is over."""
        if self._filling is not None and not self._filling.done():
            await self._filling
        else:
            await self._give_up_missing()
        while not self.context.is_stopping():
            if requests := await self._next_requests():
                return requests
            await asyncio.sleep(_POLL_SECONDS)
        return []

    async def _give_up_missing(self) -> None:
        """Nothing is under way: what has no answer was dropped by something that was plugged in."""
        for visit in list(self._visits.values()):
            self.context.counters.items_lost += 1
            dropped = Document(
                visit.url,
                DocumentKind.PAGE,
                self.found_by,
                FetchOutcome.INCOMPLETE,
                error="the request was dropped",
                depth=visit.clicks,
                final_url=visit.url,
            )
            await self._hand_on(ReadAnswer(ReadPage(VisitedPage(visit, dropped))))

    async def _next_requests(self) -> list[Request]:
        found = await self._database.next_visits()
        self._filled_at = time.monotonic()
        requests = []
        for held, visit in found:
            if held.host is None:
                self._take_over(held, visit)
            self._queues[visit.number] = held
            # One that is under way since an earlier lease goes on under this one.
            if visit.number not in self._visits:
                self._visits[visit.number] = visit
                requests.append(self._request(visit))
        return requests

    def _take_over(self, held: HeldQueue, visit: Visit) -> None:
        """Keep the gap to what others may have sent to the host just now."""
        held.host = self.context.scan.politeness.host(visit.url)
        held.host.pace.held_until = held.ends
        held.host.pace.begin()
        held.host.pace.sent(time.monotonic())

    async def _hand_on(self, answer: ReadAnswer) -> None:
        await self._conclude(answer)
        self._fill_soon()

    async def _store(self, page: VisitedPage) -> None:
        """Leave the page to the scan's own process; what has no answer goes back to its queue."""
        held = self._queues.pop(page.visit.number)
        del self._visits[page.visit.number]
        self._order.forget(page.visit.number)
        if page.document.outcome in _ASKED_AGAIN:
            held.under_way.discard(page.visit.number)
            held.after = 0
        else:
            documents, self._documents = self._documents, []
            is_last = page.document.outcome in NOT_SENT and not page.visit.external_hops
            content = pack_answer(page, documents)
            self._answers.append(Answer(held.lease, page.visit.number, content, is_last))
            if self._writing is None or self._writing.done():
                self._writing = asyncio.ensure_future(self._write())

    def _count(self, page: VisitedPage) -> None:
        self.context.counters.visited += 1

    async def _keep_document(self, item: Any) -> None:
        """Of what is fetched besides pages, the scan's own process has robots.txt already."""
        if isinstance(item, Document) and item.kind is not DocumentKind.ROBOTS_TXT:
            item.forget_body()
            self._documents.append(item)

    async def _write(self) -> None:
        while self._answers:
            answers, self._answers = self._answers, []
            await self._database.write_answers(answers)
            for answer in answers:
                if held := self._database.queues.get(answer.lease.queue):
                    held.under_way.discard(answer.number)

            self._fill_soon()

    def _fill_soon(self) -> None:
        if self._filling is None or self._filling.done():
            self._filling = asyncio.ensure_future(self._fill())

    async def _fill(self) -> None:
        """Keep the queues busy while some of their pages are under way."""
        is_due = time.monotonic() - self._filled_at > _FILL_SECONDS
        if not self.context.is_stopping() and (is_due or self._database.has_room):
            for request in await self._next_requests():
                self.context.crawl(request)
