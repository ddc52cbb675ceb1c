"""Clusters: overlapping groups of pages, each defined by a rule; and topics, words of titles.

No list of members is kept: the rule of a cluster decides which pages are in it. A cluster needs a
minimum of pages that grows with the site; a smaller group is only part of the sections above it.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sitecrawl.classify.language import language_name
from sitecrawl.classify.pages import ClusterKind
from sitecrawl.classify.paths import REST
from sitecrawl.classify.rules.languages import STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

MIN_PAGES: Final = 3
_PAGES_PER_CLUSTER: Final = 2_000
MAX_EXAMPLES: Final = 5
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
_MAX_TOPICS: Final = 40
_MIN_TOPIC_PAGES: Final = 5
_MIN_TOPIC_SHARE: Final = 200  # one of so many texts
_MAX_TOPIC_SHARE: Final = 4  # a more frequent word is the site's name, or tells nothing
_MAX_CHARACTERS: Final = 200
_TITLE_SEPARATOR = re.compile(r"\s[-\u2013\u2014|·:»]\s")
_WORD = re.compile(r"[^\W\d_]{4,30}")


@dataclass(frozen=True, slots=True)
class Cluster:
    """One group of pages."""

    key: str
    """Unique on the site, without blanks: ``/blog``, ``/blog/{slug}``, ``lang:de``."""
    kind: ClusterKind
    name: str
    parent: str
    """The key of the section that contains it; ``""``: none."""
    pages: int
    sample: tuple[str, ...]
    why: str
    """The rule in words."""


def cluster_key(kind: ClusterKind, value: str) -> str:
    """
    >>> cluster_key(ClusterKind.LANGUAGE, "de"), cluster_key(ClusterKind.SECTION, "/blog")
    ('lang:de', '/blog')
    """
    return _PREFIXES.get(kind, "") + value


def min_cluster_pages(pages: int) -> int:
    """The minimum size of a cluster on a site with so many pages."""
    return max(MIN_PAGES, pages // _PAGES_PER_CLUSTER)


class ClusterTally:
    """Counts the pages of groups that may become clusters."""

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

    def add_template(self, template: str, sections: Sequence[str]) -> None:
        """Record which sections contain the pages of a template."""
        self._section_of.setdefault(template, sections[-1] if sections else "")

    def add_example(self, kind: ClusterKind, value: str, url: str) -> None:
        sample = self._sample[kind, value]
        if len(sample) < MAX_EXAMPLES:
            sample.append(url)

    def clusters(self, share: float = 1) -> list[Cluster]:
        """The groups that are large enough, by kind, the largest first.

        Each counted page stands for *share* pages of the site.
        """
        least = min_cluster_pages(self._total)
        kept = {kind: self._kept(kind, least) for kind in ClusterKind}
        for section in kept[ClusterKind.SECTION]:
            # The section's own page in several languages is no pattern.
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
            # A folder with all pages of the folder above it adds nothing.
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


def learn_topics(texts: Iterable[str]) -> tuple[str, ...]:
    """The most frequent topics; *texts* has the title and link text of each page in one string."""
    pages: Counter[str] = Counter()
    number = 0
    for text in texts:
        if words := topic_words(text):
            number += 1
            pages.update(words)
    least, most = max(_MIN_TOPIC_PAGES, number / _MIN_TOPIC_SHARE), number / _MAX_TOPIC_SHARE
    chosen = sorted((-count, word) for word, count in pages.items() if least <= count <= most)
    return tuple(word for _, word in chosen[:_MAX_TOPICS])


def topic_words(text: str) -> set[str]:
    """
    >>> sorted(topic_words("The garden and the gardeners: about 12 gardens"))
    ['garden', 'gardeners', 'gardens']
    >>> topic_words("Tulips | The Garden Post")
    {'tulips'}
    """
    text = text[:_MAX_CHARACTERS]
    # The part after the last separator is the name of the site.
    headline = _TITLE_SEPARATOR.split(text)[:-1]
    return set(_WORD.findall(" ".join(headline or [text]).casefold())) - STOP_WORDS
