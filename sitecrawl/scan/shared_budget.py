"""The budget of pages that the fetchers of a scan share."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from sitecrawl.politeness.scan import ScanBudget

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable


class SharedBudget(ScanBudget):
    """Takes pages from the budget in the database: however many fetchers, not one more is sent.

    *take* asks for a number of pages and returns how many there were. Requests that ask at the same
    time are one question. A page that was not sent after all is used for the next request.
    """

    def __init__(self, max_pages: int, take: Callable[[int], Awaitable[int]]):
        super().__init__(max_pages, max_seconds=0, started=0)
        self._take = take
        self._spare = 0
        self._is_used_up = False
        self._claims: list[asyncio.Future[bool]] = []
        self._asking: asyncio.Task[None] | None = None

    @property
    def has_pages(self) -> bool:
        return self._spare > 0 or not self._is_used_up

    def take_page(self) -> bool:
        if not self._spare:
            return False
        self._spare -= 1
        return True

    async def claim_page(self) -> bool:
        if not self.max_pages or self.take_page():
            return True
        claim: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._claims.append(claim)
        if self._asking is None:
            self._asking = asyncio.create_task(self._ask())
        return await claim

    def return_page(self) -> None:
        self._spare += bool(self.max_pages)

    async def _ask(self) -> None:
        while self._claims:
            claims, self._claims = self._claims, []
            taken = await self._take(len(claims))
            self._is_used_up = taken < len(claims)
            for place, claim in enumerate(claims):
                if not claim.done():
                    claim.set_result(place < taken)
        self._asking = None
