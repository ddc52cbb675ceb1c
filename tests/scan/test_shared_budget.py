"""The budget that fetchers share: each claim is answered, and none twice."""

from __future__ import annotations

import asyncio

from sitecrawl.scan.shared_budget import SharedBudget


class Pages:
    """A budget elsewhere, which takes a moment to answer."""

    def __init__(self, left: int):
        self.left = left
        self.questions: list[int] = []

    async def take(self, wanted: int) -> int:
        self.questions.append(wanted)
        await asyncio.sleep(0)
        taken = min(wanted, self.left)
        self.left -= taken
        return taken


def test_claims_at_one_time_are_one_question() -> None:
    async def run() -> None:
        pages = Pages(5)
        budget = SharedBudget(5, pages.take)
        assert await asyncio.gather(*(budget.claim_page() for _ in range(4))) == [True] * 4
        assert pages.questions == [4]
        assert await asyncio.gather(*(budget.claim_page() for _ in range(3))) == [1, 0, 0]
        assert not budget.has_pages

    asyncio.run(run())


def test_a_page_that_was_not_sent_is_used_for_another_request() -> None:
    async def run() -> None:
        pages = Pages(1)
        budget = SharedBudget(1, pages.take)
        assert await budget.claim_page()
        assert not await budget.claim_page()
        budget.return_page()
        assert budget.has_pages
        assert await budget.claim_page()
        assert not budget.has_pages

    asyncio.run(run())


def test_without_a_limit_nobody_is_asked() -> None:
    async def run() -> None:
        pages = Pages(0)
        budget = SharedBudget(0, pages.take)
        assert all([await budget.claim_page() for _ in range(10)])
        assert budget.has_pages
        assert pages.questions == []

    asyncio.run(run())
