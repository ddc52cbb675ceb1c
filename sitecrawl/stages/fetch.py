"""The crawl with fetchers: they read the pages, and the scan's own process takes what they read."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Final

from sitecrawl.items import NOT_SENT, Document, DocumentKind, FetchOutcome, VisitedPage
from sitecrawl.render.trials import Decision
from sitecrawl.scan.answers import FetchedPage, pack_answer, unpack_answer
from sitecrawl.scan.fetch_database import FetchDatabase
from sitecrawl.scan.frontier import Frontier
from sitecrawl.scan.shared_budget import SharedBudget
from sitecrawl.stages.pages import ReadPage
from sitecrawl.stages.visits import ReadAnswer, VisitStage
from sitecrawl.store.vocabulary import RenderingStep
from sitecrawl.store.writers.records import Answer
from sitecrawl.urls.address import resolve

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Sequence
    from typing import Any

    from scrapy import Request
    from scrapy.http import Response

    from sitecrawl.items import Visit
    from sitecrawl.scan.fetch_database import HeldQueue
    from sitecrawl.scan.fetchers import FetcherProcesses
    from sitecrawl.stages.base import ScanContext
    from sitecrawl.stages.rendering import PageRendering
    from sitecrawl.store.writers.records import NextAnswer

_POLL_SECONDS: Final = 0.05
# A queue that has become free is found within this time.
_FILL_SECONDS: Final = 0.5
_TAKEN_AT_ONCE: Final = 64
# The lease or this process came to its end, or the turn of the request did not come.
_ASKED_AGAIN: Final = frozenset({FetchOutcome.STOPPED, FetchOutcome.SLOT_TIMEOUT})


async def fetched_pages(
    context: ScanContext, processes: FetcherProcesses
) -> AsyncIterator[FetchedPage]:
    """What the fetchers have read, in the order of the visits, until no visit is left.

    All pages before one have been concluded when it comes. So what they say decides whether a
    doubtful page is rendered before it is taken, as in a scan without fetchers.
    """
    database, frontier = context.scan.database, context.scan.frontier
    after = forgotten = 0
    assert database is not None
    while answers := await database.next_answers(after, _TAKEN_AT_ONCE):
        before = after
        for answer in answers:
            if context.is_stopping() or not frontier.may_take_fetched():
                return
            if answer.content is None or not _counts_as_it_is(context.rendering, answer):
                break
            yield unpack_answer(answer.content, context.scope)
            after = answer.number
        waiting = [each for each in answers if each.number > after]
        if to_render := _pages_to_render(context.rendering, waiting):
            await database.want_renderings(to_render)
        if after >= forgotten + _TAKEN_AT_ONCE:
            await database.forget_answers(after)
            forgotten = after
        if after > before:
            continue
        for holder in processes.replace_dead():
            await database.release_queues(holder)
        await asyncio.sleep(_POLL_SECONDS)


def _counts_as_it_is(rendering: PageRendering, answer: NextAnswer) -> bool:
    if answer.rendering == RenderingStep.DOUBTFUL:
        return rendering.decide_doubtful(answer.url) is Decision.LEAVE
    return answer.rendering is None


def _pages_to_render(rendering: PageRendering, waiting: Sequence[NextAnswer]) -> list[int]:
    """Of doubtful pages the one whose turn it is, and all of kinds for which it has paid off."""
    decisions = {
        each.number: rendering.decide_doubtful(each.url)
        for each in waiting
        if each.rendering == RenderingStep.DOUBTFUL
    }
    turn = waiting[0].number if waiting else None
    return [
        number
        for number, decision in decisions.items()
        if decision is Decision.RENDER or (decision is Decision.TRY and number == turn)
    ]


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
    What is to be rendered is given back as it was sent, and taken up again by whichever fetcher has
    a browser: a doubtful page once the scan has decided so.
    """

    name: ClassVar[str] = "fetch"
    found_by: ClassVar[str] = "a link"

    def __init__(self, context: ScanContext):
        super().__init__(context, Frontier())
        database = context.scan.database
        assert isinstance(database, FetchDatabase)
        self._database = database
        self._queues: dict[int, HeldQueue] = {}
        self._visits: dict[int, Visit] = {}
        self._to_render: dict[int, tuple[RenderingStep, Response]] = {}
        self._renderings: dict[int, asyncio.Task[None]] = {}
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
        for visit in [
            each for each in self._visits.values() if each.number not in self._renderings
        ]:
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
        work = await self._database.next_work()
        self._filled_at = time.monotonic()
        for held, content in work.to_render:
            fetched = unpack_answer(content, self.context.scope)
            number = fetched.page.visit.number
            if self._begin(held, fetched.page.visit):
                self._renderings[number] = asyncio.ensure_future(self._render(fetched))
        return [self._request(visit) for held, visit in work.visits if self._begin(held, visit)]

    def _begin(self, held: HeldQueue, visit: Visit) -> bool:
        """Whether it is not under way since an earlier lease: then it goes on under this one."""
        if held.host is None:
            self._take_over(held, visit)
        self._queues[visit.number] = held
        return self._visits.setdefault(visit.number, visit) is visit

    def _take_over(self, held: HeldQueue, visit: Visit) -> None:
        """Keep the gap to what others may have sent to the host just now."""
        held.host = self.context.scan.politeness.host(visit.url)
        held.host.pace.held_until = held.ends
        held.host.pace.begin()
        held.host.pace.sent(time.monotonic())

    async def _render(self, fetched: FetchedPage) -> None:
        """Conclude a page that this process or another has read as it was sent."""
        page = fetched.page
        self._documents += fetched.documents
        page.facts = replace(page.facts, refusal=None)  # it was judged as it was sent
        try:
            await self._hand_on(ReadAnswer(ReadPage(page), fetched.shown))
        finally:
            del self._renderings[page.visit.number]

    async def _decide_rendering(self, read: ReadPage, response: Response) -> ReadAnswer:
        """Nothing is rendered here: the page goes back to its queue as it was sent."""
        if step := self.context.rendering.first_step(read, response):
            self._to_render[read.page.visit.number] = step, response
        return ReadAnswer(read)

    async def _judge(self, answer: ReadAnswer) -> None:
        page = answer.read.page
        if answer.to_render is not None:
            await self.context.rendering.show(page, answer.to_render, self.context.scope)
        step, _ = self._to_render.get(page.visit.number, (None, None))
        if step is not RenderingStep.WANTED:  # it is judged as a browser shows it
            await self._refuse(page)

    async def _hand_on(self, answer: ReadAnswer) -> None:
        await self._conclude(answer)
        self._fill_soon()

    async def _store(self, page: VisitedPage) -> None:
        """Leave the page to the scan's own process; what has no answer goes back to its queue."""
        number = page.visit.number
        held = self._queues.pop(number)
        del self._visits[number]
        step, to_render = self._to_render.pop(number, (None, None))
        if number not in self._renderings:
            self._order.forget(number)
        if page.document.outcome in _ASKED_AGAIN:
            held.under_way.discard(number)
            held.after = 0
        else:
            documents, self._documents = self._documents, []
            is_last = page.document.outcome in NOT_SENT and not page.visit.external_hops
            step = step if page.read is not None else None  # it was lost
            content = pack_answer(FetchedPage(page, documents, to_render if step else None))
            self._answers.append(Answer(held.lease, number, content, is_last, step))
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
