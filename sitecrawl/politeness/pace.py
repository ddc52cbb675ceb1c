"""When one host may be asked next, how long it asks to wait, and when it is left alone."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import NamedTuple

from sitecrawl.urls.address import origin_of

_TOO_MANY_REQUESTS = 429
_SERVICE_UNAVAILABLE = 503
_FIRST_SERVER_ERROR = 500
_BUSY = {_TOO_MANY_REQUESTS, _SERVICE_UNAVAILABLE}
_MAX_DOUBLINGS = 30
# An HTTP date has 29 characters. Parsing what is much longer is only a waste of time.
_MAX_LENGTH = 64
_SECONDS = re.compile(r"[0-9]+(?:\.[0-9]+)?")


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


@dataclass(slots=True)
class _ServerRecord:
    """How one server has been answering."""

    last_good_url: str = ""
    failed_urls: set[str] = field(default_factory=set)  # since the last good answer
    busy_answers: int = 0  # since the last good answer
    is_only_busy: bool = True  # whether all of these failures were 429 or 503
    is_checked: bool = False  # whether the last good URL is being asked for once more


class HostPace:
    """The state of one host: what it asked for, what was sent last, how it has been answering.

    * Between two requests lies the gap that the caller names, or what robots.txt asks for when that
      is more. It is counted from the moment the earlier request was written: until then (``begin``
      to ``sent``) no other may be written, however long the connection takes.
    * After 429 or 503 nothing may be sent before Retry-After, or the back-off when there is none.
    * A server (scheme, host and port) is left alone for good when it answers nothing any more:
      ``max_errors_in_a_row`` different URLs have failed since its last good answer, and the URL
      that it answered last fails, too. The latter is not needed when it said 429 or 503 to all of
      them. Retries of one URL count once. Where https is left alone, http need not be.
    """

    def __init__(self, host: str, rules: PaceRules):
        self.host = host
        self.paused_until = -math.inf
        self.held_until = math.inf  # afterwards another process may ask the host
        self.left_alone: dict[str, str] = {}  # server -> why
        self._rules = rules
        self._robots: dict[str, RobotsPace] = {}
        self._servers: defaultdict[str, _ServerRecord] = defaultdict(_ServerRecord)
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

    # --- when something may be sent ----------------------------------------------------------

    def wait_seconds(self, now: float, gap_seconds: float) -> float:
        """How long nothing may be sent; infinite while it depends on a request being sent."""
        gap = max(gap_seconds, self.robots.kept_seconds if self.robots else 0.0)
        if gap and self._leaving:
            return math.inf
        return max(self._last_sent + gap - now, self.paused_until - now, 0.0)

    def begin(self) -> None:
        """A request is handed out; ``sent`` or ``withdrawn`` follows."""
        self._leaving += 1

    def sent(self, now: float) -> None:
        self._leaving -= 1
        self._last_sent = now

    def withdrawn(self) -> None:
        """The request was not sent after all."""
        self._leaving -= 1

    # --- how the host answers ----------------------------------------------------------------

    def answered(
        self, url: str, status: int, retry_after: float | None, now: float, chance: float
    ) -> str:
        """Record a status; return a message for the log, or nothing."""
        server = origin_of(url)
        if status < _FIRST_SERVER_ERROR and status != _TOO_MANY_REQUESTS:
            self._servers[server] = _ServerRecord(last_good_url=url)
            return ""
        words = self.failed(url, f"HTTP {status}", is_busy=status in _BUSY)
        if status in _BUSY:
            self._servers[server].busy_answers += 1
            words = self._pause(self._busy_seconds(server, retry_after, chance), now) or words
        return self.left_alone.get(server) or words

    def failed(self, url: str, cause: str, *, is_busy: bool = False) -> str:
        """Record a failed request; return a message for the log, or nothing."""
        server, limit = origin_of(url), self._rules.max_errors_in_a_row
        record = self._servers[server]
        if not limit or server in self.left_alone:
            return ""
        is_check = record.is_checked and url == record.last_good_url
        if not is_check:
            record.failed_urls.add(url)
            record.is_only_busy &= is_busy
        needs_no_check = not record.last_good_url or record.is_only_busy
        is_hopeless = needs_no_check and len(record.failed_urls) >= limit
        if not (is_check or is_hopeless):
            return ""
        return self.leave_alone(
            server,
            f"{server} failed for {len(record.failed_urls)} URLs in a row (the last time: {cause})"
            " and is left alone for the rest of the scan (SITECRAWL_MAX_ERRORS_IN_A_ROW)",
        )

    def url_to_check(self, server: str) -> str:
        """The URL that decides whether *server* is left alone, once; empty if there is no doubt."""
        record, limit = self._servers[server], self._rules.max_errors_in_a_row
        is_in_doubt = limit and len(record.failed_urls) >= limit and server not in self.left_alone
        if not is_in_doubt or record.is_checked:
            return ""
        record.is_checked = True
        return record.last_good_url

    def leave_alone(self, server: str, why: str) -> str:
        return self.left_alone.setdefault(server, why)

    def _busy_seconds(self, server: str, retry_after: float | None, chance: float) -> float:
        seconds = retry_after
        if seconds is None:
            times = self._servers[server].busy_answers
            seconds = backoff_seconds(self._rules.busy_backoff_seconds, times, chance)
        return min(seconds, self._rules.max_retry_after_seconds or math.inf)

    def _pause(self, seconds: float, now: float) -> str:
        if now + seconds <= self.paused_until:
            return ""
        self.paused_until = now + seconds
        return f"{self.host} asks to wait: nothing is sent to it for {seconds:.1f} s"


def backoff_seconds(first_seconds: float, times: int, chance: float) -> float:
    """Twice as long each time, and up to a quarter longer by *chance* (0 to 1).

    The chance keeps what failed together from coming back together.

    >>> [backoff_seconds(0.2, times, 0) for times in (1, 2, 3)]
    [0.2, 0.4, 0.8]
    >>> backoff_seconds(0.2, 1, 1)
    0.25
    """
    doublings = min(max(times - 1, 0), _MAX_DOUBLINGS)
    return first_seconds * 2.0**doublings * (1 + chance / 4)


def parse_retry_after(value: str, answered_at: datetime) -> float | None:
    """The seconds to wait from *answered_at* on; None if *value* is neither seconds nor a date.

    A date is the server's, so *answered_at* should be its own ``Date`` where it sent one: a clock
    that is wrong is then wrong in both.

    >>> now = datetime(2030, 1, 1, 12, 0, tzinfo=UTC)
    >>> parse_retry_after("120", now), parse_retry_after("Tue, 01 Jan 2030 12:01:00 GMT", now)
    (120.0, 60.0)
    >>> parse_retry_after("soon", now) is None
    True
    """
    text = value.strip()
    if len(text) > _MAX_LENGTH:
        return None
    if _SECONDS.fullmatch(text):
        return float(text)
    date = parse_http_date(text)
    return None if date is None else max((date - answered_at).total_seconds(), 0.0)


def parse_http_date(value: str) -> datetime | None:
    """
    >>> parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT")
    datetime.datetime(1994, 11, 6, 8, 49, 37, tzinfo=datetime.timezone.utc)
    """
    if len(value) > _MAX_LENGTH:
        return None
    try:
        date = parsedate_to_datetime(value)
        # Without a zone GMT is meant: HTTP knows no other.
        return date.replace(tzinfo=UTC) if date.tzinfo is None else date.astimezone(UTC)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
