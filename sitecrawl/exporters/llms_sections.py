"""Sorts the pages of a site into the sections of an llms.txt: by its menu, then by folders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import unquote

from sitecrawl.classify.paths import path_depth, section
from sitecrawl.exporters.llms_text import OPTIONAL, plain
from sitecrawl.html.links import Region
from sitecrawl.urls.address import origin_of
from sitecrawl.urls.canonical import page_key

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sitecrawl.store.menu import MenuFact

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


class _Shelf:
    """The best pages of one section; of the rest only the number is kept."""

    def __init__(self, title: str, max_links: int, path: str = "") -> None:
        self.title = title
        self.path = path
        self.pages = 0
        self._max_links = max_links
        self._ranked: list[tuple[tuple[int, ...], Candidate]] = []

    def add(self, rank: tuple[int, ...], page: Candidate) -> None:
        self.pages += 1
        self._ranked.append((rank, page))
        if len(self._ranked) > 2 * self._max_links + _MAX_SPARE:
            self._cut()

    def take(self, other: _Shelf) -> None:
        for rank, page in other._ranked:
            self.add(rank, page)

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
        shelf.add((position, not has_words, path_depth(page.url), page.number), page)

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
        """Title and pages of each: the main ones, the menu's, folders by size, what is optional."""
        shelves = []
        for shelf in self._tops:
            if shelf.pages > 1:
                shelves.append(shelf)
            else:
                self._main.take(shelf)
        for shelf in sorted(self._folders.values(), key=lambda each: (-each.pages, each.path)):
            if shelf.pages >= _FEWEST_IN_SECTION and len(shelves) < MAX_SECTIONS:
                shelves.append(shelf)
            else:
                self._optional.take(shelf)
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
