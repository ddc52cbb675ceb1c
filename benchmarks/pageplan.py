"""Which pages the site of the crawl benchmark has, and which page links to which.

A magazine with a shop and a forum: a front page, sections, categories with listings of 24 entries
per page, and the entries themselves. Every entry is on exactly one listing page, and every listing
is reached from its section, so a crawl from the root that misses nothing finds all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from benchmarks.prose import Prose, slug_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ENTRIES_PER_LISTING = 24
MENU_CATEGORIES = 3  # of each section, in the menu of every page
PAGINATION_WINDOW = 2
SIDEBAR_LINKS = 16
INLINE_LINKS = 10
RELATED_CARDS = 6


class PathStyle(StrEnum):
    """How a section writes the address of an entry."""

    DATED = "/{section}/{year}/{month:02}/{slug}"
    NUMBERED = "/{section}/{category}/{slug}-p{number}"
    NESTED = "/{section}/{category}/{slug}/"
    BARE_ID = "/{section}/{category}/{number}"
    FILE = "/{section}/{slug}-{number}.html"


SECTIONS = {
    "news": PathStyle.DATED,
    "business": PathStyle.DATED,
    "culture": PathStyle.DATED,
    "science": PathStyle.NESTED,
    "guides": PathStyle.NESTED,
    "shop": PathStyle.NUMBERED,
    "recipes": PathStyle.FILE,
    "forum": PathStyle.BARE_ID,
}
_CATEGORIES = {
    "news": ("local", "national", "world", "weather", "transport"),
    "business": ("markets", "companies", "jobs", "property", "energy"),
    "culture": ("books", "film", "music", "stage", "design"),
    "science": ("climate", "health", "space", "history", "nature"),
    "guides": ("getting-started", "tools", "materials", "repairs", "safety"),
    "shop": ("kitchen", "garden", "lighting", "furniture", "outdoor"),
    "recipes": ("soups", "breads", "salads", "desserts", "drinks"),
    "forum": ("workshop", "questions", "projects", "trading", "meetings"),
}
_PLAIN_PAGES = (
    *("about", "team", "press", "careers", "privacy", "terms", "accessibility", "newsletter"),
    *("delivery", "returns", "advertising", "help"),
)


@dataclass(frozen=True, slots=True)
class Link:
    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Page:
    """One page with all it links to, but for the menu and the footer, which are on every page."""

    path: str
    title: str
    subject: str
    words: int  # of running text
    trail: tuple[Link, ...] = ()
    cards: tuple[Link, ...] = ()
    inline: tuple[Link, ...] = ()
    sidebar: tuple[Link, ...] = ()
    pagination: tuple[Link, ...] = ()
    previous: Link | None = None
    next: Link | None = None


@dataclass(frozen=True, slots=True)
class Category:
    section: str
    name: str
    entries: tuple[Link, ...]

    @property
    def subject(self) -> str:
        return f"{self.section}/{self.name}"

    @property
    def trail(self) -> tuple[Link, ...]:
        return (HOME, section_link(self.section), self.listing(0))

    @property
    def listings(self) -> int:
        return listing_pages(len(self.entries))

    def listing(self, number: int) -> Link:
        """The link to a page of the listing, counted from 0; sections page in one of two ways."""
        path = f"/{self.section}/{self.name}/"
        if number:
            in_path = SECTIONS[self.section] in (PathStyle.DATED, PathStyle.NESTED)
            path += f"page/{number + 1}/" if in_path else f"?page={number + 1}"
        return Link(path, str(number + 1) if number else self.name.replace("-", " ").capitalize())


HOME = Link("/", "Home")
PLAIN_LINKS = tuple(Link(f"/{name}", name.capitalize()) for name in _PLAIN_PAGES)


def section_link(section: str) -> Link:
    return Link(f"/{section}/", section.capitalize())


def listing_pages(entries: int) -> int:
    """How many listing pages a category needs; an empty one has a page as well."""
    return max(1, -(-entries // ENTRIES_PER_LISTING))


class SitePlan:
    """All pages of a site of a given size, as a pure function of that size."""

    def __init__(self, pages: int) -> None:
        self.categories = tuple(_plan_categories(pages))
        self._entries = [entry for category in self.categories for entry in category.entries]

    @property
    def menu(self) -> tuple[tuple[Link, tuple[Link, ...]], ...]:
        return tuple(
            (
                section_link(section),
                tuple(c.listing(0) for c in self._of(section)[:MENU_CATEGORIES]),
            )
            for section in SECTIONS
        )

    def pages(self) -> Iterator[Page]:
        yield Page("/", "The Lantern", "front", 250, cards=self._draw("front", 24))
        for link in PLAIN_LINKS:
            yield Page(
                link.path, link.text, link.path, 900, (HOME, link), (), self._draw(link.path, 8)
            )
        for section in SECTIONS:
            yield self._section_page(section)
        for category in self.categories:
            yield from self._listing_pages(category)
            yield from self._entry_pages(category)

    def newest(self, count: int) -> list[Link]:
        """The entries that the site's feed names."""
        return self._entries[:count]

    def _of(self, section: str) -> list[Category]:
        return [category for category in self.categories if category.section == section]

    def _draw(self, seed: str, count: int, among: Sequence[Link] | None = None) -> tuple[Link, ...]:
        """Choose links at random, the same ones each time for a seed."""
        among = self._entries if among is None else among
        return tuple(among[place] for place in Prose(seed, seed).sample(range(len(among)), count))

    def _section_page(self, section: str) -> Page:
        link = section_link(section)
        categories = self._of(section)
        newest = [entry for category in categories for entry in category.entries[:4]]
        sidebar = tuple(category.listing(0) for category in categories)
        return Page(link.path, link.text, section, 200, (HOME, link), tuple(newest), (), sidebar)

    def _listing_pages(self, category: Category) -> Iterator[Page]:
        last = category.listings - 1
        for number in range(category.listings):
            first = number * ENTRIES_PER_LISTING
            near = range(
                max(0, number - PAGINATION_WINDOW), min(last, number + PAGINATION_WINDOW) + 1
            )
            link = category.listing(number)
            yield Page(
                path=link.path,
                title=f"{category.listing(0).text}, page {number + 1}",
                subject=category.subject,
                words=120,
                trail=category.trail,
                cards=category.entries[first : first + ENTRIES_PER_LISTING],
                sidebar=self._draw(link.path, SIDEBAR_LINKS // 2),
                pagination=tuple(category.listing(n) for n in sorted({0, *near, last} - {number})),
                previous=category.listing(number - 1) if number else None,
                next=category.listing(number + 1) if number < last else None,
            )

    def _entry_pages(self, category: Category) -> Iterator[Page]:
        entries = category.entries
        for place, entry in enumerate(entries):
            yield Page(
                path=entry.path,
                title=entry.text,
                subject=category.subject,
                words=Prose(entry.path, entry.path).number(400, 1800),
                trail=(*category.trail, entry),
                cards=self._draw(f"related {entry.path}", RELATED_CARDS, entries),
                inline=self._draw(f"inline {entry.path}", INLINE_LINKS),
                sidebar=self._draw(f"sidebar {entry.path}", SIDEBAR_LINKS, entries),
                previous=entries[place - 1] if place else None,
                next=entries[place + 1] if place + 1 < len(entries) else None,
            )


def _plan_categories(pages: int) -> Iterator[Category]:
    """Share the entries out so that the site has exactly as many pages as asked for."""
    names = [(section, name) for section in SECTIONS for name in _CATEGORIES[section]]
    counts = [0] * len(names)
    left = pages - 1 - len(PLAIN_LINKS) - len(SECTIONS) - len(names)
    if left < len(names):
        raise ValueError(f"a site of {pages} pages is too small for its {len(names)} categories")
    place = 0
    while left:
        needed = 1 + listing_pages(counts[place] + 1) - listing_pages(counts[place])
        if needed <= left:
            counts[place] += 1
            left -= needed
        place = (place + 1) % len(names)
    number = 0
    for (section, name), count in zip(names, counts, strict=True):
        yield Category(
            section, name, tuple(_entry(section, name, number + n) for n in range(count))
        )
        number += count


def _entry(section: str, category: str, number: int) -> Link:
    prose = Prose(f"entry {number}", f"{section}/{category}")
    title = prose.title(prose.number(3, 6))
    path = SECTIONS[section].format(
        section=section,
        category=category,
        slug=slug_of(title),
        number=10_000 + number,
        year=prose.number(2019, 2025),
        month=prose.number(1, 12),
    )
    return Link(path, title)
