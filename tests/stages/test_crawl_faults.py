"""The crawl's stage alone: no fault of ours keeps the other pages from their turn."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from scrapy.http import HtmlResponse
from twisted.python.failure import Failure

from sitecrawl.config import Config
from sitecrawl.downloader import NotSentError
from sitecrawl.items import FetchOutcome, Visit, VisitedPage
from sitecrawl.politeness.scan import NotSent, NotSentReason
from sitecrawl.profiles import load_settings
from sitecrawl.stages.crawl import CrawlStage
from sitecrawl.stages.rendering import PageRendering
from tests.site.build import page

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from scrapy import Request

ROOT = "https://example.com/"
VISITS = [Visit(number, f"{ROOT}{number}", clicks=1) for number in range(2, 6)]


class FakeFrontier:
    async def waiting_visits(self, after: int, limit: int) -> list[Visit]:
        return [visit for visit in VISITS if visit.number > after][:limit]

    async def visit_accepted(self, visit: Visit) -> None:
        pass

    async def scan_to_resume(self) -> None:
        return None


class FakeProgress:
    pages_in_sitemaps = 0
    pages_beyond_depth = 0
    visits = 1  # the root

    def __init__(self) -> None:
        self.lost = 0
        self.visits = 1  # the root

    def count_lost(self) -> None:
        self.lost += 1

    def count_visit(self) -> None:
        self.visits += 1


def make_stage(**settings: Any) -> tuple[CrawlStage, FakeProgress]:
    every = load_settings("default")
    for name, value in {"soft_404": False, **settings}.items():
        every.set(f"SITECRAWL_{name.upper()}", value, "cmdline")
    config, progress = Config.from_settings(every), FakeProgress()
    context: Any = SimpleNamespace(
        config=config,
        progress=progress,
        scope=config.scope([ROOT]),
        frontier=FakeFrontier(),
        rendering=PageRendering(config),
    )
    return CrawlStage(context), progress


async def collect(stage: CrawlStage, answer: Callable[[Request], Awaitable[Any]]) -> list[Any]:
    """Play the engine: all answers at once, the last one first."""
    items: list[Any] = []

    async def run(request: Request) -> None:
        answered = await answer(request)
        hook = request.errback if isinstance(answered, Failure) else request.callback
        arguments = {} if isinstance(answered, Failure) else request.cb_kwargs
        assert hook is not None
        async for item in hook(answered, **arguments):
            items.append(item)  # noqa: PERF401  what comes before a fault counts

    requests = list(await stage.next_requests())
    tasks = [asyncio.ensure_future(run(request)) for request in reversed(requests)]
    # What raises is the engine's to log.
    await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 5)
    return items


async def ok(request: Request) -> HtmlResponse:
    return HtmlResponse(request.url, 200, body=page(request.url), request=request)


@pytest.mark.parametrize("method", ["read", "fetched"])
def test_a_page_that_cannot_be_read_does_not_stop_the_others(
    monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    async def story() -> None:
        stage, progress = make_stage()
        whole = getattr(stage._reader, method)

        def break_at_three(response: Any, *rest: Any) -> Any:
            if response.url.endswith("/3"):
                raise ZeroDivisionError
            return whole(response, *rest)

        monkeypatch.setattr(stage._reader, method, break_at_three)
        pages = await collect(stage, ok)
        assert [each.visit.number for each in pages] == [2, 3, 4, 5]
        broken = pages[1].document.outcome
        assert (broken, progress.lost) == (FetchOutcome.INCOMPLETE, 1)
        assert {each.document.outcome for each in pages if each is not pages[1]} == {"ok"}

    asyncio.run(story())


def test_pages_are_handed_on_in_the_order_of_their_visits() -> None:
    async def story() -> None:
        stage, progress = make_stage()
        pages = await collect(stage, ok)
        assert [each.visit for each in pages if isinstance(each, VisitedPage)] == VISITS
        assert (progress.visits, progress.lost) == (1 + len(VISITS), 0)

    asyncio.run(story())


def test_what_was_not_sent_ends_the_crawl_and_is_no_visit() -> None:
    async def refuse(request: Request) -> Failure:
        error = NotSentError(NotSent(NotSentReason.OVER_BUDGET, "the budget is spent"))
        failure = Failure(error)  # type: ignore[no-untyped-call]
        failure.request = request  # type: ignore[attr-defined]
        return failure

    async def story() -> None:
        stage, progress = make_stage()
        pages = await collect(stage, refuse)
        assert [each.document.outcome for each in pages] == ["over_budget"] * 4
        assert {each.facts.refusal for each in pages} == {None}
        assert list(await stage.next_requests()) == []
        assert progress.visits == 1

    asyncio.run(story())


def test_no_more_than_the_limit_is_asked_for() -> None:
    async def story() -> None:
        stage, _ = make_stage(max_crawl_pages=3)
        requests = list(await stage.next_requests())
        assert [request.url for request in requests] == [visit.url for visit in VISITS[:2]]
        assert stage.outcome()["truncated"][0]["setting"] == "SITECRAWL_MAX_CRAWL_PAGES"

    asyncio.run(story())
