from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from sitecrawl.items import Document, DocumentKind, FetchOutcome, Visit, VisitedPage
from sitecrawl.pipelines import pagequeue
from sitecrawl.pipelines.pagequeue import _MAX_PAGES_TOGETHER, PageQueue

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

HOUR = 3_600.0


@pytest.fixture(autouse=True)
def no_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that only what asks for it is written at once."""
    monkeypatch.setattr(pagequeue, "_GATHER_SECONDS", HOUR)


def a_page(number: int) -> VisitedPage:
    url = f"https://example.com/{number}"
    document = Document(url, DocumentKind.PAGE, "a link", FetchOutcome.OK)
    return VisitedPage(Visit(number, url, clicks=1), document)


class Store:
    """What was written together, by number; a number in *breaking* is a fault."""

    def __init__(self, *breaking: int) -> None:
        self.written: list[list[int]] = []
        self.lost = 0
        self.may_write = asyncio.Event()
        self.may_write.set()
        self.is_writing = asyncio.Event()
        self._breaking = set(breaking)
        self.queue = PageQueue(self._write, self._lose)

    async def _write(self, pages: list[VisitedPage]) -> None:
        self.is_writing.set()
        await self.may_write.wait()
        numbers = [page.visit.number for page in pages]
        if self._breaking & set(numbers):
            raise ZeroDivisionError
        self.written.append(numbers)

    def _lose(self, number: int) -> None:
        self.lost += number


def play(story: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(asyncio.wait_for(story(), 10))


def test_pages_that_come_together_are_written_together_in_their_order() -> None:
    async def story() -> None:
        store = Store()
        for number in (1, 2, 3):
            await store.queue.put(a_page(number))
        assert store.written == []
        await store.queue.written()
        assert store.written == [[1, 2, 3]]

    play(story)


def test_a_page_alone_is_written_after_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pagequeue, "_GATHER_SECONDS", 0.001)

    async def story() -> None:
        store = Store()
        await store.queue.put(a_page(1))
        assert store.queue._writing is not None
        await store.queue._writing
        assert store.written == [[1]]

    play(story)


def test_too_many_are_not_gathered() -> None:
    async def story() -> None:
        store = Store()
        for number in range(_MAX_PAGES_TOGETHER):
            await store.queue.put(a_page(number))
        assert store.written == [list(range(_MAX_PAGES_TOGETHER))]

    play(story)


def test_what_comes_during_the_writing_is_written_next() -> None:
    async def story() -> None:
        store = Store()
        store.may_write.clear()
        await store.queue.put(a_page(1))
        waiting = asyncio.ensure_future(store.queue.written())
        await store.is_writing.wait()
        await store.queue.put(a_page(2))
        store.may_write.set()
        await waiting
        assert store.written == [[1], [2]]

    play(story)


def test_it_can_be_used_again_when_all_is_written() -> None:
    async def story() -> None:
        store = Store()
        for number in (1, 2):
            await store.queue.put(a_page(number))
            await store.queue.written()
        await store.queue.written()
        assert store.written == [[1], [2]]

    play(story)


def test_a_fault_loses_what_is_written_with_it_and_says_how_much(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def story() -> None:
        store = Store(2)
        for numbers in ((1, 2), (3,)):
            for number in numbers:
                await store.queue.put(a_page(number))
            await store.queue.written()
        assert (store.written, store.lost) == ([[3]], 2)

    play(story)
    assert "2 visited pages could not be stored" in caplog.text


class TestAcceptance:
    def test_a_page_that_was_put_is_accepted_before_it_is_written(self) -> None:
        async def story() -> None:
            store = Store()
            store.may_write.clear()
            waiting = asyncio.ensure_future(store.queue.accepted(a_page(1).visit))
            await asyncio.sleep(0)
            assert not waiting.done()
            await store.queue.put(a_page(1))
            await waiting
            assert store.written == []
            store.may_write.set()
            await store.queue.written()

        play(story)

    def test_one_that_a_fault_kept_away_is_accepted_by_word(self) -> None:
        async def story() -> None:
            queue = Store().queue
            queue.accept(a_page(1))
            await queue.accepted(a_page(1).visit)
            assert queue._accepted == {}, "nothing is kept of millions of pages"

        play(story)
