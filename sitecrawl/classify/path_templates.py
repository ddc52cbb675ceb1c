"""Learns the tree of a host's folders: which segments are names in templates, and which vary.

- Numbers, dates, ids and languages vary by their form. Any other folder varies if it has many
  siblings, or siblings with hardly any pages.
- All folders that vary alike share one node, so the tree stays small.
- The last segment of a URL is never a name: ``/blog/a`` is ``/blog/{slug}`` however many pages the
  blog has. So one page more or less renames no template.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sitecrawl.classify.language import LONGEST_CODE, are_language_segments, parse_code
from sitecrawl.classify.paths import (
    LANGUAGE,
    SLUG,
    compact_word,
    count_words,
    placeholder,
    split_slug,
)
from sitecrawl.classify.rules.paths import FOLDER_RULES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence, Set

MAX_DEPTH: Final = 8
_MAX_NODES: Final = 10_000
# Siblings with a name of their own, beside those with a large share of the pages.
_MAX_NAMES: Final = 40
_LARGE_SHARE: Final = 20  # one of so many pages of the parent
_LARGE_PAGES: Final = 10
# Siblings vary if there are so many, with fewer pages each than this on average.
_MANY_FOLDERS: Final = 12
_FEW_PAGES: Final = 3
_TITLE_WORDS: Final = 3
# A folder with so many pages has one kind of page: a word in the name of one of them says nothing.
_CROWDED_PAGES: Final = 100
_HEADLINE_HYPHENS: Final = 3
_AUTHORITY_PARTS: Final = 3  # "https:", "" and the host
_NO_LEAVES: Final[frozenset[str]] = frozenset()


class FolderCount(NamedTuple):
    """A folder and the number of pages directly in it."""

    segments: tuple[str, ...]
    pages: int
    language_slugs: Set[str] = _NO_LEAVES
    """Slugs of its pages that may be codes of languages."""
    headlines: int = 0
    """How many of its pages have a headline as their name."""


class FolderNode:
    """One folder of the tree, or all folders that vary alike below the same parent."""

    __slots__ = ("has_headlines", "is_crowded", "named", "varying")

    def __init__(self) -> None:
        self.named: dict[str, FolderNode] = {}
        self.varying: dict[str, FolderNode] = {}
        """By placeholder."""
        self.is_crowded = False
        """Whether a folder here has hundreds of pages."""
        self.has_headlines = True
        """Whether most pages of a crowded folder have a headline as their name."""

    def as_data(self) -> dict[str, Any]:
        """For JSON."""
        parts = {"named": self.named, "varying": self.varying}
        data: dict[str, Any] = {
            name: {segment: node.as_data() for segment, node in sorted(children.items())}
            for name, children in parts.items()
            if children
        }
        if self.is_crowded:
            data["crowded"] = {"headlines": self.has_headlines}
        return data

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> FolderNode:
        node = cls()
        node.named = {key: cls.from_data(each) for key, each in data.get("named", {}).items()}
        node.varying = {key: cls.from_data(each) for key, each in data.get("varying", {}).items()}
        if crowded := data.get("crowded"):
            node.is_crowded, node.has_headlines = True, crowded["headlines"]
        return node


class _Unlearned(NamedTuple):
    """A node whose children are not known yet."""

    node: FolderNode
    folders: list[FolderCount]
    path: tuple[str, ...]
    """Names and placeholders from the root to the node."""


class FolderTreeLearner:
    """Learns the tree of one host.

    *declared* has, by the path of a folder, the segments below it whose pages declare that the
    segment is their language.
    """

    def __init__(self, declared: Mapping[tuple[str, ...], set[str]]):
        self._declared = declared
        self._nodes_left = _MAX_NODES

    def learn(self, folders: Iterable[FolderCount]) -> FolderNode:
        root = FolderNode()
        # Level by level, so that the limit leaves out the deepest folders.
        level = [_Unlearned(root, list(folders), ())]
        for depth in range(MAX_DEPTH):
            level = [child for each in level for child in self._add_children(each, depth)]
        return root

    def _add_children(self, parent: _Unlearned, depth: int) -> list[_Unlearned]:
        by_segment: defaultdict[str, list[FolderCount]] = defaultdict(list)
        slugs: set[str] = set()
        for folder in parent.folders:
            if len(folder.segments) > depth:
                by_segment[folder.segments[depth]].append(folder)
            else:
                slugs |= folder.language_slugs
                if folder.pages >= _CROWDED_PAGES:
                    parent.node.is_crowded = True
                    parent.node.has_headlines = 2 * folder.headlines > folder.pages
        names = self._names(by_segment, slugs, parent.path)
        groups: dict[tuple[str, bool], list[FolderCount]] = {}
        for segment, inside in by_segment.items():
            groups.setdefault(names[segment], []).extend(inside)
        has_languages = (LANGUAGE, True) in groups or self._are_languages(slugs, parent.path)
        if has_languages:
            groups.setdefault((LANGUAGE, True), [])
        children = []
        largest_first = sorted(groups.items(), key=lambda group: (-_pages(group[1]), group[0]))
        for (name, varies), inside in largest_first[: self._nodes_left]:
            self._nodes_left -= 1
            child = FolderNode()
            (parent.node.varying if varies else parent.node.named)[name] = child
            children.append(_Unlearned(child, inside, (*parent.path, name)))
        return children

    def _are_languages(self, segments: Iterable[str], path: tuple[str, ...]) -> bool:
        return are_language_segments(segments, self._declared.get(path, ()))

    def _names(
        self,
        by_segment: Mapping[str, Sequence[FolderCount]],
        slugs: set[str],
        path: tuple[str, ...],
    ) -> dict[str, tuple[str, bool]]:
        """By segment, its name in templates, and whether it varies."""
        has_languages = self._are_languages({*by_segment, *slugs}, path)
        pages = {segment: _pages(inside) for segment, inside in by_segment.items()}
        large = max(sum(pages.values()) / _LARGE_SHARE, _LARGE_PAGES)
        previous = path[-1] if path else ""
        found: dict[str, tuple[str, bool]] = {}
        undecided: list[str] = []
        for segment in by_segment:
            by_form = placeholder(segment, previous)
            if has_languages and parse_code(segment):
                found[segment] = (LANGUAGE, True)
            elif compact_word(segment) in FOLDER_RULES:
                found[segment] = (segment, False)
            elif not by_form.startswith(SLUG):
                found[segment] = (by_form, True)
            elif pages[segment] >= large:
                found[segment] = (segment, False)
            elif count_words(segment) >= _TITLE_WORDS:
                found[segment] = (SLUG, True)
            else:
                undecided.append(segment)
        vary = _vary([pages[segment] for segment in undecided])
        return found | {
            segment: (SLUG, True) if vary else (segment, False) for segment in undecided
        }


def _pages(folders: Iterable[FolderCount]) -> int:
    return sum([folder.pages for folder in folders])


def _vary(pages: Sequence[int]) -> bool:
    """Whether siblings with so many pages each are values rather than names."""
    if len(pages) > _MAX_NAMES:
        return True
    return len(pages) >= _MANY_FOLDERS and sum(pages) < _FEW_PAGES * len(pages)


def count_folders(urls: Iterable[str]) -> dict[str, list[FolderCount]]:
    """By host, the folders that have pages; *urls* have no queries.

    >>> urls = ["https://a.example/b/c", "https://a.example/b/d/", "https://a.example/"]
    >>> [(folder.segments, folder.pages) for folder in count_folders(urls)["a.example"]]
    [(('b',), 2), ((), 1)]
    """
    pages: Counter[str] = Counter()
    headlines: Counter[str] = Counter()
    slugs: defaultdict[str, set[str]] = defaultdict(set)
    for url in urls:
        folder, slug = split_slug(url)
        pages[folder] += 1
        headlines[folder] += slug.count("-") >= _HEADLINE_HYPHENS
        if len(slug) <= LONGEST_CODE and parse_code(slug):
            slugs[folder].add(slug)
    found: defaultdict[str, list[FolderCount]] = defaultdict(list)
    for folder, number in pages.items():
        parts = folder.split("/")
        host = parts[2] if len(parts) >= _AUTHORITY_PARTS else ""
        segments = tuple(parts[_AUTHORITY_PARTS:])
        language_slugs = slugs.get(folder, _NO_LEAVES)
        found[host].append(FolderCount(segments, number, language_slugs, headlines[folder]))
    return found
