"""Traps that show in a single URL: too deep, going round, full of parameters, far from today.

What shows only after some visits is in :mod:`sitecrawl.urls.budgets`.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate
from typing import TYPE_CHECKING

from sitecrawl.urls.refusal import Reason, Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import date

# Canonicalisation removes most of these when the value looks generated; what is left here names
# a visitor all the same.
DEFAULT_SESSION_NAMES = (
    *("phpsessid", "jsessionid", "sid", "sessid", "sessionid", "session_id", "session-id"),
    *("session", "sess", "ses", "sessionhash", "visitorid", "visitor_id"),
)

_CALENDAR_WORD = re.compile(
    r"[/?&_-](?:cal|calendar|calender|kalender|calendrier|calendario|agenda|schedule"
    r"|events?|termine|veranstaltungen|day|month|week|date)(?![a-z])",
    re.IGNORECASE,
)
_YEAR_AND_MONTH = re.compile(r"(?<![0-9])([0-9]{4})[-/_.](0[1-9]|1[0-2]|[1-9])(?![0-9])")
_MAYBE_YEAR = re.compile("([0-9]{4})[-/_.](?=[0-9])")  # half the price
_YEAR_PARAMETER = re.compile(r"[?&](?:[a-z]+_)?(?:year|yr|jahr)=([0-9]{4})(?![0-9])", re.IGNORECASE)
# Other numbers before a month without a zero are more likely ids: /topic/1234/5.
_LIKELY_YEARS = range(1900, 2200)
_BEFORE_PATH = len("https://")


class TrapKind(StrEnum):
    """What a pattern that was given up looks like."""

    CALENDAR = "calendar"
    FACETS = "facets"
    LOOP = "loop"
    PAGINATION = "pagination"
    SESSION = "session"
    PATTERN = "pattern"

    @property
    def is_refusal(self) -> bool:
        """Whether what was left out is a trap; otherwise it stays listed, only unvisited."""
        return self is not TrapKind.PATTERN

    @property
    def reason(self) -> Reason | None:
        return Reason(f"trap_{self.value}") if self.is_refusal else None


@dataclass(frozen=True, slots=True)
class TrapLimits:
    """What a URL may look like; 0 is no limit."""

    max_segments: int = 20
    max_path_length: int = 1_000
    max_repeats: int = 3
    max_parameters: int = 12
    future_years: int = 5
    past_years: int = 200
    session_names: tuple[str, ...] = DEFAULT_SESSION_NAMES


class TrapRules:
    """Rules on canonical URLs.

    * A path has at most so many segments and characters, and no segment in it that is not a
      number comes more often than so many times.
    * A query has at most so many parameters.
    * No parameter, of the query or of a path segment, has the name of a session and a value that
      looks generated.
    * No date is too many years from today. Four digits are a year before a month with a leading
      zero, before any month where the URL speaks of a calendar, and in ``year=``.

    >>> from datetime import date
    >>> rules = TrapRules(TrapLimits(), date(2026, 5, 17))
    >>> rules.refusals(["https://example.com/a/a/a/b", "https://example.com/events/2099/01"])
    {1: Refusal(reason=<Reason.TRAP_CALENDAR: 'trap_calendar'>, rule='at most 5 years ahead')}
    """

    def __init__(self, limits: TrapLimits, today: date) -> None:
        self._limits = limits
        # Only with more slashes than these can a path have too many segments or repeats.
        few = min((n for n in (limits.max_segments, limits.max_repeats) if n), default=0)
        self._few_slashes = few + 2
        self._first_year = today.year - limits.past_years if limits.past_years else 0
        self._last_year = today.year + limits.future_years if limits.future_years else 9999
        names = "|".join(re.escape(name) for name in sorted(limits.session_names))
        # A generated value has digits and letters: neither a word nor a number is one.
        self._session = re.compile(
            rf"[?&;]({names or '(?!)'})=(?=[a-z_-]*[0-9])(?=[0-9_-]*[a-z])[0-9a-z_-]{{16}}",
            re.IGNORECASE,
        )

    def refusal(self, url: str) -> Refusal | None:
        return next(self._refusals(url), None)

    def refusals(self, urls: Sequence[str]) -> dict[int, Refusal]:
        """Return the refused ones of *urls* by their index."""
        found = ((row, self.refusal(urls[row])) for row in sorted(self._suspects(urls)))
        return {row: refusal for row, refusal in found if refusal is not None}

    def _suspects(self, urls: Sequence[str]) -> set[int]:
        """Return the indexes of the URLs that a rule may match: cheap tests that miss none."""
        limits, few_slashes = self._limits, self._few_slashes
        length = limits.max_path_length or math.inf
        suspects = {
            row
            for row, url in enumerate(urls)
            if (url.count("/") > few_slashes and self._may_be_a_loop(url)) or len(url) > length
        }
        suspects.update(self._rows_far_from_today(urls))
        for row in [row for row, url in enumerate(urls) if "?" in url or ";" in url]:
            url = urls[row]
            if (
                0 < limits.max_parameters <= url.count("&")
                or self._session.search(url)
                or _YEAR_PARAMETER.search(url)
            ):
                suspects.add(row)
        return suspects

    def _may_be_a_loop(self, url: str) -> bool:
        parts = url.split("/")
        max_repeats, max_segments = self._limits.max_repeats, self._limits.max_segments
        return (0 < max_repeats <= len(parts) - len(set(parts))) or 0 < max_segments < len(parts)

    def _refusals(self, url: str) -> Iterator[Refusal]:
        limits = self._limits
        target = url[url.find("/", _BEFORE_PATH) :]
        path, _, query = target.partition("#")[0].partition("?")
        segments = [segment for segment in path.split("/") if segment]
        if 0 < limits.max_segments < len(segments):
            yield Refusal(Reason.TRAP_PATH, f"at most {limits.max_segments} path segments")
        if 0 < limits.max_path_length < len(path):
            yield Refusal(Reason.TRAP_PATH, f"at most {limits.max_path_length} characters of path")
        if 0 < limits.max_repeats < _most_repeats(segments):
            yield Refusal(Reason.TRAP_LOOP, f"at most {limits.max_repeats} times the same segment")
        if 0 < limits.max_parameters <= query.count("&"):
            yield Refusal(Reason.TRAP_FACETS, f"at most {limits.max_parameters} parameters")
        if session := self._session.search(target):
            yield Refusal(Reason.TRAP_SESSION, session[1].lower())
        for year in _years_of_dates(target):
            if year > self._last_year:
                yield Refusal(Reason.TRAP_CALENDAR, f"at most {limits.future_years} years ahead")
            elif year < self._first_year:
                yield Refusal(Reason.TRAP_CALENDAR, f"at most {limits.past_years} years back")

    def _rows_far_from_today(self, urls: Sequence[str]) -> Iterator[int]:
        """Candidates, found in all of the URLs as one text: a search in each would cost more."""
        text = "\n".join(urls)
        far = [
            match.start()
            for match in _MAYBE_YEAR.finditer(text)
            if not self._first_year <= int(match[1]) <= self._last_year
        ]
        if not far:
            return
        ends = list(accumulate(len(url) + 1 for url in urls))
        row = 0
        for position in far:
            while ends[row] <= position:
                row += 1
            yield row


def _most_repeats(segments: list[str]) -> int:
    words = Counter(segment for segment in segments if not segment.isdigit())
    return max(words.values(), default=0)


def _years_of_dates(target: str) -> Iterator[int]:
    is_calendar = _CALENDAR_WORD.search(target) is not None
    for match in _YEAR_AND_MONTH.finditer(target):
        year = int(match[1])
        if match[2][0] == "0" or (is_calendar and year in _LIKELY_YEARS):
            yield year
    for match in _YEAR_PARAMETER.finditer(target):
        yield int(match[1])
