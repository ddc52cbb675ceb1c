"""When one host may be asked next, and when it is left alone."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from sitecrawl.politeness.backoff import backoff_seconds

_TOO_MANY_REQUESTS = 429
_SERVICE_UNAVAILABLE = 503
_FIRST_SERVER_ERROR = 500
_BUSY = {_TOO_MANY_REQUESTS, _SERVICE_UNAVAILABLE}


@dataclass(frozen=True, slots=True)
class PaceRules:
    """The limits within which a host's own wishes are kept; 0 is no limit."""

    max_crawl_delay_seconds: float
    max_retry_after_seconds: float
    busy_backoff_seconds: float
    max_errors_in_a_row: int


class RobotsPace(NamedTuple):
    """The pause between two requests that a robots.txt asks for, and the one that is kept."""

    asked_seconds: float
    kept_seconds: float


class HostPace:
    """The state of one host: what it asked for, what was sent last, how it has been answering.

    * Between two requests lies what the caller draws, or what robots.txt asks for when that is
      more. The time runs from the moment the earlier one was on the wire: until then (``begin`` to
      ``sent``) nothing else may leave, however long the connection takes.
    * After 429 or 503 nothing leaves before Retry-After, or the back-off when there is none.
    * A server (scheme, host and port) that fails too often in a row is left alone for good. Its
      neighbours on the same host are not: where https is dead, http may live.
    """

    def __init__(self, host: str, rules: PaceRules):
        self.host = host
        self.paused_until = -math.inf
        self.left_alone: dict[str, str] = {}  # server -> why
        self._rules = rules
        self._robots: dict[str, RobotsPace] = {}
        self._errors: dict[str, int] = {}
        self._leaving = 0
        self._last_sent = -math.inf

    # --- what robots.txt asks for ------------------------------------------------------------

    def set_robots(self, server: str, pause_seconds: float | None) -> RobotsPace | None:
        """Keep this pause from now on; None when robots.txt asks for nothing."""
        if not pause_seconds or not 0 < pause_seconds < math.inf:
            self._robots.pop(server, None)
            return None
        limit = self._rules.max_crawl_delay_seconds or math.inf
        pace = self._robots[server] = RobotsPace(pause_seconds, min(pause_seconds, limit))
        return pace

    @property
    def robots(self) -> RobotsPace | None:
        """The slowest of the host's servers holds for all of them."""
        return max(self._robots.values(), default=None)

    # --- when something may leave ------------------------------------------------------------

    def wait_seconds(self, now: float, drawn_gap: float) -> float:
        """How long nothing may leave; infinite while it depends on what is leaving."""
        gap = max(drawn_gap, self.robots.kept_seconds if self.robots else 0.0)
        if gap and self._leaving:
            return math.inf
        return max(self._last_sent + gap - now, self.paused_until - now, 0.0)

    def begin(self) -> None:
        """A request is given out; ``sent`` or ``withdrawn`` follows."""
        self._leaving += 1

    def sent(self, now: float) -> None:
        self._leaving -= 1
        self._last_sent = now

    def withdrawn(self) -> None:
        """It never reached the wire."""
        self._leaving -= 1

    # --- how the host answers ----------------------------------------------------------------

    def answered(
        self, server: str, status: int, retry_after: float | None, now: float, chance: float
    ) -> str:
        """Take note of a status; what a person should hear, if anything."""
        if status < _FIRST_SERVER_ERROR and status != _TOO_MANY_REQUESTS:
            self._errors.pop(server, None)
            return ""
        words = self._error(server, f"HTTP {status}")
        if status in _BUSY:
            words = self._pause(self._busy_seconds(server, retry_after, chance), now) or words
        return self.left_alone.get(server) or words

    def failed(self, server: str, cause: str) -> str:
        """Take note of an answer that did not come; what a person should hear, if anything."""
        return self._error(server, cause)

    def leave_alone(self, server: str, why: str) -> str:
        return self.left_alone.setdefault(server, why)

    def _error(self, server: str, cause: str) -> str:
        errors = self._errors[server] = self._errors.get(server, 0) + 1
        limit = self._rules.max_errors_in_a_row
        if not limit or errors < limit or server in self.left_alone:
            return ""
        return self.leave_alone(
            server,
            f"{server} failed {errors} times in a row (the last time: {cause}) and is left alone"
            " for the rest of the scan (SITECRAWL_MAX_ERRORS_IN_A_ROW)",
        )

    def _busy_seconds(self, server: str, retry_after: float | None, chance: float) -> float:
        seconds = retry_after
        if seconds is None:
            errors = self._errors[server]
            seconds = backoff_seconds(self._rules.busy_backoff_seconds, errors, chance)
        return min(seconds, self._rules.max_retry_after_seconds or math.inf)

    def _pause(self, seconds: float, now: float) -> str:
        if now + seconds <= self.paused_until:
            return ""
        self.paused_until = now + seconds
        return f"{self.host} asks to wait: nothing is sent to it for {seconds:.1f} s"
