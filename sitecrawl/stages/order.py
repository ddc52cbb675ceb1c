"""Answers come in any order; what follows from them must not."""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


class InOrder:
    """Lets numbers through one at a time, in the order in which they were announced."""

    def __init__(self) -> None:
        self._announced: deque[int] = deque()
        self._waiting: dict[int, asyncio.Event] = {}

    def __len__(self) -> int:
        """How many are announced and not through."""
        return len(self._announced)

    def announce(self, number: int) -> None:
        self._announced.append(number)

    @asynccontextmanager
    async def turn(self, number: int) -> AsyncIterator[None]:
        """Wait for all that were announced before *number*, then keep out all that were after."""
        if self._announced[0] != number:
            event = self._waiting[number] = asyncio.Event()
            await event.wait()
        try:
            yield
        finally:
            self._announced.popleft()
            if self._announced and self._announced[0] in self._waiting:
                self._waiting.pop(self._announced[0]).set()
