"""Generated sites whose pages are all known, with sitemaps, links and feeds that list some.

- A site is a few sections of a kind (goods, posts, manual pages, campaigns, profiles) with its
  habits. What the sources know is not drawn at random: links are followed from the root through
  menus, listings, pagination, related items; sitemaps leave out what their generator leaves out
  (drafts, what was delisted, what came after the last run, what is unimportant); feeds have the
  newest entries.
- Nothing in here knows the estimator.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from numpy.random import Generator
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Finish: TypeAlias = Callable[[Generator, "GeneratedSite"], "GeneratedSite"]
    Plan: TypeAlias = tuple[list["Section"], Finish | None]

SOURCES = ("sitemaps", "links", "feeds", "rendered pages")
_SITEMAP, _LINK, _FEED, _RENDERED = (1 << bit for bit in range(len(SOURCES)))


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a site, and how its pages come to be known."""

    name: str
    size: int
    listed: float
    """Share of its pages that its listings name, if they are not for the newest alone."""
    newest: int = 0
    """The listings name only so many, the newest ones; 0: any."""
    related: float = 0.0
    """Links of a page to others of the section, on average."""
    in_sitemap: float = 1.0
    """Share of its pages in the sitemaps."""
    leaning: float = 0.0
    """How much better known to both a prominent page is: 0 not at all, 1 is a lot."""
    sitemap_newest: int = 0
    """The sitemaps have only so many, the newest ones; 0: any."""
    unpublished_days: int = 0
    """Pages that are younger are not in the sitemaps yet."""
    feed_entries: int = 0
    has_pagination: bool = False
    """Its listings are pages of their own, which no sitemap has."""
    is_in_menu: bool = True
    delisted: float = 0.0
    """Share that was taken out of listings and sitemaps alike, though the pages are still there."""


@dataclass(frozen=True, slots=True)
class GeneratedSite:
    kind: str
    masks: NDArray[np.uint8]
    """Of all its pages: bit n is ``SOURCES[n]``; 0: no source knows it."""
    sections: NDArray[np.int64]
    limits: tuple[str, ...] = field(default=())
    """Of the crawl that were hit."""

    @property
    def truth(self) -> int:
        return len(self.masks)

    @property
    def known(self) -> int:
        return int(np.count_nonzero(self.masks))


def _pages(rng: Generator, section: Section) -> tuple[Floats, Floats]:
    """Prominence and age in days of each page."""
    return rng.normal(size=section.size), rng.gamma(1.5, 250, section.size)


def _chosen(rng: Generator, share: float, prominence: Floats, leaning: float) -> NDArray[np.bool_]:
    """About *share* of the pages, prominent ones more likely."""
    fondness = leaning * prominence + rng.logistic(size=len(prominence))
    return _rank(-fondness) < round(share * len(prominence))


def _rank(age: Floats) -> NDArray[np.int64]:
    """0 is the newest."""
    return np.argsort(np.argsort(age))


def _linked(rng: Generator, section: Section, prominence: Floats, age: Floats) -> NDArray[np.bool_]:
    """What a crawl of the section reaches: its listings, then related pages of those, and so on."""
    seen = _chosen(rng, section.listed, prominence, section.leaning)
    if section.newest:
        seen &= _rank(age) < section.newest
    if not section.is_in_menu:
        seen &= rng.random() < 0.5
    if section.related and section.size > 1:
        # Popular pages are recommended more often.
        weights = np.exp(0.7 * prominence)
        weights /= weights.sum()
        degrees = rng.poisson(section.related, section.size)
        targets = rng.choice(section.size, degrees.sum(), p=weights)
        origins = np.repeat(np.arange(section.size), degrees)
        while True:
            reached = seen.copy()
            reached[targets[seen[origins]]] = True
            if (reached == seen).all():
                break
            seen = reached
    return seen


def _masks(rng: Generator, section: Section) -> NDArray[np.uint8]:
    prominence, age = _pages(rng, section)
    # Two habits of the same editors are alike only in part.
    linked = _linked(rng, section, prominence, age)
    listed = _chosen(rng, section.in_sitemap, prominence, section.leaning)
    if section.sitemap_newest:
        listed &= _rank(age) < section.sitemap_newest
    if section.unpublished_days:
        listed &= age > section.unpublished_days
    if section.delisted:
        gone = rng.random(section.size) < section.delisted
        linked &= ~gone
        listed &= ~gone
    masks = listed * _SITEMAP | linked * _LINK
    if section.feed_entries:
        newest = np.argsort(age)[: section.feed_entries]
        masks[newest] |= _FEED
    if section.has_pagination:
        further = np.full(max(1, section.size // 20), _LINK)
        masks = np.concatenate([masks, further])
    return masks.astype(np.uint8)


def generate(kind: str, rng: Generator) -> GeneratedSite:
    """A random site of the kind."""
    sections, finish = {**ORDINARY, **DIFFICULT}[kind](rng)
    site = _built(rng, kind, sections)
    return finish(rng, site) if finish else site


def generate_leaning(leaning: float, rng: Generator) -> GeneratedSite:
    """A site whose editors link and list the same pages, the more so the larger *leaning* is."""
    sections = [
        Section(
            f"part {number}",
            _size(rng, 50, 800),
            listed=rng.uniform(0.5, 0.95),
            in_sitemap=rng.uniform(0.5, 0.95),
            leaning=leaning,
        )
        for number in range(rng.integers(4, 12))
    ]
    return _built(rng, "leaning", sections)


def _built(rng: Generator, kind: str, sections: list[Section]) -> GeneratedSite:
    parts = [_masks(rng, section) for section in sections]
    numbers = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    return GeneratedSite(kind, np.concatenate(parts), numbers)


def odds_ratio(site: GeneratedSite) -> float:
    """How much more likely, in odds, a linked page is to be in a sitemap than one that is not.

    Over all sections, each with its own reach (Mantel and Haenszel).
    """
    masks = site.masks & (_SITEMAP | _LINK)
    pages = np.zeros((int(site.sections.max()) + 1, 4))
    np.add.at(pages, (site.sections, masks), 1)
    neither, sitemap, link, both = pages.T
    sizes = pages.sum(axis=1)
    apart = float((sitemap * link / sizes).sum())
    return float((both * neither / sizes).sum()) / apart if apart else math.inf


def _size(rng: Generator, low: int, high: int) -> int:
    return int(np.exp(rng.uniform(np.log(low), np.log(high))))


def _about(rng: Generator) -> Section:
    return Section(
        "about", _size(rng, 8, 40), listed=rng.uniform(0.8, 1), in_sitemap=rng.uniform(0.8, 1)
    )


def _campaigns(rng: Generator) -> Section:
    """Landing pages: mail and adverts lead there, the site itself rarely."""
    return Section(
        "campaigns",
        _size(rng, 10, 80),
        listed=rng.uniform(0.2, 0.6),
        in_sitemap=rng.uniform(0.4, 0.9),
        leaning=rng.uniform(0, 1.5),
    )


def _posts(rng: Generator, name: str = "blog") -> Section:
    size = _size(rng, 50, 1_500)
    # Some archives are not linked page by page: older posts are found through newer ones.
    has_archive = rng.random() < 0.75
    return Section(
        name,
        size,
        listed=rng.uniform(0.85, 1),
        newest=0 if has_archive else size // 3,
        related=rng.uniform(0.5, 4) if not has_archive else rng.choice([0.0, rng.uniform(0.5, 4)]),
        in_sitemap=rng.uniform(0.7, 1),
        sitemap_newest=size // 2 if rng.random() < 0.1 else 0,
        leaning=rng.uniform(0, 1.5),
        unpublished_days=int(rng.choice([0, 0, 7, 30, 120])),
        feed_entries=int(rng.choice([0, 10, 20, 50])),
        has_pagination=bool(rng.random() < 0.7),
    )


def _shop(rng: Generator) -> Plan:
    goods = [
        Section(
            f"goods {number}",
            _size(rng, 40, 1_500),
            listed=rng.uniform(0.75, 0.98),
            related=rng.uniform(0, 3),
            in_sitemap=rng.uniform(0.75, 0.98),
            leaning=rng.uniform(0, 1.5),
            has_pagination=True,
            delisted=rng.choice([0.0, 0.0, rng.uniform(0, 0.03)]),
        )
        for number in range(rng.integers(2, 7))
    ]
    return [*goods, _posts(rng), _about(rng), _campaigns(rng)], None


def _magazine(rng: Generator) -> Plan:
    desks = [_posts(rng, f"desk {number}") for number in range(rng.integers(3, 8))]
    return [*desks, _about(rng), _campaigns(rng)], None


def _manual(rng: Generator) -> Plan:
    versions = [
        Section(
            f"version {number}",
            _size(rng, 60, 600),
            listed=rng.uniform(0.9, 1),
            related=rng.uniform(0, 2),
            in_sitemap=rng.uniform(0.6, 0.98),
            leaning=rng.uniform(0, 1.5),
        )
        for number in range(rng.integers(1, 5))
    ]
    return [*versions, _posts(rng), _about(rng)], None


def _university(rng: Generator) -> Plan:
    """Many hands: faculties with habits of their own, people, old pages that nobody links."""
    faculties = [
        Section(
            f"faculty {number}",
            _size(rng, 50, 800),
            listed=rng.uniform(0.6, 0.98),
            related=rng.uniform(0, 1.5),
            in_sitemap=rng.uniform(0.3, 0.95),
            leaning=rng.uniform(0, 2),
            is_in_menu=bool(rng.random() < 0.9),
        )
        for number in range(rng.integers(4, 12))
    ]
    return [*faculties, _posts(rng, "news"), _campaigns(rng)], None


def _application(rng: Generator) -> Plan:
    """Scripts make the links: the plain ones are few, a browser sees more."""

    def render(rng: Generator, site: GeneratedSite) -> GeneratedSite:
        rendered = (site.masks & _LINK > 0) | (rng.random(site.truth) < 0.3)
        plain = rng.random(site.truth) < rng.uniform(0.2, 0.7)
        masks = site.masks & ~np.uint8(_LINK) | (site.masks & _LINK) * plain
        masks = masks | rendered * _RENDERED
        return GeneratedSite(site.kind, masks.astype(np.uint8), site.sections)

    sections, _ = _shop(rng)
    return sections, render


def _copied(rng: Generator) -> Plan:
    """A tool crawled the links and wrote the sitemap; orphans are in neither."""
    section = Section("pages", _size(rng, 200, 2_000), listed=rng.uniform(0.6, 0.9), in_sitemap=0.0)

    def copy(rng: Generator, site: GeneratedSite) -> GeneratedSite:
        is_linked = site.masks & _LINK > 0
        is_copied = is_linked & (rng.random(site.truth) < rng.uniform(0.97, 1))
        return GeneratedSite(
            site.kind, (site.masks | is_copied * _SITEMAP).astype(np.uint8), site.sections
        )

    return [section, _about(rng)], copy


def _delisted(rng: Generator) -> Plan:
    """What is sold out disappears from listings and sitemaps at once; the pages stay."""
    goods = Section(
        "goods", _size(rng, 300, 2_000), listed=1.0, in_sitemap=1.0, delisted=rng.uniform(0.2, 0.5)
    )
    return [goods, _about(rng)], None


def _no_archive(rng: Generator) -> Plan:
    """Old posts are still there, but listings and sitemaps have the newer ones only."""
    size = _size(rng, 300, 2_000)
    posts = Section(
        "posts",
        size,
        listed=rng.uniform(0.85, 0.95),
        newest=int(size * rng.uniform(0.4, 0.6)),
        in_sitemap=rng.uniform(0.85, 0.95),
        sitemap_newest=int(size * rng.uniform(0.4, 0.6)),
    )
    return [posts, _about(rng)], None


def _without_sitemap(rng: Generator) -> Plan:
    sections, _ = _shop(rng)

    def remove(_rng: Generator, site: GeneratedSite) -> GeneratedSite:
        masks = site.masks & _LINK
        return GeneratedSite(site.kind, masks.astype(np.uint8), site.sections)

    return sections, remove


def _cut_short(rng: Generator) -> Plan:
    """The crawl ended at a limit: the prominent pages are known, the deep ones are not."""
    sections, _ = _magazine(rng)

    def cut(rng: Generator, site: GeneratedSite) -> GeneratedSite:
        # Whole sections were not reached, of the others the first pages.
        reached = rng.random(site.sections.max() + 1) < 0.5
        is_reached = reached[site.sections] & (rng.random(site.truth) < 0.4)
        masks = np.where(is_reached, site.masks, site.masks & ~np.uint8(_LINK))
        return GeneratedSite(site.kind, masks.astype(np.uint8), site.sections, ("crawl pages",))

    return sections, cut


def _small(rng: Generator) -> Plan:
    return [_about(rng)], None


ORDINARY: dict[str, Callable[[Generator], Plan]] = {
    "shop": _shop,
    "magazine": _magazine,
    "manual": _manual,
    "university": _university,
    "application": _application,
}
DIFFICULT: dict[str, Callable[[Generator], Plan]] = {
    "sitemap copied from links": _copied,
    "delisted everywhere": _delisted,
    "old posts nowhere": _no_archive,
    "no sitemap": _without_sitemap,
    "crawl cut short": _cut_short,
    "a few pages": _small,
}
