"""Exports the most prominent pages of a site as an llms.txt."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import unquote

from sitecrawl.classify.language import primary_language
from sitecrawl.classify.paths import path_depth, section
from sitecrawl.exporters.sitemap import latest_lastmod, valid_lastmod
from sitecrawl.exporters.sitemap_fitness import read_fitness
from sitecrawl.html.links import Region
from sitecrawl.store.queries.classification import main_language
from sitecrawl.store.queries.links import site_menu
from sitecrawl.store.queries.sitemap_comparison import listed_pages
from sitecrawl.urls.address import origin_of
from sitecrawl.urls.canonical import page_key, strict_url

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.links import MenuFact
    from sitecrawl.store.queries.scans import Scan, Site

_SEPARATOR: Final = re.compile(r"\s(?:[-|:\u2013\u2014\u00b7\u2022\u00bb]|::)\s")
# Fewer pages share an ending by chance.
_FEWEST_PAGES: Final = 3
_LEAST_SHARE: Final = 0.1
# More endings than these are no names.
_MAX_ENDINGS: Final = 10_000


class SiteNames:
    """Counts how titles end; a site may have a name in each language.

    >>> names = SiteNames()
    >>> for title in ("Tents - Outdoors", "Lamps - Outdoors", "Outdoors", "Packs - Outdoors"):
    ...     names.add(title)
    >>> names.usual(), names.without("Tents - Outdoors"), names.without("A - B")
    ('Outdoors', 'Tents', 'A - B')
    """

    def __init__(self) -> None:
        self._titles = 0
        self._endings: Counter[str] = Counter()

    def add(self, title: str) -> None:
        self._titles += 1
        _, ending = _parts(title)
        if ending and (ending in self._endings or len(self._endings) < _MAX_ENDINGS):
            self._endings[ending] += 1

    def usual(self) -> str:
        """The name that most pages have; ``""``: none."""
        ending, pages = next(iter(self._endings.most_common(1)), ("", 0))
        return ending if self._is_name(pages) else ""

    def without(self, title: str) -> str:
        """The title without the name of the site; a title that is only that stays."""
        start, ending = _parts(title)
        return start if start and self._is_name(self._endings[ending]) else title

    def _is_name(self, pages: int) -> bool:
        return pages >= max(_FEWEST_PAGES, _LEAST_SHARE * self._titles)


def _parts(title: str) -> tuple[str, str]:
    separators = list(_SEPARATOR.finditer(title))
    if not separators:
        return "", ""
    return title[: separators[-1].start()].strip(), title[separators[-1].end() :].strip()


MAX_TITLE_CHARACTERS: Final = 120
MAX_NOTE_CHARACTERS: Final = 200
MAX_SUMMARY_CHARACTERS: Final = 1_000
OPTIONAL: Final = "Optional"
# Scripts need them between letters; every other invisible character can hide text.
_JOINERS: Final = frozenset("\u200c\u200d")
_ESCAPES: Final = str.maketrans(
    {"[": "&#91;", "]": "&#93;"} | {char: f"\\{char}" for char in "\\`*_<#~|"}
)
_REFERENCE: Final = re.compile(r"&(?=#?\w{1,40};)")
_BLOCK_START: Final = re.compile(r"[-+>]|[0-9]{1,9}(?=[.)])")
_PARENTHESES: Final = str.maketrans({"(": "%28", ")": "%29"})


class Link(NamedTuple):
    """A page; title and note are plain text."""

    title: str
    url: str
    note: str = ""


class Section(NamedTuple):
    title: str
    links: Sequence[Link]


def llms_text(title: str, summary: str, sections: Sequence[Section]) -> str:
    """The file: a title, a summary, and sections of links."""
    quoted = _at_line_start(escaped(summary, MAX_SUMMARY_CHARACTERS))
    lines = [f"# {escaped(title)}", "", f"> {quoted}"]
    for each in sections:
        lines += ["", f"## {escaped(each.title)}", "", *_list(each.links)]
    return "\n".join(lines) + "\n"


def _list(links: Sequence[Link]) -> Iterator[str]:
    for link in links:
        note = escaped(link.note, MAX_NOTE_CHARACTERS)
        yield f"- [{escaped(link.title)}]({link_target(link.url)})" + (f": {note}" if note else "")


def plain(text: str, max_characters: int = MAX_TITLE_CHARACTERS) -> str:
    """*text* on one line, without what cannot be seen, cut to its length."""
    seen = "".join(char if char.isprintable() or char in _JOINERS else " " for char in text)
    words = " ".join(seen.split())
    return words if len(words) <= max_characters else f"{words[: max_characters - 1].rstrip()}…"


def escaped(text: str, max_characters: int = MAX_TITLE_CHARACTERS) -> str:
    """
    >>> escaped("*Sale*  [50%](http://x.example)\\n# now")
    '\\\\*Sale\\\\* &#91;50%&#93;(http://x.example) \\\\# now'
    >>> escaped("R&D &amp; Co")
    'R&D &amp;amp; Co'
    """
    return _REFERENCE.sub("&amp;", plain(text, max_characters)).translate(_ESCAPES)


def link_target(url: str) -> str:
    """The address so that it ends where the link ends.

    >>> link_target("https://a.example/Mercury_(planet)?a&lt;b")
    'https://a.example/Mercury_%28planet%29?a%26lt;b'
    """
    return _REFERENCE.sub("%26", strict_url(url).translate(_PARENTHESES))


def _at_line_start(text: str) -> str:
    """A line that begins no list and no quotation.

    >>> _at_line_start("- a"), _at_line_start("1. b"), _at_line_start("c")
    ('\\\\- a', '1\\\\. b', 'c')
    """
    match = _BLOCK_START.match(text)
    if match is None:
        return text
    place = 0 if match.end() == 1 and not match[0].isdigit() else match.end()
    return f"{text[:place]}\\{text[place:]}"


MAX_SECTIONS: Final = 20
MAIN: Final = "Main pages"
# A folder with fewer pages is no section of its own.
_FEWEST_IN_SECTION: Final = 3
# More folders than these are not told apart.
_MAX_FOLDERS: Final = 1_000
_NOT_IN_MENU: Final = 1_000_000
_MAX_SPARE: Final = 100


class Candidate(NamedTuple):
    """A page that may get a link; texts are as the site wrote them."""

    number: int
    """In the order in which pages were first seen."""
    url: str
    title: str
    anchor: str
    lastmod: str
    is_foreign: bool = False
    """Not in the main language of the site."""


class _Shelf:
    """The best pages of one section; of the rest only the number is kept."""

    def __init__(self, title: str, max_links: int, path: str = "") -> None:
        self.title = title
        self.path = path
        self.pages = 0
        self.foreign_pages = 0
        self._max_links = max_links
        self._ranked: list[tuple[tuple[int, ...], Candidate]] = []

    def add(self, rank: tuple[int, ...], page: Candidate) -> None:
        self.pages += 1
        self.foreign_pages += page.is_foreign
        self._ranked.append((rank, page))
        if len(self._ranked) > 2 * self._max_links + _MAX_SPARE:
            self._cut()

    def take(self, other: _Shelf) -> None:
        for rank, page in other._ranked:
            self.add(rank, page)

    @property
    def is_foreign(self) -> bool:
        """Whether most of its pages are not in the main language of the site."""
        return 2 * self.foreign_pages > self.pages

    def best(self) -> list[Candidate]:
        self._cut()
        return [page for _, page in self._ranked]

    def _cut(self) -> None:
        self._ranked.sort()
        del self._ranked[self._max_links :]


class LlmsSections:
    """Takes pages one after the other; what it keeps does not grow with their number."""

    def __init__(self, root_url: str, menu: Sequence[MenuFact], max_links: int) -> None:
        self._max_links = max_links
        self._main = _Shelf(MAIN, max_links)
        self._optional = _Shelf(OPTIONAL, max_links)
        self._folders: dict[str, _Shelf] = {}
        self._in_menu: dict[str, tuple[int, _Shelf]] = {}
        self._tops: list[_Shelf] = []
        self._root_key = page_key(root_url)
        self._origin = origin_of(root_url)
        for position, entry in enumerate(menu):
            self._add_menu(position, entry)
        self._in_menu[root_url] = (-1, self._main)

    def _add_menu(self, position: int, entry: MenuFact) -> None:
        if entry.region == Region.FOOTER:
            shelf = self._optional
        elif page_key(entry.url) == self._root_key:
            shelf = self._main
        elif entry.level == 0 and plain(entry.title) and len(self._tops) < MAX_SECTIONS:
            shelf = _Shelf(entry.title, self._max_links, _folder_of(entry.url))
            self._tops.append(shelf)
        else:
            shelf = self._tops[-1] if entry.level and self._tops else self._main
        self._in_menu.setdefault(entry.url, (position, shelf))

    def add(self, page: Candidate, known_as: str) -> None:
        """Put the page in its place; *known_as* is its address in the menu."""
        position, shelf = self._in_menu.get(known_as, (_NOT_IN_MENU, None))
        if shelf is None:
            shelf = self._shelf_of(page.url)
        has_words = bool(page.title or page.anchor)
        rank = (page.is_foreign, position, not has_words, path_depth(page.url), page.number)
        shelf.add(rank, page)

    def _shelf_of(self, url: str) -> _Shelf:
        below = [shelf for shelf in self._tops if shelf.path and url.startswith(shelf.path)]
        if below:
            return max(below, key=lambda shelf: len(shelf.path))
        name = section(url)
        shelf = self._folders.get(name)
        if shelf is None and name and len(self._folders) < _MAX_FOLDERS:
            path = f"{self._origin}{name}/"
            shelf = self._folders[name] = _Shelf(path_words(name), self._max_links, path)
        return shelf or self._optional

    def in_order(self) -> Iterator[tuple[str, list[Candidate]]]:
        """Title and pages of each: the main ones, the menu's, folders by size, what is optional.

        Sections in the main language come first.
        """
        shelves = []
        for shelf in self._tops:
            if shelf.pages > 1:
                shelves.append(shelf)
            else:
                self._main.take(shelf)
        folders = self._folders.values()
        for shelf in sorted(folders, key=lambda each: (each.is_foreign, -each.pages, each.path)):
            if shelf.pages >= _FEWEST_IN_SECTION and len(shelves) < MAX_SECTIONS:
                shelves.append(shelf)
            else:
                self._optional.take(shelf)
        shelves.sort(key=lambda each: each.is_foreign)
        yield MAIN, self._main.best()
        # Readers of the format know a section by its title.
        taken = {OPTIONAL.casefold(), MAIN.casefold()}
        for shelf in shelves:
            title = plain(shelf.title)
            if title.casefold() in taken:
                title = f"{plain(shelf.title, 60)} ({len(taken)})"
            taken.add(title.casefold())
            yield title, shelf.best()
        yield OPTIONAL, self._optional.best()


def path_words(segment: str) -> str:
    """
    >>> path_words("/getting-started"), path_words("gr%C3%B6%C3%9Fe.html?a=b.c")
    ('Getting started', 'Größe')
    """
    stem, _, ending = unquote(segment.strip("/").partition("?")[0]).rpartition(".")
    text = " ".join((stem or ending).replace("-", " ").replace("_", " ").split())
    return text[:1].upper() + text[1:]


def _folder_of(url: str) -> str:
    """What lies below a page: ``/a`` and ``/a/`` have the same; a page with a query has nothing."""
    return "" if "?" in url else f"{url.rstrip('/')}/"


_DATE_CHARACTERS: Final = 10


@dataclass(frozen=True, slots=True)
class LlmsExport:
    """The text, and how much of the site it has."""

    text: str
    links: int
    pages: int
    """Pages that could have been in it."""
    left_out: Counter[str]
    """Pages that do not belong in it, by reason."""


def export_llms(
    database: Database,
    site: Site,
    scan: Scan,
    *,
    title: str = "",
    summary: str = "",
    links_per_section: int,
) -> LlmsExport:
    """Choose from the pages that also belong in a sitemap: the menu, then what lies highest."""
    origin = origin_of(scan.root_url)
    fitness = read_fitness(database, site, scan, origin)
    chosen = LlmsSections(scan.root_url, site_menu(database, scan), links_per_section)
    latest = latest_lastmod(scan.started_at)
    language = primary_language(main_language(database, scan))
    names = SiteNames()
    left_out: Counter[str] = Counter()
    pages, root_title, root_key = 0, "", page_key(scan.root_url)
    for number, page in enumerate(listed_pages(database, scan)):
        if objection := fitness.objection(page):
            left_out[objection.reason] += 1
            continue
        pages += 1
        candidate = Candidate(
            number,
            fitness.address(page),
            plain(page.title or ""),
            plain(page.anchor or ""),
            valid_lastmod(page.lastmod, latest),
            bool(page.language) and primary_language(page.language) != language,
        )
        if candidate.title:
            names.add(candidate.title)
            if not root_title and page_key(page.url) == root_key:
                root_title = candidate.title
        chosen.add(candidate, page.url)
    sections = [
        Section(name, [_link(page, names) for page in best])
        for name, best in chosen.in_order()
        if best
    ]
    links = sum(len(section.links) for section in sections)
    host = origin.partition("://")[2]
    heading = plain(title) or names.usual() or root_title or host
    slogan = names.without(root_title)
    words = plain(summary, MAX_SUMMARY_CHARACTERS) or (
        (f"{slogan}. " if slogan and slogan != heading else "")
        + f"The {links:,} most prominent of {pages:,} pages of {host}, by section,"
        f" as of {scan.started_at:%Y-%m-%d}."
    )
    return LlmsExport(llms_text(heading, words, sections), links, pages, left_out)


def _link(page: Candidate, names: SiteNames) -> Link:
    title = names.without(page.title) or page.anchor
    title = title or plain(path_words(page.url.rstrip("/").rpartition("/")[2])) or page.url
    notes = [page.anchor] if page.anchor.casefold() != title.casefold() else []
    if page.lastmod:
        notes.append(f"changed {page.lastmod[:_DATE_CHARACTERS]}")
    return Link(title, page.url, ", ".join(note for note in notes if note))
