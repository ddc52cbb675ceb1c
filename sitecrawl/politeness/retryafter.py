"""The Retry-After header (RFC 9110, 10.2.3): seconds, or a date."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

# An HTTP date has 29 characters. Parsing what is much longer is only a waste of time.
_MAX_LENGTH = 64
_SECONDS = re.compile(r"[0-9]+(?:\.[0-9]+)?")


def parse_retry_after(value: str, answered_at: datetime) -> float | None:
    """How many seconds to wait from *answered_at* on; None when *value* says nothing of use.

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
