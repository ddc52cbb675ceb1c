"""The two hints of an entry that few readers trust: changefreq and priority."""

from __future__ import annotations

import re
from functools import lru_cache

from sitecrawl.parse.references import plain_text

NO_PRIORITY = -1.0
_MAX_CHARACTERS = 32
_FREQUENCIES = frozenset({"always", "hourly", "daily", "weekly", "monthly", "yearly", "never"})
_DECIMAL = re.compile(r"[0-9]+(?:\.[0-9]*)?|\.[0-9]+")


def normalize_changefreq(value: str) -> str:
    """Give one of the protocol's seven words, or the empty string.

    >>> normalize_changefreq(" Daily "), normalize_changefreq("whenever")
    ('daily', '')
    """
    if value in _FREQUENCIES:
        return value
    word = plain_text(value).lower()
    return word if word in _FREQUENCIES else ""


def normalize_priority(value: str) -> float:
    """Give a priority from 0.0 to 1.0, or `NO_PRIORITY`.

    >>> normalize_priority("0.8"), normalize_priority("high"), normalize_priority("7")
    (0.8, -1.0, -1.0)
    """
    text = plain_text(value)
    return _parsed(text) if len(text) <= _MAX_CHARACTERS else NO_PRIORITY


@lru_cache(maxsize=1_024)
def _parsed(text: str) -> float:
    if not _DECIMAL.fullmatch(text):
        return NO_PRIORITY
    priority = float(text)
    return priority if priority <= 1.0 else NO_PRIORITY
