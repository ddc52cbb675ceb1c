"""The crawl's stage alone: no fault of ours keeps the other pages from their turn."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from scrapy.http import HtmlResponse
from twisted.python.failure import Failure

from sitecrawl.items import FetchOutcome, Visit, VisitedPage
from sitecrawl.politeness.scan import NotSent, NotSentReason
from sitecrawl.scan.errors import NotSentError
from sitecrawl.stages.base import ScanContext
from sitecrawl.stages.crawl import CrawlStage
from sitecrawl.stages.rendering import PageRendering
from sitecrawl.urls.target import parse_target
from tests.scan.build import items_of, make_scan
from tests.site.build import page

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from scrapy import Request

    from sitecrawl.scan import Scan

ROOT = "https://example.com/"
VISITS = [Visit(number, f"{ROOT}{number}", clicks=1) for number in range(2, 6)]


def make_stage(**settings: Any) -> tuple[CrawlStage, Scan]:
    scan = make_scan(**{"soft_404": False, **settings})

    async def waiting_visits(after: int, limit: int) -> list[Visit]:
        return [visit for visit in VISITS if visit.number > after][:limit]

    scan.database.waiting_visits = waiting_visits  # type: ignore[union-attr, method-assign]
    scan.counters.visited = 1  # the root
    context = ScanContext(
        target=parse_target(ROOT),
        scan=scan,
        root_url=ROOT,
        scope=scan.config.scope([ROOT]),
        download=None,  # type: ignore[arg-type]
        crawl=None,  # type: ignore[arg-type]
        is_stopping=lambda: False,
        start_fetchers=None,  # type: ignore[arg-type]
        rendering=PageRendering(scan.config),
        max_redirects=10,
    )
    return CrawlStage(context), scan


async def take_all(stage: CrawlStage, scan: Scan) -> list[Request]:
    """What the scheduler would hand out."""
    requests = list(await stage.next_requests())
    while requests and (request := scan.frontier.next_request()):
        requests.append(request)
    return requests


async def collect(
    stage: CrawlStage, scan: Scan, answer: Callable[[Request], Awaitable[Any]]
) -> list[Any]:
    """Play the engine: all answers at once, the last one first."""

    async def run(request: Request) -> None:
        answered = await answer(request)
        hook = request.errback if isinstance(answered, Failure) else request.callback
        arguments = {} if isinstance(answered, Failure) else request.cb_kwargs
        assert hook is not None
        await hook(answered, **arguments)

    requests = await take_all(stage, scan)
    tasks = [asyncio.ensure_future(run(request)) for request in reversed(requests)]
    await asyncio.wait_for(asyncio.gather(*tasks), 5)
    return items_of(scan)


async def ok(request: Request) -> HtmlResponse:
    return HtmlResponse(request.url, 200, body=page(request.url), request=request)


@pytest.mark.parametrize("method", ["read", "fetched"])
def test_a_page_that_cannot_be_read_does_not_stop_the_others(
    monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    async def story() -> None:
        stage, scan = make_stage()
        whole = getattr(stage._reader, method)

        def break_at_three(response: Any, *rest: Any) -> Any:
            if response.url.endswith("/3"):
                raise ZeroDivisionError
            return whole(response, *rest)

        monkeypatch.setattr(stage._reader, method, break_at_three)
        pages = await collect(stage, scan, ok)
        assert [each.visit.number for each in pages] == [2, 3, 4, 5]
        broken = pages[1].document.outcome
        assert (broken, scan.counters.items_lost) == (FetchOutcome.INCOMPLETE, 1)
        assert {each.document.outcome for each in pages if each is not pages[1]} == {"ok"}

    asyncio.run(story())


def test_pages_are_handed_on_in_the_order_of_their_visits() -> None:
    async def story() -> None:
        stage, scan = make_stage()
        pages = await collect(stage, scan, ok)
        assert [each.visit for each in pages if isinstance(each, VisitedPage)] == VISITS
        assert (scan.counters.visited, scan.counters.items_lost) == (1 + len(VISITS), 0)

    asyncio.run(story())


def test_what_was_not_sent_ends_the_crawl_and_is_no_visit() -> None:
    async def refuse(request: Request) -> Failure:
        error = NotSentError(NotSent(NotSentReason.OVER_BUDGET, "the budget is spent"))
        failure = Failure(error)  # type: ignore[no-untyped-call]
        failure.request = request  # type: ignore[attr-defined]
        return failure

    async def story() -> None:
        stage, scan = make_stage()
        pages = await collect(stage, scan, refuse)
        assert [each.document.outcome for each in pages] == ["over_budget"] * 4
        assert {each.facts.refusal for each in pages} == {None}
        assert list(await stage.next_requests()) == []
        assert scan.counters.visited == 1

    asyncio.run(story())


def test_no_more_than_the_limit_is_asked_for() -> None:
    async def story() -> None:
        stage, scan = make_stage(max_crawl_pages=3)
        requests = await take_all(stage, scan)
        assert [request.url for request in requests] == [visit.url for visit in VISITS[:2]]
        assert stage.outcome()["truncated"][0]["setting"] == "SITECRAWL_MAX_CRAWL_PAGES"

    asyncio.run(story())
