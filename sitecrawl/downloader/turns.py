"""Whose turn it is at one host."""

from __future__ import annotations

import asyncio
import math
import random
import time
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sitecrawl.downloader.refusals import HeldBackError, NotSentError
from sitecrawl.downloader.stopping import ScanStoppedError
from sitecrawl.items import DocumentKind
from sitecrawl.urls.address import origin_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from scrapy import Request
    from scrapy.core.downloader import Slot

    from sitecrawl.politeness.scan import Host, NotSent, ScanPoliteness

# How often those who wait look whether waiting still makes sense.
_LOOK_SECONDS = 0.25
# After so many rounds of the event loop what was written is with the operating system: Twisted
# collects it for one, and writes when the socket is ready in the next; with TLS it takes one more.
_ROUNDS_UNTIL_WRITTEN = 5


@dataclass(slots=True, eq=False)
class Turn:
    """One request on its way out.

    Meta: ``sitecrawl_document`` (pages count), ``sitecrawl_deadline`` and ``sitecrawl_not_before``
    (of the monotonic clock).
    """

    request: Request
    expires: float
    given: asyncio.Future[None] = field(default_factory=asyncio.Future)
    has_departed: bool = False
    is_sent: bool = False

    @property
    def server(self) -> str:
        return origin_of(self.request.url)

    @property
    def is_page(self) -> bool:
        return is_page(self.request)

    @property
    def deadline(self) -> float:
        return float(self.request.meta.get("sitecrawl_deadline", math.inf))

    @property
    def not_before(self) -> float:
        return float(self.request.meta.get("sitecrawl_not_before", -math.inf))


def is_page(request: Request) -> bool:
    """Whether it counts against the pages of the scan's budget."""
    kind = request.meta.get("sitecrawl_document", {}).get("kind")
    return kind is DocumentKind.PAGE


class HostTurns:
    """Gives requests to one host their turn, in order, when the host's pace allows it.

    Scrapy's slot says how many may be under way and how far apart they start: AutoThrottle and
    ``DOWNLOAD_SLOTS`` work as ever. The host's state outlives the slot, which Scrapy drops when it
    has been idle for a minute.
    """

    def __init__(self, host: Host, politeness: ScanPoliteness, is_stopping: Callable[[], bool]):
        self.host = host
        self.slot: Slot
        self._politeness = politeness
        self._is_stopping = is_stopping
        self._waiting: deque[Turn] = deque()
        self._in_flight = 0
        # Drawn once for each gap: drawing whenever someone looks would favour short ones.
        self._chance = random.uniform(-1, 1)  # noqa: S311  no secret
        self._timer: asyncio.TimerHandle | None = None

    async def take(self, request: Request) -> Turn:
        """Wait for the request's turn; NotSentError or ScanStoppedError when it will not come."""
        now = time.monotonic()
        # What the host itself asks for is not counted as waiting for a turn.
        start = max(now, self.host.pace.paused_until)
        turn = Turn(request, expires=start + self._politeness.slot_wait_seconds)
        self._waiting.append(turn)
        self._sort_out([turn], now)
        self._start(now)
        try:
            await turn.given
        finally:
            if turn in self._waiting:
                self._waiting.remove(turn)
        return turn

    def departs(self, turn: Turn) -> None:
        """The request is about to be written; HeldBackError when it must not be."""
        now, pace, budget = time.monotonic(), self.host.pace, self._politeness.budget
        if pace.paused_until > now or turn.server in pace.left_alone or budget.is_over(now):
            raise HeldBackError
        turn.has_departed = True
        self.host.ledger.departs(now)
        self._count_rounds(turn, _ROUNDS_UNTIL_WRITTEN)

    def end(self, turn: Turn) -> None:
        """Its answer is there, or will not come."""
        if turn.has_departed:
            self._sent(turn)
            self.host.ledger.ended()
        else:
            self.host.pace.withdrawn()
            if turn.is_page:
                self._politeness.budget.return_page()
        self._in_flight -= 1
        self.look()

    def look(self) -> None:
        """Something has changed: fail what waits in vain, start what may start."""
        now = time.monotonic()
        self._sort_out(list(self._waiting), now)
        self._start(now)

    def extend_waits(self, seconds: float) -> None:
        """The host has asked to wait: that does not count as waiting for a turn."""
        for turn in self._waiting:
            turn.expires += seconds

    def waiting_for_pause(self) -> int:
        return len(self._waiting) if self.host.pace.paused_until > time.monotonic() else 0

    def close(self) -> None:
        if self._timer:
            self._timer.cancel()

    def _count_rounds(self, turn: Turn, left: int) -> None:
        if turn.is_sent:
            return  # its answer was faster
        if left:
            asyncio.get_running_loop().call_soon(self._count_rounds, turn, left - 1)
        else:
            self._sent(turn)
            self.look()

    def _sent(self, turn: Turn) -> None:
        if not turn.is_sent:
            turn.is_sent = True
            now = time.monotonic()
            self.host.pace.sent(now)
            self.host.ledger.sent(now)

    def _sort_out(self, turns: Iterable[Turn], now: float) -> None:
        is_stopping = self._is_stopping()
        for turn in turns:
            if is_stopping:
                self._fail(turn, ScanStoppedError("the scan was stopped"))
            elif not_sent := self._not_sent(turn, now):
                self._fail(turn, NotSentError(not_sent))

    def _not_sent(self, turn: Turn, now: float) -> NotSent | None:
        return self._politeness.refusal(
            turn.request.url, is_page=turn.is_page, now=now, deadline=turn.deadline
        ) or self._politeness.end_of_wait(now, expires=turn.expires, deadline=turn.deadline)

    def _fail(self, turn: Turn, error: Exception) -> None:
        self._waiting.remove(turn)
        turn.given.set_exception(error)

    def _start(self, now: float) -> None:
        while self._waiting and self._in_flight < self.slot.concurrency:
            turn = min(self._waiting, key=lambda each: max(each.not_before, now))
            wait = max(self.host.pace.wait_seconds(now, self._drawn_gap()), turn.not_before - now)
            if wait > 0:
                self._look_in(wait)
                return
            # Again, because of those that have just been started, here or at another host.
            if not_sent := self._not_sent(turn, now):
                self._fail(turn, NotSentError(not_sent))
            else:
                self._waiting.remove(turn)
                self._give(turn, now)
        if self._waiting:
            self._look_in(_LOOK_SECONDS)

    def _give(self, turn: Turn, now: float) -> None:
        if turn.is_page:
            self._politeness.budget.take_page()
        self.host.pace.begin()
        self._in_flight += 1
        self._chance = random.uniform(-1, 1)  # noqa: S311  no secret
        self.slot.lastseen = now
        turn.given.set_result(None)

    def _drawn_gap(self) -> float:
        return max(self.slot.delay * (1 + self.slot.jitter * self._chance), 0.0)

    def _look_in(self, seconds: float) -> None:
        self.close()
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(min(seconds, _LOOK_SECONDS), self.look)
