"""The tree of a site's folders, learned from its addresses: which are names, and which vary.

- Numbers, dates, ids and languages are told by their shape; everything else by what else stands
  at the same place: many different folders there, or folders of hardly any pages, vary.
- A folder that varies shares one place with all that vary like it, so the tree stays small.
- The last segment of an address is never a name of its own: whatever the number of pages,
  ``/blog/a`` is a ``/blog/{slug}``. So a page more or less renames nothing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sitecrawl.classify.folderwords import FOLDER_RULES
from sitecrawl.classify.languages import LONGEST_CODE, is_language_place, parse_code
from sitecrawl.classify.segments import LANGUAGE, SLUG, compact_word, placeholder, words_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence, Set

MAX_DEPTH: Final = 8
_MAX_FOLDERS: Final = 10_000
# Named folders at one place, beside those that hold much of it.
_MAX_NAMES: Final = 40
_HEAVY_SHARE: Final = 20  # one of so many pages at the place
_HEAVY_PAGES: Final = 10
# An open set: so many folders that hold fewer pages than this on average.
_MANY_FOLDERS: Final = 12
_FEW_PAGES: Final = 3
_TITLE_WORDS: Final = 3
_NO_LEAVES: Final[frozenset[str]] = frozenset()


class Folder(NamedTuple):
    """The segments of a folder, and how many pages lie directly in it."""

    segments: tuple[str, ...]
    pages: int
    leaves: Set[str] = _NO_LEAVES
    """Those of its pages that are called like a language."""


class Place:
    """One folder, or all folders that vary at the same place."""

    __slots__ = ("named", "varying")

    def __init__(self) -> None:
        self.named: dict[str, Place] = {}
        self.varying: dict[str, Place] = {}
        """By the placeholder that stands for them."""

    def as_data(self) -> dict[str, Any]:
        """For JSON."""
        parts = {"named": self.named, "varying": self.varying}
        return {
            name: {segment: place.as_data() for segment, place in sorted(children.items())}
            for name, children in parts.items()
            if children
        }

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Place:
        place = cls()
        place.named = {key: cls.from_data(each) for key, each in data.get("named", {}).items()}
        place.varying = {key: cls.from_data(each) for key, each in data.get("varying", {}).items()}
        return place


class PlaceLearner:
    """Makes the tree of one host."""

    def __init__(self, declared: Mapping[tuple[str, ...], set[str]]):
        self._declared = declared
        """By the segments before it: segments whose pages say that this is their language."""
        self._room = _MAX_FOLDERS

    def learn(self, folders: Iterable[Folder]) -> Place:
        root = Place()
        # Level by level, so that what the limit leaves out is what lies deepest.
        level: list[tuple[Place, list[Folder], str, tuple[str, ...]]] = [
            (root, list(folders), "", ())
        ]
        for depth in range(MAX_DEPTH):
            following = []
            for place, inside, before, way in level:
                following += self._grow(place, inside, depth, before, way)
            level = following
        return root

    def _grow(
        self, place: Place, folders: list[Folder], depth: int, before: str, way: tuple[str, ...]
    ) -> list[tuple[Place, list[Folder], str, tuple[str, ...]]]:
        by_segment: defaultdict[str, list[Folder]] = defaultdict(list)
        leaves: set[str] = set()
        for folder in folders:
            segments = folder.segments
            if len(segments) > depth:
                by_segment[segments[depth]].append(folder)
            else:
                leaves |= folder.leaves
        names = self._names(by_segment, leaves, before, way)
        groups: dict[tuple[str, bool], list[Folder]] = {}
        for segment, inside in by_segment.items():
            groups.setdefault(names[segment], []).extend(inside)
        if LANGUAGE in {name for name, _ in names.values()} or self._is_for_languages(leaves, way):
            groups.setdefault((LANGUAGE, True), [])
        grown = []
        largest_first = sorted(groups.items(), key=lambda group: (-_pages(group[1]), group[0]))
        for (name, varies), inside in largest_first[: self._room]:
            self._room -= 1
            child = Place()
            (place.varying if varies else place.named)[name] = child
            grown.append((child, inside, name, (*way, name)))
        return grown

    def _is_for_languages(self, segments: Iterable[str], way: tuple[str, ...]) -> bool:
        return is_language_place(segments, self._declared.get(way, ()))

    def _names(
        self,
        by_segment: Mapping[str, Sequence[Folder]],
        leaves: set[str],
        before: str,
        way: tuple[str, ...],
    ) -> dict[str, tuple[str, bool]]:
        """By segment, what it is called in templates, and whether it varies."""
        has_languages = self._is_for_languages({*by_segment, *leaves}, way)
        pages = {segment: _pages(inside) for segment, inside in by_segment.items()}
        heavy = max(sum(pages.values()) / _HEAVY_SHARE, _HEAVY_PAGES)
        found: dict[str, tuple[str, bool]] = {}
        doubtful: list[str] = []
        for segment in by_segment:
            stand_in = placeholder(segment, before)
            if has_languages and parse_code(segment):
                found[segment] = (LANGUAGE, True)
            elif compact_word(segment) in FOLDER_RULES:
                found[segment] = (segment, False)
            elif not stand_in.startswith(SLUG):
                found[segment] = (stand_in, True)
            elif pages[segment] >= heavy:
                found[segment] = (segment, False)
            elif words_of(segment) >= _TITLE_WORDS:
                found[segment] = (SLUG, True)
            else:
                doubtful.append(segment)
        vary = _vary([pages[segment] for segment in doubtful])
        return found | {segment: (SLUG, True) if vary else (segment, False) for segment in doubtful}


def _pages(folders: Iterable[Folder]) -> int:
    return sum([folder.pages for folder in folders])


def _vary(pages: Sequence[int]) -> bool:
    """Whether folders of so many pages each are values rather than names."""
    if len(pages) > _MAX_NAMES:
        return True
    return len(pages) >= _MANY_FOLDERS and sum(pages) < _FEW_PAGES * len(pages)


def folders_of(addresses: Iterable[str]) -> dict[str, list[Folder]]:
    """By host, the folders that pages lie in; *addresses* have no queries.

    >>> urls = ["https://a.example/b/c", "https://a.example/b/d/", "https://a.example/"]
    >>> [(folder.segments, folder.pages) for folder in folders_of(urls)["a.example"]]
    [(('b',), 2), ((), 1)]
    """
    heads: list[str] = []
    leaves: defaultdict[str, set[str]] = defaultdict(set)
    for address in addresses:
        head, _, leaf = address.rpartition("/")
        if not leaf:
            above, _, name = head.rpartition("/")
            if len(above) >= 8:  # noqa: PLR2004 - else it is "https:/", and the name is the host
                head, leaf = above, name
        heads.append(head)
        if len(leaf) <= LONGEST_CODE and parse_code(leaf):
            leaves[head].add(leaf)
    # From here on, the work is per folder.
    found: defaultdict[str, list[Folder]] = defaultdict(list)
    for head, number in Counter(heads).items():
        parts = head.split("/")
        host = parts[2] if len(parts) > 2 else ""  # noqa: PLR2004 - "https:" and "" come first
        found[host].append(Folder(tuple(parts[3:]), number, leaves.get(head, _NO_LEAVES)))
    return found
