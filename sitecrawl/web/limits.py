"""What one server does at once and within a minute: requests of a caller, passwords, previews."""

from __future__ import annotations

import math
from collections import OrderedDict
from contextlib import contextmanager
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Final, TypeVar

import anyio
from anyio import to_thread

from sitecrawl.errors import ThrottledError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


_MAX_CALLERS: Final = 10_000
# Argon2 takes 19 MiB and a core for some 20 ms.
_PASSWORDS_AT_ONCE: Final = 2
_MAX_WAITING: Final = 50
_SIGN_IN_BUSY_SECONDS: Final = 5
_BUSY_SECONDS: Final = 10
_Answer = TypeVar("_Answer")


class RateLimits:
    """A full bucket holds the requests of a minute, and is filled again in a minute."""

    def __init__(self, per_minute: int, clock: Callable[[], float] = monotonic) -> None:
        self._per_minute = per_minute
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = Lock()

    def take(self, caller: str) -> None:
        """Count one request; ``ThrottledError`` if there were too many."""
        if not self._per_minute:
            return
        now = self._clock()
        with self._lock:
            tokens = self._filled(caller, now)
            if tokens >= 1:
                self._buckets[caller] = (tokens - 1, now)
                self._buckets.move_to_end(caller)
                if len(self._buckets) > _MAX_CALLERS:
                    self._buckets.popitem(last=False)
                return
        wait = math.ceil((1 - tokens) * 60 / self._per_minute)
        raise ThrottledError(f"more than {self._per_minute:,} requests in a minute", wait)

    def _filled(self, caller: str, now: float) -> float:
        tokens, since = self._buckets.get(caller, (float(self._per_minute), now))
        return min(self._per_minute, tokens + (now - since) * self._per_minute / 60)


class PasswordWork:
    """Hashes passwords in threads of its own, few at once, so that nothing else waits for them."""

    def __init__(self) -> None:
        self._limiter: anyio.CapacityLimiter | None = None

    async def run(self, work: Callable[[], _Answer]) -> _Answer:
        """``ThrottledError`` if too many wait already."""
        if self._limiter is None:  # it belongs to the event loop that serves
            self._limiter = anyio.CapacityLimiter(_PASSWORDS_AT_ONCE)
        if self._limiter.statistics().tasks_waiting >= _MAX_WAITING:
            raise ThrottledError("too many people sign in at the moment", _SIGN_IN_BUSY_SECONDS)
        return await to_thread.run_sync(work, limiter=self._limiter)


class Slots:
    """Limits how many run at once; the next one gets ``ThrottledError``."""

    def __init__(self, number: int, what: str) -> None:
        self._left = number
        self._what = what

    @contextmanager
    def taken(self) -> Iterator[None]:
        if self._left <= 0:
            raise ThrottledError(f"too many {self._what} at the moment", _BUSY_SECONDS)
        self._left -= 1
        try:
            yield
        finally:
            self._left += 1
