"""Plans the site of the crawl benchmark: its pages, which page links to which, and their words.

A magazine with a shop and a forum: a front page, sections, categories with listings of 24 entries
per page, and the entries themselves. Every entry is on exactly one listing page, and every listing
is reached from its section, so a crawl from the root that misses nothing finds all of them.

Text reads like prose to a parser: a few words make up most of it, there is a long tail of rare
ones, and each subject has words of its own, so two pages of one subject are alike, never the same.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from enum import Enum, StrEnum, auto
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ENTRIES_PER_LISTING = 24
MENU_CATEGORIES = 3  # of each section, in the menu of every page
PAGINATION_WINDOW = 2
SIDEBAR_LINKS = 12
NEIGHBOURS = 2  # before and behind an entry, in its sidebar
INLINE_LINKS = 10
RELATED_CARDS = 6


class PathStyle(StrEnum):
    """How a section writes the address of an entry."""

    DATED = "/{section}/{year}/{month:02}/{slug}"
    NUMBERED = "/{section}/{category}/{slug}-p{number}"
    NESTED = "/{section}/{category}/{slug}/"
    BARE_ID = "/{section}/{category}/{number}"
    FILE = "/{section}/{slug}-{number}.html"


class LinkStyle(Enum):
    """How the template of a section writes links."""

    FROM_ROOT = auto()
    RELATIVE = auto()
    ABSOLUTE = auto()


_LINK_STYLES = {
    **dict.fromkeys(("science", "guides", "recipes"), LinkStyle.RELATIVE),
    "shop": LinkStyle.ABSOLUTE,
}
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

    @property
    def link_style(self) -> LinkStyle:
        return _LINK_STYLES.get(self.subject.partition("/")[0], LinkStyle.FROM_ROOT)


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

    def category_links(self, section: str) -> tuple[Link, ...]:
        return tuple(category.listing(0) for category in self._of(section))

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
        sidebar = self.category_links(section)
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
                words=_words_of_entry(entry),
                trail=(*category.trail, entry),
                cards=self._draw(f"related {entry.path}", RELATED_CARDS, entries),
                inline=self._draw(f"inline {entry.path}", INLINE_LINKS),
                sidebar=(
                    *entries[max(0, place - NEIGHBOURS) : place + NEIGHBOURS + 1],
                    *self._draw(f"sidebar {entry.path}", SIDEBAR_LINKS, entries),
                ),
                previous=entries[place - 1] if place else None,
                next=entries[place + 1] if place + 1 < len(entries) else None,
            )


def _words_of_entry(entry: Link) -> int:
    """Most entries are short, some are long: pages have 25 to 80 KB."""
    prose = Prose(entry.path, entry.path)
    return min(prose.number(100, 6_000) for _ in range(3))


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


_COMMON_LIST = """
    the of and to a in is that it for was on are as with they at be this from have or by one had not
    but what all were when we there can an your which their said if will each about how up out them
    then she many some so these would other into has more her two like him see time could no make
    than first been its who now people my made over did down only way find use may water long little
    very after words called just where most know
    """
_STEM_LIST = """
    amber anchor basil bench bridge bronze cabin canal carbon cedar chalk cinder clover cobalt
    copper coral cotton dapple delta ember fabric fallow fennel ferry filter flint forest garnet
    ginger glacier granite gravel hammer harbor hazel heather hollow indigo ivory jasper juniper
    kernel kiln ladder lantern laurel linen lumber magnet maple marble meadow mellow mineral mortar
    nectar nettle nickel oak olive opal orchard oyster paddle pebble pepper pewter pillar plank
    pollen quarry quill rafter ribbon ripple saddle saffron sage sandal shingle silver slate sorrel
    spindle spruce sterling stitch summit tallow tamarind tassel thistle thread timber tinder topaz
    trellis tunnel turnip umber velvet vessel walnut warden weaver willow winter yarrow
    """
_ENDINGS = (
    *("", "s", "ed", "ing", "er", "ers", "ish", "less", "like", "ward", "wise", "craft", "work"),
    *("field", "stone", "light", "side", "land", "house", "keeper", "maker", "line", "way", "ful"),
)
# Endings change fastest, so that the frequent words are not the forms of a few stems.
WORDS = tuple(stem + ending for ending in _ENDINGS for stem in _STEM_LIST.split())
_VOCABULARY = (*_COMMON_LIST.split(), *WORDS)
# Zipf's law: the n-th word is as frequent as 1 / n. The offset keeps "the" below a tenth of all.
_CUMULATED = tuple(accumulate(1 / (rank + 3) for rank in range(len(_VOCABULARY))))
_SUBJECT_WORDS = 60


class Prose:
    """A source of text about one subject; the same seed gives the same text."""

    def __init__(self, seed: str, subject: str) -> None:
        self._random = random.Random(seed)
        self._subject = _words_of(subject)

    def words(self, count: int) -> list[str]:
        """Words of a running text: every sixth or so belongs to the subject."""
        drawn = self._random.choices(_VOCABULARY, cum_weights=_CUMULATED, k=count)
        for place in range(self._random.randrange(6), count, 6):
            drawn[place] = self._random.choice(self._subject)
        return drawn

    def title(self, words: int) -> str:
        """A heading that repeats no word, so that its slug is a sensible one."""
        return " ".join(self._random.sample(WORDS, words)).capitalize()

    def sentences(self, words: int) -> list[str]:
        """Sentences of 8 to 24 words, some with a comma."""
        drawn = self.words(words)
        sentences = []
        while drawn:
            length = self._random.randint(8, 24)
            sentence, drawn = drawn[:length], drawn[length:]
            if len(sentence) > 12:
                sentence[len(sentence) // 2] += ","
            sentences.append(" ".join(sentence).capitalize() + ".")
        return sentences

    def text(self, words: int) -> str:
        return " ".join(self.sentences(words))

    def number(self, low: int, high: int) -> int:
        return self._random.randint(low, high)

    def sample(self, population: Sequence[int], count: int) -> list[int]:
        return self._random.sample(population, min(count, len(population)))


@cache
def _words_of(subject: str) -> tuple[str, ...]:
    return tuple(random.Random(subject).sample(WORDS, _SUBJECT_WORDS))


def slug_of(title: str) -> str:
    """Write a title as the last segment of a path.

    >>> slug_of("Copper lanterns by water")
    'copper-lanterns-by-water'
    """
    return title.lower().replace(" ", "-")
