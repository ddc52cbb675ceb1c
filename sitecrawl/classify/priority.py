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
# So many months old at most, and what that is worth.
_OF_AGE: Final = ((1, 1.0), (6, 0.8), (12, 0.6), (36, 0.35))
_OLDEST: Final = 0.1
_MONTHS: Final = 12
_MONTH_LENGTH: Final = len("2026-03")


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
    month: str = ""


def priority(signals: PageSignals, scale: SiteScale) -> float:
    """
    >>> home = PageSignals(Category.PRIMARY, 0, is_structural=True)
    >>> priority(home, SiteScale(has_menu=True))
    1.0
    >>> priority(PageSignals(Category.UTILITY, 2), SiteScale())
    0.32
    """
    parts = priority_parts(signals, scale)
    weight = sum(part.weight for part in parts)
    return round(sum(part.value * part.weight for part in parts) / weight, 2)


def priority_parts(signals: PageSignals, scale: SiteScale) -> Sequence[PriorityPart]:
    """What the score is made of, the heaviest first."""
    depth = signals.depth
    parts = [
        _part("category", _OF_CATEGORY[signals.category], f"{signals.category} content"),
        _part("depth", _OF_DEPTH[depth] if depth < len(_OF_DEPTH) else _DEEPEST, _deep(depth)),
    ]
    if scale.has_menu:
        words = "in the site's menu" if signals.is_structural else "not in the site's menu"
        parts.append(_part("menu", float(signals.is_structural), words))
    if signals.inlinks is not None and scale.most_inlinks:
        value = min(log1p(signals.inlinks) / log1p(scale.most_inlinks), 1.0)
        words = f"linked from {signals.inlinks:,} pages, the most is {scale.most_inlinks:,}"
        parts.append(_part("links", value, words))
    if signals.region in _OF_REGION:
        parts.append(_part("region", _OF_REGION[signals.region], f"linked in {signals.region}"))
    if scale.has_priorities and signals.sitemap_priority is not None:
        value = min(max(signals.sitemap_priority, 0.0), 1.0)
        parts.append(_part("sitemap", value, f"priority {value:g} in the sitemap"))
    if signals.month and scale.newest_month:
        age = max(_month_number(scale.newest_month) - _month_number(signals.month), 0)
        value = next((worth for months, worth in _OF_AGE if age <= months), _OLDEST)
        parts.append(_part("fresh", value, f"changed in {signals.month}"))
    return sorted(parts, key=lambda part: -part.weight)


def _part(name: str, value: float, words: str) -> PriorityPart:
    return PriorityPart(name, value, _WEIGHTS[name], words)


def _deep(depth: int) -> str:
    return f"{depth} path segments" if depth != 1 else "1 path segment"


def month_of(lastmod: str | None) -> str:
    """The month of a lastmod; ``""`` if it has none.

    >>> month_of("2026-03-14T10:00:00Z"), month_of("yesterday"), month_of(None)
    ('2026-03', '', '')
    """
    month = (lastmod or "")[:_MONTH_LENGTH]
    is_month = month[4:5] == "-" and month[:4].isdecimal() and month[5:] in _MONTH_NAMES
    return month if is_month and month.isascii() else ""


_MONTH_NAMES: Final = frozenset(f"{month:02}" for month in range(1, _MONTHS + 1))


def _month_number(month: str) -> int:
    return int(month[:4]) * _MONTHS + int(month[5:])
