"""How fast a robots.txt lets us come: Crawl-delay and Request-rate."""

from __future__ import annotations

import math
import re
from datetime import time
from typing import NamedTuple

_DELAY = re.compile(r"\d+(?:\.\d*)?|\.\d+", re.ASCII)
_RATE = re.compile(
    r"(\d{1,9})\s*/\s*(\d{1,9})\s*([smhd]?)"
    r"(?:\s+(\d{1,2}):?(\d\d)\s*-\s*(\d{1,2}):?(\d\d)\s*(?:z|utc|gmt)?)?",
    re.ASCII | re.IGNORECASE,
)
_UNIT_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3_600, "d": 86_400}


class CrawlDelay(NamedTuple):
    """``Crawl-delay: 2``: seconds between two requests."""

    seconds: float
    line: int


class RequestRate(NamedTuple):
    """``Request-rate: 1/10m 0600-0845``: requests per seconds, and the hours (UTC) it holds in."""

    requests: int
    seconds: int
    start: time | None
    end: time | None
    line: int

    @property
    def seconds_between(self) -> float:
        return self.seconds / self.requests

    def holds_at(self, moment: time) -> bool:
        """Whether it holds at this time of day in UTC; hours may go past midnight."""
        if self.start is None or self.end is None:
            return True
        if self.start <= self.end:
            return self.start <= moment <= self.end
        return moment >= self.start or moment <= self.end


def parse_crawl_delay(value: str, line: int) -> CrawlDelay | None:
    """Read the value of a ``Crawl-delay`` line; None if it is no number of seconds.

    >>> parse_crawl_delay("2.5", 3)
    CrawlDelay(seconds=2.5, line=3)
    >>> parse_crawl_delay("soon", 3) is None
    True
    """
    seconds = float(value) if _DELAY.fullmatch(value) else math.inf
    return CrawlDelay(seconds, line) if math.isfinite(seconds) else None


def parse_request_rate(value: str, line: int) -> RequestRate | None:
    """Read the value of a ``Request-rate`` line; None if it is no rate.

    >>> parse_request_rate("1/10m", 4)
    RequestRate(requests=1, seconds=600, start=None, end=None, line=4)
    >>> str(parse_request_rate("1/10m 0600-0845", 4).end)
    '08:45:00'
    >>> parse_request_rate("0/5", 4) is None
    True
    """
    match = _RATE.fullmatch(value)
    if match is None:
        return None
    requests, seconds = int(match[1]), int(match[2]) * _UNIT_SECONDS[match[3].lower()]
    if not requests or not seconds:
        return None
    try:
        start = _time_of_day(match[4], match[5])
        end = _time_of_day(match[6], match[7])
    except ValueError:
        return None
    return RequestRate(requests, seconds, start, end, line)


def _time_of_day(hour: str | None, minute: str | None) -> time | None:
    if hour is None or minute is None:
        return None
    # 2400 is how people write the end of a day.
    return time.max if (hour, minute) == ("24", "00") else time(int(hour), int(minute))
