"""Recognises crawler traps: URL spaces without an end.

* :class:`TrapRules` judge a single URL: too deep, repeating, too many parameters, far from today.
* :class:`PageCopies`, :class:`FilterCombinations` and :class:`SegmentOrders` compare several URLs.
* :mod:`sitecrawl.urls.pattern_budgets` judges by what the visits bring.
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
from sitecrawl.urls.rules import DEFAULT_SESSION_NAMES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import date


_CALENDAR_WORD = re.compile(
    r"[/?&_-](?:cal|calendar|calender|kalender|calendrier|calendario|agenda|schedule"
    r"|events?|termine|veranstaltungen|day|month|week|date)(?![a-z])",
    re.IGNORECASE,
)
_YEAR_AND_MONTH = re.compile(r"(?<![0-9])([0-9]{4})[-/_.](0[1-9]|1[0-2]|[1-9])(?![0-9])")
_MAYBE_YEAR = re.compile("([0-9]{4})[-/_.](?=[0-9])")  # a cheaper test first
_YEAR_PARAMETER = re.compile(r"[?&](?:[a-z]+_)?(?:year|yr|jahr)=([0-9]{4})(?![0-9])", re.IGNORECASE)
# Other numbers before a month without a zero are more likely ids: /topic/1234/5.
_LIKELY_YEARS = range(1900, 2200)
_BEFORE_PATH = len("https://")


class TrapKind(StrEnum):
    """The kind of trap that a given-up pattern looks like."""

    CALENDAR = "calendar"
    FACETS = "facets"
    LOOP = "loop"
    PAGINATION = "pagination"
    SESSION = "session"
    PARAMETER = "parameter"
    """A parameter that does not change the page."""
    PATTERN = "pattern"

    @property
    def is_refusal(self) -> bool:
        """Whether the URLs are refused as a trap; otherwise they stay listed, but unvisited."""
        return self is not TrapKind.PATTERN

    @property
    def reason(self) -> Reason | None:
        return Reason(f"trap_{self.value}") if self.is_refusal else None


@dataclass(frozen=True, slots=True)
class TrapLimits:
    """Limits on the form of a URL; 0 is no limit."""

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
        """Return the indexes of the URLs that a rule may match; cheap, and misses none."""
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
        """Candidates, found in all URLs as one text: a search in each of them would cost more."""
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


# With fewer different pages texts prove nothing: all may be the shell of a JavaScript application.
_MIN_DIFFERENT_PAGES = 10


class PageCopies:
    """Pages that are copies of others, as endless relative links produce them.

    A copy is a page (without a number in its path) whose text is known from a page less deep, or
    that brought nothing new. Pages below a copy have new addresses, but no new content. This is
    used once there are *enough* copies (0: never).

    >>> copies = PageCopies(enough=1, most=100)
    >>> for number in range(10):
    ...     copies.record(f"/page-{number}", is_productive=True)
    >>> copies.is_copy("/a/news", depth_of_text=1)
    True
    >>> copies.record("/a/news", is_productive=False)
    >>> [copies.is_below(path) for path in ("/a/news", "/a/news/b", "/a/news/b/c", "/a/other/b")]
    [False, True, True, False]
    """

    def __init__(self, *, enough: int, most: int) -> None:
        self._enough = enough
        self._most = most
        self._copies: set[str] = set()
        self._different_pages = 0

    def is_copy(self, location: str, depth_of_text: int) -> bool:
        """Whether a page is a copy of one whose text was seen at this depth.

        A whole site that exists a second time in a folder does not count: it is one level deeper
        everywhere, while a loop adds a level in each round.
        """
        parent = location.rpartition("/")[0]
        return location.count("/") - depth_of_text > (parent in self._copies)

    def record(self, location: str, *, is_productive: bool) -> None:
        if is_productive:
            self._different_pages += 1
        elif location and len(self._copies) < self._most:
            self._copies.add(location)

    def is_below(self, location: str) -> bool:
        """Whether a page lies below a copy.

        Its grandparent counts as well: the parent may be about to be recognised as a copy.
        """
        if self._different_pages < _MIN_DIFFERENT_PAGES:
            return False
        parent = location.rpartition("/")[0]
        return 0 < self._enough <= len(self._copies) and not self._copies.isdisjoint(
            (parent, parent.rpartition("/")[0])
        )


# Filters have fewer different values; more of them are names of pages.
_MAX_VALUES = 2_000
_MAX_SETS = 500
# The value of a filter is in many URLs, the name of a page in few: itself, its print view.
_MIN_URLS_PER_VALUE = 8


class FilterCombinations:
    """Tells freely combined filters from parameters that select a page, for the URLs of one path.

    Parameters are filters when there are more different sets of parameters than parameters, and few
    values make up many URLs.

    >>> choices = FilterCombinations()
    >>> for a, b, c in [(a, b, c) for a in "12345" for b in "12345" for c in ["", *"12345"]]:
    ...     choices.add([("a", a), ("b", b), ("c", c)] if c else [("b", a), ("c", b)])
    ...     choices.add([("a", a), ("c", b)])
    >>> choices.are_combined
    False
    >>> for a, b in [(a, b) for a in "12345" for b in "12345"]:
    ...     choices.add([("a", a), ("b", b)])
    >>> choices.are_combined
    True
    """

    def __init__(self) -> None:
        self.are_combined = False
        """Never set back to False."""
        self._urls = 0
        self._names: set[str] = set()
        self._sets: set[tuple[str, ...]] = set()
        self._values: set[int] = set()

    def add(self, parameters: Sequence[tuple[str, str]]) -> None:
        """Count the parameters of one more URL."""
        if self.are_combined or len(self._values) > _MAX_VALUES:
            return
        self._urls += 1
        names = sorted({name for name, _ in parameters})
        self._names.update(names)
        if len(self._sets) < _MAX_SETS:
            self._sets.add(tuple(names))
        self._values.update(map(hash, parameters))
        has_many_sets = len(self._sets) > len(self._names)
        self.are_combined = has_many_sets and self._urls >= _MIN_URLS_PER_VALUE * len(self._values)


_MAX_PATHS = 50_000


class SegmentOrders:
    """Recognises paths that have the segments of an earlier path in another order.

    Relative links and filters in paths lead to ``/a/b`` and ``/b/a``; folders seldom do.

    >>> orders = SegmentOrders()
    >>> orders.add("/a/b")
    >>> [orders.is_reordered(path) for path in ("/a/b", "/b/a", "/b/c")]
    [False, True, False]
    """

    def __init__(self) -> None:
        self._firsts: dict[int, int] = {}

    def add(self, path: str) -> None:
        if len(self._firsts) < _MAX_PATHS:
            self._firsts.setdefault(_segments(path), hash(path))

    def is_reordered(self, path: str) -> bool:
        own = hash(path)
        return self._firsts.get(_segments(path), own) != own


def _segments(path: str) -> int:
    return hash(tuple(sorted(path.split("/"))))
