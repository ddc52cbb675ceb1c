"""The two hints of an entry that few readers trust: changefreq and priority."""

from __future__ import annotations

import re
from functools import lru_cache

NO_PRIORITY = -1.0
_FREQUENCIES = frozenset({"always", "hourly", "daily", "weekly", "monthly", "yearly", "never"})
_DECIMAL = re.compile(r"[0-9]+(?:\.[0-9]*)?|\.[0-9]+")


@lru_cache(maxsize=256)
def normalize_changefreq(value: str) -> str:
    """Give one of the protocol's seven words, or the empty string.

    >>> normalize_changefreq(" Daily "), normalize_changefreq("whenever")
    ('daily', '')
    """
    word = value.strip().lower()
    return word if word in _FREQUENCIES else ""


@lru_cache(maxsize=1_024)
def normalize_priority(value: str) -> float:
    """Give a priority from 0.0 to 1.0, or `NO_PRIORITY`.

    >>> normalize_priority("0.8"), normalize_priority("high"), normalize_priority("7")
    (0.8, -1.0, -1.0)
    """
    text = value.strip()
    if not _DECIMAL.fullmatch(text):
        return NO_PRIORITY
    priority = float(text)
    return priority if priority <= 1.0 else NO_PRIORITY
