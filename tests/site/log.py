"""The log of every request that a test site has seen, for tests to assert on."""

from __future__ import annotations

import itertools
import math
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.site.reply import Request


@dataclass(slots=True)
class LoggedRequest:
    request: Request
    connection: int
    """Number of the TCP connection, from 1: shows keep-alive."""
    started: float
    """Monotonic time when the first byte of the request arrived."""
    ended: float = math.inf
    """Monotonic time just before the answer's last bytes were handed to the socket.

    Taken before and not after, so that no client can start its next request within this one.
    """
    status: int = 0
    body_bytes: int = 0
    """Bytes of the body on the wire: encoded, without headers and chunk framing."""
    is_aborted: bool = False
    """The client went away, or the route cut or reset the connection."""

    @property
    def method(self) -> str:
        return self.request.method

    @property
    def target(self) -> str:
        return self.request.target

    @property
    def path(self) -> str:
        return self.request.path

    @property
    def host(self) -> str:
        return self.header("Host")

    def header(self, name: str) -> str:
        return str(self.request.headers.get(name, ""))


class RequestLog:
    """Thread-safe; times are ``time.monotonic()``, so logs of several servers can be compared."""

    def __init__(self) -> None:
        self._requests: list[LoggedRequest] = []
        self._changed = threading.Condition()

    def begin(self, request: Request, connection: int, started: float) -> LoggedRequest:
        entry = LoggedRequest(request, connection, started)
        with self._changed:
            self._requests.append(entry)
            self._changed.notify_all()
        return entry

    def end(self, entry: LoggedRequest, *, is_aborted: bool = False) -> None:
        with self._changed:
            entry.ended = min(entry.ended, time.monotonic())
            entry.is_aborted = is_aborted or entry.is_aborted
            self._changed.notify_all()

    def clear(self) -> None:
        with self._changed:
            self._requests.clear()

    def requests(self, path: str | None = None) -> list[LoggedRequest]:
        """In order of arrival; ``path`` without a query."""
        with self._changed:
            entries = list(self._requests)
        return [entry for entry in entries if path is None or entry.path == path]

    def wait_for(
        self, condition: Callable[[list[LoggedRequest]], bool], timeout_seconds: float = 120.0
    ) -> list[LoggedRequest]:
        """Blocks until the condition holds on the log; fails the test when it never does."""
        with self._changed:
            if not self._changed.wait_for(lambda: condition(self._requests), timeout_seconds):
                seen = [entry.target for entry in self._requests]
                raise AssertionError(f"not seen within {timeout_seconds} s; seen: {seen}")
            return list(self._requests)


def max_in_flight(requests: list[LoggedRequest]) -> int:
    """The most requests that were open at one moment."""
    # At equal times an end sorts before a start (-1 < 1): those two did not overlap.
    events = sorted(
        [(entry.started, 1) for entry in requests] + [(entry.ended, -1) for entry in requests]
    )
    most = current = 0
    for _, change in events:
        current += change
        most = max(most, current)
    return most


def gaps(requests: list[LoggedRequest]) -> list[float]:
    """Seconds between the starts of successive requests."""
    starts = sorted(entry.started for entry in requests)
    return [later - earlier for earlier, later in itertools.pairwise(starts)]
