"""How many requests a caller may send: one bucket of tokens each, in memory."""

from __future__ import annotations

import math
from collections import OrderedDict
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Final

from sitecrawl.errors import ThrottledError

if TYPE_CHECKING:
    from collections.abc import Callable

_MAX_CALLERS: Final = 10_000


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
