"""Clusters: overlapping groups of pages, each with a rule that says which pages are in it.

Because the rule says so, no list of members is kept. A cluster is worth having from a size on
that grows with the site; smaller ones are only part of the sections above them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sitecrawl.classify.languages import language_name
from sitecrawl.classify.segments import REST
from sitecrawl.classify.vocabulary import ClusterKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

MIN_PAGES: Final = 3
_PAGES_PER_CLUSTER: Final = 2_000
MAX_SAMPLE: Final = 5
_MAX_OF_KIND: Final = {
    ClusterKind.SECTION: 300,
    ClusterKind.PATTERN: 300,
    ClusterKind.TYPE: 30,
    ClusterKind.LANGUAGE: 100,
    ClusterKind.TOPIC: 40,
}
_PREFIXES: Final = {
    ClusterKind.TYPE: "type:",
    ClusterKind.LANGUAGE: "lang:",
    ClusterKind.TOPIC: "topic:",
}


@dataclass(frozen=True, slots=True)
class Cluster:
    """One group of pages."""

    key: str
    """Unique on the site, and without blanks: ``/blog``, ``/blog/{slug}``, ``lang:de``."""
    kind: ClusterKind
    name: str
    parent: str
    """The key of the cluster that it is a part of; ``""``: none."""
    pages: int
    sample: tuple[str, ...]
    why: str
    """What makes a page a member."""


def cluster_key(kind: ClusterKind, value: str) -> str:
    """
    >>> cluster_key(ClusterKind.LANGUAGE, "de"), cluster_key(ClusterKind.SECTION, "/blog")
    ('lang:de', '/blog')
    """
    return _PREFIXES.get(kind, "") + value


def least_pages(pages: int) -> int:
    """The size from which on a group is worth a cluster."""
    return max(MIN_PAGES, pages // _PAGES_PER_CLUSTER)


class ClusterTally:
    """Counts the members of what may become clusters."""

    def __init__(self) -> None:
        self._pages: dict[ClusterKind, Counter[str]] = {kind: Counter() for kind in ClusterKind}
        self._section_of: dict[str, str] = {}
        self._sample: defaultdict[tuple[ClusterKind, str], list[str]] = defaultdict(list)
        self._total = 0

    def add(self, pages: int, groups: Iterable[tuple[ClusterKind, str]]) -> None:
        """Count pages that are in the same groups."""
        self._total += pages
        for kind, value in groups:
            self._pages[kind][value] += pages

    def place_pattern(self, template: str, sections: Sequence[str]) -> None:
        """Say in which sections the pages of a pattern lie."""
        self._section_of.setdefault(template, sections[-1] if sections else "")

    def show(self, kind: ClusterKind, value: str, url: str) -> None:
        """Offer an example."""
        sample = self._sample[kind, value]
        if len(sample) < MAX_SAMPLE:
            sample.append(url)

    def clusters(self, share: float = 1) -> list[Cluster]:
        """Those that are worth having, by kind, the largest first.

        Each page that was counted stands for *share* pages of the site.
        """
        least = least_pages(self._total)
        kept = {kind: self._kept(kind, least) for kind in ClusterKind}
        for section in kept[ClusterKind.SECTION]:
            # Their own pages, in several languages.
            kept[ClusterKind.PATTERN].pop(section, None)
        found: list[Cluster] = []
        for kind, sizes in kept.items():
            for value, pages in sizes.items():
                found.append(
                    Cluster(
                        key=cluster_key(kind, value),
                        kind=kind,
                        name=_name(kind, value),
                        parent=self._parent(kind, value, kept[ClusterKind.SECTION]),
                        pages=round(pages * share),
                        sample=tuple(self._sample[kind, value]),
                        why=_why(kind, value),
                    )
                )
        return found

    def _kept(self, kind: ClusterKind, least: int) -> dict[str, int]:
        ordered = sorted(
            ((value, pages) for value, pages in self._pages[kind].items() if pages >= least),
            key=lambda each: (-each[1], each[0]),
        )
        kept = dict(ordered[: _MAX_OF_KIND[kind]])
        if kind is ClusterKind.SECTION:
            # A folder that holds all of the folder above it adds nothing.
            return {
                value: pages
                for value, pages in kept.items()
                if kept.get(value.rpartition("/")[0]) != pages
            }
        return kept

    def _parent(self, kind: ClusterKind, value: str, sections: Mapping[str, int]) -> str:
        if kind is ClusterKind.SECTION:
            above = value.rpartition("/")[0]
        elif kind is ClusterKind.PATTERN:
            above = self._section_of.get(value, "")
        else:
            return ""
        while above and above not in sections:
            above = above.rpartition("/")[0]
        return cluster_key(ClusterKind.SECTION, above) if above.strip("/") else ""


def _name(kind: ClusterKind, value: str) -> str:
    if kind is ClusterKind.LANGUAGE:
        return language_name(value)
    return value


def _why(kind: ClusterKind, value: str) -> str:
    if kind is ClusterKind.SECTION:
        return f"the address starts with {value}/, or is {value}"
    if kind is ClusterKind.PATTERN:
        rest = ", whatever lies deeper" if REST in value.partition("?")[0] else ""
        return f"the address is of the form {value}{rest}"
    if kind is ClusterKind.TYPE:
        return f"the page is of the type {value}"
    if kind is ClusterKind.LANGUAGE:
        return f"the page's language is {language_name(value)}"
    return f"its title or a link to it has the word {value}"
