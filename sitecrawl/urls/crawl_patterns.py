"""Assigns each URL to the pattern whose budget it spends, and names the trap it may be.

Only the shape of the URL counts; :mod:`sitecrawl.urls.pattern_budgets` knows what was visited.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from sitecrawl.urls.patterns import (
    AGAIN,
    DATE,
    DATE_PART_SEGMENT,
    NUMBER,
    ROUTE,
    TOKEN,
    YEAR_SEGMENT,
    collapse,
    has_words,
    is_slug,
    mask,
    path_pattern,
    query_pattern,
    shortened,
    url_parts,
)
from sitecrawl.urls.rules import DATE_NAMES, DISPLAY_NAMES, PAGE_NAMES
from sitecrawl.urls.traps import TrapKind

if TYPE_CHECKING:
    from collections.abc import Sequence


_PAGE_LEAF = re.compile(r"([a-z]+)[-_]?\{n\}(?:\.[a-z]+)?\Z", re.IGNORECASE)
_LONG_NUMBER = re.compile(r"[0-9]{9,}\Z")  # a time stamp or a random number

_DATES, _TOKENS, _LOOPS, _COPIES = "{date}", "{id}", "{loop}", "{copy}"


class Shape(Enum):
    PAGES = auto()
    """Pages with names that people chose."""
    NUMBERED = auto()
    """A number in the path, or a name below one."""
    DATED = auto()
    LISTING = auto()
    """The pages of a paginated list."""
    PARAMETER = auto()
    COMBINATION = auto()
    """Several query parameters."""
    TOKEN = auto()
    """Generated ids: UUIDs, hashes, tokens."""
    LOOP = auto()
    """Repeated path segments."""


class CrawlPattern(NamedTuple):
    name: str
    """The pattern whose budget a visit spends."""
    family: str
    """Patterns that link to each other endlessly, such as a month and its days, or a list with one
    filter and with two: a link from one of them to another does not count as new."""
    shape: Shape
    kind: TrapKind
    """The kind of trap, should it prove to be one."""
    location: str
    """Its path without the name of an index page: the prefix of every path below it."""
    parameters: tuple[tuple[str, str], ...] = ()


@lru_cache(maxsize=4096)
def crawl_pattern(url: str) -> CrawlPattern:
    """
    >>> for target in ("about", "item/12", "s/9f86d081884c7d65/a", "a/b/a", "list?page=2", "l?a&b"):
    ...     print(*crawl_pattern(f"https://example.com/{target}")[:2])
    /* /*
    /item/{n} /item/{n}
    /s/{id}/* {id}
    /a/{loop} {loop}
    /list?page={v} ?*
    /l?* ?*
    """
    segments, parameters = url_parts(url)
    masked = [mask(segment) for segment in segments]
    location = _location(segments)
    if _goes_round(masked):
        return loop_pattern(location)
    if dated := _dated(segments, masked):
        return CrawlPattern(path_pattern(dated), _DATES, Shape.DATED, TrapKind.CALENDAR, location)
    if any(TOKEN in segment for segment in masked[:-1]):
        pattern = _pattern_of_leaf(_with_one_token(masked))
        return CrawlPattern(pattern, _TOKENS, Shape.TOKEN, TrapKind.SESSION, location)
    if masked and TOKEN in masked[-1] and not is_slug(masked[-1]):
        return CrawlPattern(path_pattern(masked), _TOKENS, Shape.TOKEN, TrapKind.LOOP, location)
    if parameters:
        return _query_pattern(masked, parameters, location)
    return _path_pattern(masked, location)


def loop_pattern(location: str) -> CrawlPattern:
    pattern = f"{_first_folder(location)}/{_LOOPS}"
    return CrawlPattern(pattern, _LOOPS, Shape.LOOP, TrapKind.LOOP, location)


def copy_pattern(location: str) -> CrawlPattern:
    """The pattern of a page below a copy of another page."""
    pattern = f"{_first_folder(location)}/{_COPIES}"
    return CrawlPattern(pattern, _LOOPS, Shape.PAGES, TrapKind.LOOP, location)


def _first_folder(location: str) -> str:
    return shortened(f"/{mask(location.split('/', 2)[1])}")


def _location(segments: Sequence[str]) -> str:
    is_index = bool(segments) and segments[-1].lower().startswith(("index.", "default."))
    return "".join(f"/{segment}" for segment in (segments[:-1] if is_index else segments))


def _goes_round(masked: Sequence[str]) -> bool:
    words = [segment for segment in masked if has_words(segment)]
    return len(set(words)) < len(words) or AGAIN in collapse(_with_one_token(masked))


def _with_one_token(masked: Sequence[str]) -> list[str]:
    """Several generated ids count as one."""
    count = masked.count(TOKEN)
    first = masked.index(TOKEN) if count else 0
    return [part for at, part in enumerate(masked) if part != TOKEN or at == first]


def _dated(segments: Sequence[str], masked: Sequence[str]) -> list[str] | None:
    """The masked path of a date, or of one plain word below it (``/2024/05/print``)."""
    for start in range(len(segments)):
        end = _end_of_date(segments, masked, start)
        if end > start:
            below = masked[end:]
            is_date = not below and not is_slug(masked[-1])
            is_view = len(below) == 1 and below[0].isalpha()
            months_and_days = [NUMBER] * (end - start - 1)
            dated = [*masked[: start + 1], *months_and_days, *below]
            return dated if is_date or is_view else None
    return None


def _end_of_date(segments: Sequence[str], masked: Sequence[str], start: int) -> int:
    """Where a date that begins at *start* ends; *start* itself if none does."""
    if DATE in masked[start]:
        return start + 1
    if not YEAR_SEGMENT.match(segments[start]):
        return start
    end = start + 1
    while end < min(start + 3, len(segments)) and DATE_PART_SEGMENT.match(segments[end]):
        end += 1
    return end if end > start + 1 else start  # a year alone is a number


def _path_pattern(masked: Sequence[str], location: str) -> CrawlPattern:
    pattern = _pattern_of_leaf(masked)
    first = next((at for at, segment in enumerate(masked) if "{" in segment), None)
    if first is None or (first == len(masked) - 1 and is_slug(masked[-1])):
        return CrawlPattern(pattern, pattern, Shape.PAGES, TrapKind.PATTERN, location)
    # /item/7 and /item/7/reviews are one family; articles below a number or a date are not.
    family = pattern if is_slug(masked[-1]) else path_pattern(masked[: first + 1])
    if _is_part_of_list(masked):
        return CrawlPattern(pattern, family, Shape.LISTING, TrapKind.PAGINATION, location)
    return CrawlPattern(pattern, family, Shape.NUMBERED, TrapKind.PATTERN, location)


def _is_part_of_list(masked: Sequence[str]) -> bool:
    """``page/{n}`` or ``page-{n}``."""
    if masked[-1] == NUMBER:
        return len(masked) > 1 and masked[-2].lower() in PAGE_NAMES
    leaf = _PAGE_LEAF.match(masked[-1])
    return leaf is not None and leaf[1].lower() in PAGE_NAMES


def _query_pattern(
    masked: Sequence[str], parameters: Sequence[tuple[str, str]], location: str
) -> CrawlPattern:
    path = path_pattern(masked)
    names = {name for name, _ in parameters}
    family = _family_of_query(masked)
    chosen = {name for name in names if name.lower() not in PAGE_NAMES}
    if dates := {name for name, value in parameters if _is_date(name, value)}:
        pattern = path + query_pattern(dates)
        return CrawlPattern(pattern, _DATES, Shape.DATED, TrapKind.CALENDAR, location)
    if len(chosen) > 1:
        pattern, kind = f"{_path_of_views(masked)}?*", TrapKind.FACETS
        return CrawlPattern(pattern, family, Shape.COMBINATION, kind, location, tuple(parameters))
    if all(_is_made_up(value) for name, value in parameters if name in chosen) and chosen:
        pattern = f"/*?{shortened(chosen.pop())}={_TOKENS}"
        return CrawlPattern(pattern, _TOKENS, Shape.TOKEN, TrapKind.SESSION, location)
    if len(chosen) < len(names):
        # Each list has an end of its own, so each has a budget of its own.
        pattern, kind = path + query_pattern(names), TrapKind.PAGINATION
        return CrawlPattern(pattern, family, Shape.LISTING, kind, location)
    is_display = all(name.lower() in DISPLAY_NAMES for name in chosen)
    kind = TrapKind.FACETS if is_display else TrapKind.PATTERN
    pattern = _path_of_views(masked) + query_pattern(names)
    return CrawlPattern(pattern, family, Shape.PARAMETER, kind, location)


def _family_of_query(masked: Sequence[str]) -> str:
    first = next((at for at, segment in enumerate(masked) if "{" in segment), None)
    if first is not None:
        return path_pattern(masked[: first + 1])
    # Lists share their filters and link to each other with them; scripts are separate pages.
    return f"{path_pattern(masked)}?*" if masked and "." in masked[-1] else "?*"


def _path_of_views(masked: Sequence[str]) -> str:
    """The path under which the views of many pages share a budget: ``/wiki/Foo?action=edit``.

    The routes of an application share one: one router reads their parameters.
    """
    if ROUTE in masked:
        return path_pattern([*masked[: masked.index(ROUTE) + 1], "*"])
    is_script = bool(masked) and "." in masked[-1]
    is_name = len(masked) > 1 or (bool(masked) and is_slug(masked[-1]))
    return path_pattern(masked) if is_script or not is_name else _pattern_of_leaf(masked)


def _is_date(name: str, value: str) -> bool:
    is_named = name.lower() in DATE_NAMES and value[:1].isdigit()
    return is_named or mask(value) == DATE


def _is_made_up(value: str) -> bool:
    return mask(value) == TOKEN or _LONG_NUMBER.match(value) is not None


def _pattern_of_leaf(masked: Sequence[str]) -> str:
    """The pattern of a path, in which the names in one folder are all the same."""
    if not masked or ("{" in masked[-1] and not is_slug(masked[-1])):
        return path_pattern(masked)
    return path_pattern([*masked[:-1], "*"])
