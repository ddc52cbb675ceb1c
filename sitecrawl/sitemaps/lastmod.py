"""Dates of sitemaps and feeds, normalised so that they compare and sort as text."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from functools import lru_cache

from sitecrawl.sitemaps.markup import plain_text

_W3C_DATETIME = re.compile(
    r"""
    (?P<year>[0-9]{4})
    (?:-(?P<month>[0-9]{2})
      (?:-(?P<day>[0-9]{2})
        (?:[Tt ](?P<hour>[0-9]{2}):(?P<minute>[0-9]{2})
          (?::(?P<second>[0-9]{2})(?:\.(?P<fraction>[0-9]+))?)?
          [ ]?(?P<zone>[Zz]|UTC|GMT|[+-][0-9]{2}(?::?[0-9]{2})?)?
        )?
      )?
    )?
    """,
    re.VERBOSE,
)
_UTC_NAMES = frozenset({"Z", "z", "UTC", "GMT"})
_FRACTION_DIGITS = 9
_MAX_CHARACTERS = 64
_LAST_ZONE_HOUR = 23
_LAST_MINUTE = 59

# One match over a whole column instead of one per value. 29 February is left to
# `normalize_lastmod`, which knows leap years.
_USUAL_DATE = (
    r"(?!0000)[0-9]{4}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])"
    r"|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)"
)
_USUAL_TIME = r"T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z"
_USUAL_COLUMN = re.compile(rf"(?:(?:{_USUAL_DATE}(?:{_USUAL_TIME}|)|)\n)*")


def usual_lastmods(raw: list[str]) -> list[str] | None:
    """`normalize_lastmod` of each value, if all are in a common format or absent; else None.

    >>> usual_lastmods(["2026-05-06T07:08:09+00:00", ""]), usual_lastmods(["2026", "yesterday"])
    (['2026-05-06T07:08:09Z', ''], None)
    """
    joined = "\n".join(raw) + "\n"
    joined = joined.replace("+00:00\n", "Z\n")
    if not _USUAL_COLUMN.fullmatch(joined):
        return None
    usual = joined[:-1].split("\n")
    # A value with a line break in it would have come out as two.
    return usual if len(usual) == len(raw) else None


def normalize_lastmod(value: str) -> str:
    """Normalise a W3C datetime; the empty string for any other text.

    - In UTC with a `Z` when a zone is given, without a zone when not; seconds are filled in.
    - Year, month and date stay what they are.
    - Also accepted: a blank for the `T`, lower case, `+0200`, `UTC`.

    >>> normalize_lastmod("2026-05-06T07:08:09+02:00")
    '2026-05-06T05:08:09Z'
    >>> normalize_lastmod("2026-05"), normalize_lastmod("2026-05-06 07:08")
    ('2026-05', '2026-05-06T07:08:00')
    >>> normalize_lastmod("06/05/2026"), normalize_lastmod("2026-02-30")
    ('', '')
    """
    text = plain_text(value)
    # Long values are not cached, because sites choose them.
    return _normalized(text) if len(text) <= _MAX_CHARACTERS else ""


@lru_cache(maxsize=8_192)
def _normalized(text: str) -> str:
    match = _W3C_DATETIME.fullmatch(text)
    if match is None:
        return ""
    try:
        moment = datetime(  # noqa: DTZ001 - the zone is taken off by hand, and may be missing
            int(match["year"]),
            int(match["month"] or 1),
            int(match["day"] or 1),
            int(match["hour"] or 0),
            int(match["minute"] or 0),
            int(match["second"] or 0),
        )
        if match["hour"] is None:
            return text
        zone = match["zone"] or ""
        moment -= _offset(zone)
    except (ValueError, OverflowError):
        return ""
    fraction = match["fraction"]
    digits = f".{fraction[:_FRACTION_DIGITS]}" if fraction else ""
    return f"{moment.isoformat(timespec='seconds')}{digits}{'Z' if zone else ''}"


def normalize_feed_date(value: str) -> str:
    """Normalise a date of a feed: a W3C datetime (Atom) or an RFC 822 one (RSS).

    >>> normalize_feed_date("Wed, 06 May 2026 07:08:09 +0200")
    '2026-05-06T05:08:09Z'
    """
    normalized = normalize_lastmod(value)
    text = plain_text(value)
    if normalized or not text or len(text) > _MAX_CHARACTERS:
        return normalized
    try:
        moment = parsedate_to_datetime(text)
        if moment.tzinfo is None:
            return moment.isoformat(timespec="seconds")
        utc = moment.astimezone(UTC).replace(tzinfo=None)
    except (ValueError, OverflowError):
        return ""
    return f"{utc.isoformat(timespec='seconds')}Z"


def _offset(zone: str) -> timedelta:
    if not zone or zone in _UTC_NAMES:
        return timedelta()
    digits = zone[1:].replace(":", "")
    hours, minutes = int(digits[:2]), int(digits[2:] or 0)
    if hours > _LAST_ZONE_HOUR or minutes > _LAST_MINUTE:
        raise ValueError(zone)
    offset = timedelta(hours=hours, minutes=minutes)
    return -offset if zone[0] == "-" else offset
