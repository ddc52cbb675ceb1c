"""How much a page matters on its site, from 0 to 1, and why.

The score is the mean of what is known of the page, by weight. What nobody said of it (no sitemap
priority, no lastmod, no crawl that would have counted links) is left out, so that pages are not
punished for a site that says little.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log1p
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from sitecrawl.classify.vocabulary import Category

if TYPE_CHECKING:
    from collections.abc import Sequence

_WEIGHTS: Final = MappingProxyType(
    {
        "category": 0.25,
        "depth": 0.2,
        "menu": 0.2,
        "links": 0.15,
        "region": 0.05,
        "sitemap": 0.1,
        "fresh": 0.1,
    }
)
_OF_CATEGORY: Final = MappingProxyType(
    {Category.PRIMARY: 1.0, Category.SUPPORT: 0.6, Category.UTILITY: 0.1}
)
_OF_REGION: Final = MappingProxyType(
    {
        "navigation": 1.0,
        "header": 0.8,
        "breadcrumb": 0.8,
        "content-link": 0.6,
        "aside": 0.4,
        "pagination": 0.3,
        "footer": 0.2,
    }
)
_OF_DEPTH: Final = (1.0, 0.8, 0.6, 0.45, 0.3, 0.2)
_DEEPEST: Final = 0.1
# So many months before the newest at most, what that is worth, and in words.
_OF_AGE: Final = (
    (1, 1.0, "changed within a month of the newest pages"),
    (6, 0.8, "changed within half a year of the newest pages"),
    (12, 0.6, "changed within a year of the newest pages"),
    (36, 0.35, "changed within three years of the newest pages"),
)
_OLDEST: Final = 0.1
_FRESH_WORDS: Final = MappingProxyType({worth: words for _, worth, words in _OF_AGE})
_MONTHS: Final = 12
MONTH_LENGTH: Final = len("2026-03")


class PriorityPart(NamedTuple):
    """One thing that counts: how much of it there is, from 0 to 1, and how much it weighs."""

    name: str
    value: float
    weight: float
    words: str


@dataclass(frozen=True, slots=True)
class SiteScale:
    """What is much on this site."""

    most_inlinks: int = 0
    newest_month: str = ""
    """``2026-03``; ages count from here, so that the same inventory always gives the same."""
    has_menu: bool = False
    has_priorities: bool = False
    """Whether its sitemaps tell pages apart by their priority."""


class PageSignals(NamedTuple):
    """What is known of one page; None or ``""``: nothing."""

    category: Category
    depth: int
    is_structural: bool = False
    inlinks: int | None = None
    region: str = ""
    sitemap_priority: float | None = None
    freshness: float | None = None


def priority(signals: PageSignals, scale: SiteScale) -> float:
    """
    >>> home = PageSignals(Category.PRIMARY, 0, is_structural=True)
    >>> priority(home, SiteScale(has_menu=True))
    1.0
    >>> priority(PageSignals(Category.UTILITY, 2), SiteScale())
    0.32
    """
    values = _values(signals, scale)
    total = sum(value * _WEIGHTS[name] for name, value in values.items())
    return round(total / sum(map(_WEIGHTS.__getitem__, values)), 2)


def priority_parts(signals: PageSignals, scale: SiteScale) -> Sequence[PriorityPart]:
    """What the score is made of, the heaviest first."""
    segments = f"{signals.depth} path segment{'' if signals.depth == 1 else 's'}"
    most = scale.most_inlinks
    words = {
        "category": f"{signals.category} content",
        "depth": segments,
        "menu": "in the site's menu" if signals.is_structural else "not in the site's menu",
        "links": f"linked from {signals.inlinks or 0:,} pages, the most is {most:,}",
        "region": f"linked in {signals.region}",
        "sitemap": f"priority {signals.sitemap_priority or 0:g} in the sitemap",
        "fresh": _FRESH_WORDS.get(signals.freshness or 0, "not changed for years"),
    }
    parts = [
        PriorityPart(name, value, _WEIGHTS[name], words[name])
        for name, value in _values(signals, scale).items()
    ]
    return sorted(parts, key=lambda part: -part.weight)


def _values(signals: PageSignals, scale: SiteScale) -> dict[str, float]:
    """How much there is of each thing that is known, from 0 to 1."""
    depth = signals.depth
    values = {
        "category": _OF_CATEGORY[signals.category],
        "depth": _OF_DEPTH[depth] if depth < len(_OF_DEPTH) else _DEEPEST,
    }
    if scale.has_menu:
        values["menu"] = float(signals.is_structural)
    if signals.inlinks is not None and scale.most_inlinks:
        values["links"] = min(log1p(signals.inlinks) / log1p(scale.most_inlinks), 1.0)
    if signals.region in _OF_REGION:
        values["region"] = _OF_REGION[signals.region]
    if scale.has_priorities and signals.sitemap_priority is not None:
        values["sitemap"] = min(max(signals.sitemap_priority, 0.0), 1.0)
    if signals.freshness is not None:
        values["fresh"] = signals.freshness
    return values


def freshness(lastmod: str | None, newest_month: str) -> float | None:
    """From 1 for what has just changed down to nearly 0; None, if it is not known.

    >>> freshness("2026-03-14", "2026-03"), freshness("2019-01", "2026-03")
    (1.0, 0.1)
    """
    month = month_of(lastmod)
    if not month or not newest_month:
        return None
    age = _month_number(newest_month) - _month_number(month)
    return next((worth for months, worth, _ in _OF_AGE if age <= months), _OLDEST)


def month_of(lastmod: str | None) -> str:
    """The month of a lastmod; ``""`` if it has none.

    >>> month_of("2026-03-14T10:00:00Z"), month_of("yesterday"), month_of(None)
    ('2026-03', '', '')
    """
    month = (lastmod or "")[:MONTH_LENGTH]
    is_month = month[4:5] == "-" and month[:4].isdecimal() and month[5:] in _MONTH_NAMES
    return month if is_month and month.isascii() else ""


_MONTH_NAMES: Final = frozenset(f"{month:02}" for month in range(1, _MONTHS + 1))


def _month_number(month: str) -> int:
    return int(month[:4]) * _MONTHS + int(month[5:])
