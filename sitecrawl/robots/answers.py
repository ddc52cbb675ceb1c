"""What the server's answer to robots.txt means for pages, and for how long.

RFC 9309, 2.3.1: an answer has the rules, or says that there are none (*unavailable*), or fails
(*unreachable*): then there may be rules that are not known.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import NamedTuple

MAX_REDIRECTS = 5
MAX_FRESH_SECONDS = 86_400
MIN_FRESH_SECONDS = 300
MAX_KEPT_SECONDS = 30 * 86_400

_UNAVAILABLE_FRESH_SECONDS = 3_600
_TOO_MANY_REQUESTS = 429
_CLIENT_ERRORS = range(400, 500)
_READ = {"ok", "not_modified"}
_GONE = {404, 410}
_MAX_AGE = re.compile(r"(?:^|[,\s])max-age\s*=\s*\"?(\d{1,12})", re.IGNORECASE)
_NOT_STORED = re.compile(r"(?:^|[,\s])no-(?:store|cache)\b", re.IGNORECASE)


class AnswerKind(StrEnum):
    READ = "read"
    UNAVAILABLE = "unavailable"
    UNREACHABLE = "unreachable"


class RobotsAnswer(NamedTuple):
    """What the fetch of a robots.txt came to, with the cause in words where it failed."""

    kind: AnswerKind
    cause: str = ""
    status: int | None = None


def read_answer(
    outcome: str, status: int | None = None, *, redirects: int = 0, error: str = ""
) -> RobotsAnswer:
    """Say what the fetch of a robots.txt came to.

    *outcome* is the value of a :class:`~sitecrawl.items.FetchOutcome`; one that is not known here
    counts as unreachable, the safe choice. *redirects* is the number of hops.

    >>> read_answer("not_found", 404).kind, read_answer("http_error", 503).kind
    (<AnswerKind.UNAVAILABLE: 'unavailable'>, <AnswerKind.UNREACHABLE: 'unreachable'>)
    """
    if outcome == "too_many_redirects" or redirects > MAX_REDIRECTS:
        return RobotsAnswer(AnswerKind.UNAVAILABLE, f"more than {MAX_REDIRECTS} redirects", status)
    if outcome in _READ:
        return RobotsAnswer(AnswerKind.READ, status=status)
    cause = error or (f"HTTP {status}" if status else outcome.replace("_", " "))
    # A server that asks to slow down may well have a robots.txt.
    is_final = status in _CLIENT_ERRORS and status != _TOO_MANY_REQUESTS
    is_answer = outcome in {"not_found", "http_error"}
    kind = AnswerKind.UNAVAILABLE if is_final and is_answer else AnswerKind.UNREACHABLE
    return RobotsAnswer(kind, cause, status)


def fresh_seconds(answer: RobotsAnswer, cache_control: str = "") -> int:
    """Return for how long an answer need not be asked for again.

    A day at most (RFC 9309, 2.4), less where the server says so, and soon again after an error.

    >>> fresh_seconds(read_answer("ok", 200), "public, max-age=600")
    600
    >>> fresh_seconds(read_answer("timeout"))
    300
    """
    if answer.kind is AnswerKind.UNREACHABLE:
        return MIN_FRESH_SECONDS
    is_statement = answer.kind is AnswerKind.READ or answer.status in _GONE
    longest = MAX_FRESH_SECONDS if is_statement else _UNAVAILABLE_FRESH_SECONDS
    if _NOT_STORED.search(cache_control):
        return MIN_FRESH_SECONDS
    max_age = _MAX_AGE.search(cache_control)
    wanted = int(max_age[1]) if max_age else longest
    return max(MIN_FRESH_SECONDS, min(wanted, longest))


def may_use_kept_copy(answer: RobotsAnswer, age_seconds: float) -> bool:
    """Whether the last copy that could be read, of this age, holds instead of *answer*.

    Only an unreachable robots.txt is replaced (RFC 9309, 2.3.1.4 and 2.4), for 30 days.
    """
    return answer.kind is AnswerKind.UNREACHABLE and 0 <= age_seconds <= MAX_KEPT_SECONDS
