"""The priority of a page on its site, from 0 to 1, and what it is made of.

The score is the weighted mean of the signals that are known. Unknown signals (no sitemap priority,
no lastmod, no crawl that counted links) are left out, so that a site with little information does
not lower the priority of its pages.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log1p
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from sitecrawl.classify.pages import Category

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
_CATEGORY_VALUES: Final = MappingProxyType(
    {Category.PRIMARY: 1.0, Category.SUPPORT: 0.6, Category.UTILITY: 0.1}
)
_REGION_VALUES: Final = MappingProxyType(
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
_DEPTH_VALUES: Final = (1.0, 0.8, 0.6, 0.45, 0.3, 0.2)
_DEEPEST_VALUE: Final = 0.1
# Maximum age in months before the newest page, value, and words.
_AGE_VALUES: Final = (
    (1, 1.0, "changed within a month of the newest pages"),
    (6, 0.8, "changed within half a year of the newest pages"),
    (12, 0.6, "changed within a year of the newest pages"),
    (36, 0.35, "changed within three years of the newest pages"),
)
_OLDEST_VALUE: Final = 0.1
_FRESH_WORDS: Final = MappingProxyType({value: words for _, value, words in _AGE_VALUES})
_MONTHS: Final = 12
MONTH_LENGTH: Final = len("2026-03")


class PriorityPart(NamedTuple):
    """One signal: its value, from 0 to 1, and its weight."""

    name: str
    value: float
    weight: float
    words: str


@dataclass(frozen=True, slots=True)
class SiteScale:
    """The maxima of a site, which the signals of its pages are compared with."""

    most_inlinks: int = 0
    newest_month: str = ""
    """``2026-03``; ages count from here, so that the result depends on the inventory alone."""
    has_menu: bool = False
    has_priorities: bool = False
    """Whether its sitemaps have different priorities."""


class PrioritySignals(NamedTuple):
    """The signals of one page; None or ``""``: unknown."""

    category: Category
    depth: int
    is_structural: bool = False
    inlinks: int | None = None
    region: str = ""
    sitemap_priority: float | None = None
    freshness: float | None = None


def priority(signals: PrioritySignals, scale: SiteScale) -> float:
    """
    >>> home = PrioritySignals(Category.PRIMARY, 0, is_structural=True)
    >>> priority(home, SiteScale(has_menu=True))
    1.0
    >>> priority(PrioritySignals(Category.UTILITY, 2), SiteScale())
    0.32
    """
    values = _values(signals, scale)
    total = sum(value * _WEIGHTS[name] for name, value in values.items())
    return round(total / sum(map(_WEIGHTS.__getitem__, values)), 2)


def priority_parts(signals: PrioritySignals, scale: SiteScale) -> Sequence[PriorityPart]:
    """The parts of the score, the heaviest first."""
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


def _values(signals: PrioritySignals, scale: SiteScale) -> dict[str, float]:
    """The known signals as values from 0 to 1."""
    depth = signals.depth
    values = {
        "category": _CATEGORY_VALUES[signals.category],
        "depth": _DEPTH_VALUES[depth] if depth < len(_DEPTH_VALUES) else _DEEPEST_VALUE,
    }
    if scale.has_menu:
        values["menu"] = float(signals.is_structural)
    if signals.inlinks is not None and scale.most_inlinks:
        values["links"] = min(log1p(signals.inlinks) / log1p(scale.most_inlinks), 1.0)
    if signals.region in _REGION_VALUES:
        values["region"] = _REGION_VALUES[signals.region]
    if scale.has_priorities and signals.sitemap_priority is not None:
        values["sitemap"] = min(max(signals.sitemap_priority, 0.0), 1.0)
    if signals.freshness is not None:
        values["fresh"] = signals.freshness
    return values


def freshness(lastmod: str | None, newest_month: str) -> float | None:
    """From 1 for pages that have just changed down to nearly 0; None: unknown.

    >>> freshness("2026-03-14", "2026-03"), freshness("2019-01", "2026-03")
    (1.0, 0.1)
    """
    month = month_of(lastmod)
    if not month or not newest_month:
        return None
    age = _month_number(newest_month) - _month_number(month)
    return next((value for months, value, _ in _AGE_VALUES if age <= months), _OLDEST_VALUE)


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
