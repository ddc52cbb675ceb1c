"""Compares whole pages: topics (clusters by meaning) with a map, similar and competing pages.

The vector of a page is the mean of the vectors of its passages. Topics are made by k-means on
vectors of length 1, the map by the two directions in which the vectors differ most (PCA). Both have
fixed seeds: the same vectors give the same topics.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sitecrawl.dive.vectors import VectorIndexes
from sitecrawl.dive.word_lists import STOP_WORDS
from sitecrawl.errors import NotFoundError
from sitecrawl.services.permissions import Permission, requires
from sitecrawl.store.queries import topics as queries
from sitecrawl.store.queries.pages import page_urls
from sitecrawl.store.writers.dives import NewTopic, replace_topics

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from sitecrawl.dive.embeddings import Vectors
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.scans import Site
    from sitecrawl.store.queries.topics import CompetingPage, MappedPage, PageWords, Topic

MAX_MAPPED_PAGES: Final = 2_000
_FEWEST_PAGES: Final = 4
_MAX_TOPICS: Final = 12
_ROUNDS: Final = 25
_SEED: Final = 7
_NAME_TERMS: Final = 3
_FEWEST_LETTERS: Final = 3
# Pages whose texts are nearly the same are duplicates, which the report finds by their words.
_SAME_COSINE: Final = 0.97
_COMPETING_COSINE: Final = 0.75
_SHARED_TITLE: Final = 0.5
_MAX_RIVALS: Final = 5
_MAX_COMPETING: Final = 2_000
_ROWS_AT_ONCE: Final = 1_000
_TERM: Final = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class SimilarPage:
    page_id: int
    url: str
    cosine: float
    """1: the same meaning."""


@dataclass(frozen=True, slots=True)
class TopicMap:
    topics: list[Topic]
    pages: list[MappedPage]
    """At most :data:`MAX_MAPPED_PAGES`."""


@dataclass(frozen=True, slots=True)
class _PageVectors:
    pages: NDArray[np.int64]
    matrix: Vectors


@requires(Permission.READ)
def similar_pages(
    database: Database, site: Site, page_id: int, limit: int = 10
) -> list[SimilarPage]:
    """The pages of the site that are nearest to the page by meaning, the nearest first."""
    found = _page_vectors(database, site)
    places = (found.pages == page_id).nonzero()[0]
    if not len(places):
        raise NotFoundError(f"no dive into {site.key} has read page {page_id}")
    cosines = found.matrix @ found.matrix[places[0]]
    nearest = [place for place in (-cosines).argsort()[: limit + 1] if place != places[0]]
    numbers = [int(found.pages[place]) for place in nearest[:limit]]
    with database.reading() as connection:
        urls = page_urls(connection, numbers)
    return [
        SimilarPage(number, urls[number], float(cosines[place]))
        for number, place in zip(numbers, nearest, strict=False)
        if number in urls
    ]


@requires(Permission.READ)
def topic_map(database: Database, site: Site) -> TopicMap:
    """The topics of the last dive, and the positions of pages."""
    with database.reading() as connection:
        return TopicMap(
            queries.topics_of(connection, site.id),
            queries.mapped_pages(connection, site.id, MAX_MAPPED_PAGES),
        )


@requires(Permission.READ)
def list_competing(database: Database, site: Site, limit: int = 100) -> list[CompetingPage]:
    """Pairs of pages with the same topic and similar titles, the nearest first."""
    with database.reading() as connection:
        return queries.competing_pages_of(connection, site.id, limit)


@requires(Permission.SCAN)
def renew_topics(database: Database, site: Site) -> None:
    """Compute the topics and the competing pages anew."""
    found = _page_vectors(database, site)
    with database.reading() as connection:
        words = queries.page_words(connection, site.id)
    topics: list[NewTopic] = []
    if len(found.pages) >= _FEWEST_PAGES:
        numbers = found.pages.tolist()
        labels, spots = _clusters(found.matrix), _projection(found.matrix)
        names = _names(numbers, labels, words)
        for label, name in names.items():
            own = (place for place, each in enumerate(labels) if each == label)
            topics.append(
                NewTopic(name, [(numbers[place], *map(float, spots[place])) for place in own])
            )
    competing = list(_competing(found, words)) if len(found.pages) else []
    with database.writing() as connection:
        replace_topics(connection, site.id, topics, competing)


def _page_vectors(database: Database, site: Site) -> _PageVectors:
    """The vectors of the model that has embedded the most passages."""
    import numpy as np

    indexes = VectorIndexes()
    with database.reading() as connection:
        models = indexes.facts(connection, database.label, site.id).models
        found = [indexes.get(connection, database.label, site.id, model) for model in models]
    if not found:
        return _PageVectors(np.empty(0, np.int64), np.empty((0, 1), np.float32))
    index = max(found, key=lambda each: len(each.numbers))
    pages, places = np.unique(index.pages, return_inverse=True)
    sums = np.zeros((len(pages), index.matrix.shape[1]), dtype=np.float32)
    np.add.at(sums, places, index.matrix)
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    return _PageVectors(pages, sums / np.maximum(lengths, 1e-12))


def _clusters(matrix: Vectors) -> list[int]:
    """The number of each row's cluster."""
    import numpy as np

    count = min(_MAX_TOPICS, max(2, round(math.sqrt(len(matrix) / 2))))
    random = np.random.default_rng(_SEED)
    centres = matrix[[int(random.integers(len(matrix)))]]
    while len(centres) < count:  # far from those that are there: k-means++
        distances = np.maximum(1 - (matrix @ centres.T).max(axis=1), 0) + 1e-9
        chosen = random.choice(len(matrix), p=distances / distances.sum())
        centres = np.vstack([centres, matrix[chosen]])
    labels = np.full(len(matrix), -1)
    for _ in range(_ROUNDS):
        fresh = (matrix @ centres.T).argmax(axis=1)
        if (fresh == labels).all():
            break
        labels = fresh
        for number in range(count):
            if (own := matrix[labels == number]).size:
                centre = own.sum(axis=0)
                centres[number] = centre / np.linalg.norm(centre)
    return [int(label) for label in labels]


def _projection(matrix: Vectors) -> Vectors:
    """Each row as x and y from 0 to 1."""
    import numpy as np

    centred = matrix - matrix.mean(axis=0)
    _values, directions = np.linalg.eigh(centred.T @ centred)
    directions = directions[:, [-1, -2]]
    # The sign of a direction is free: the largest part of it is positive.
    largest = np.abs(directions).argmax(axis=0)
    directions = directions * np.sign(directions[largest, [0, 1]])
    spots = centred @ directions
    low, high = spots.min(axis=0), spots.max(axis=0)
    placed: Vectors = (spots - low) / np.maximum(high - low, 1e-9)
    return placed


def _names(
    pages: Sequence[int], labels: Sequence[int], words: Mapping[int, PageWords]
) -> dict[int, str]:
    """A name of each cluster: the terms by which its pages differ from the others."""
    terms = {
        page: set(_terms(f"{words[page].title} {words[page].words}")) if page in words else set()
        for page in pages
    }
    overall = Counter(term for own in terms.values() for term in own)
    found = {}
    for label in sorted(set(labels)):
        members = [page for page, each in zip(pages, labels, strict=True) if each == label]
        inside = Counter(term for page in members for term in terms[page])

        def telling(term: str, inside: Counter[str] = inside, size: int = len(members)) -> float:
            share, everywhere = inside[term] / size, overall[term] / len(pages)
            return share * math.log(share / everywhere) if share > everywhere else 0.0

        ranked = sorted(inside, key=lambda term: (-telling(term), term))
        found[label] = ", ".join(ranked[:_NAME_TERMS]) or f"topic {label + 1}"
    return found


def _terms(text: str) -> Iterator[str]:
    for word in _TERM.findall(text.lower()):
        if len(word) >= _FEWEST_LETTERS and word not in STOP_WORDS:
            yield word


def _competing(
    found: _PageVectors, words: Mapping[int, PageWords]
) -> Iterator[tuple[int, int, float, str]]:
    """Pairs of pages that are near each other and whose titles share most of their words."""
    import numpy as np

    pages = found.pages.tolist()
    titles = {page: frozenset(_terms(words[page].title)) for page in pages if page in words}
    # Words of most titles, such as the name of the site, tell nothing.
    often = Counter(term for own in titles.values() for term in own)
    common = {term for term, number in often.items() if number > max(len(pages) / 4, 5)}
    given = 0
    for start in range(0, len(pages), _ROWS_AT_ONCE):
        cosines = found.matrix[start : start + _ROWS_AT_ONCE] @ found.matrix.T
        for row, own in enumerate(cosines):
            page, place = pages[start + row], start + row
            near = np.flatnonzero((own >= _COMPETING_COSINE) & (own < _SAME_COSINE))
            nearest = sorted((int(n) for n in near if n > place), key=lambda n: -own[n])
            for other in nearest[:_MAX_RIVALS]:
                rival = pages[other]
                if page not in titles or rival not in titles:
                    continue
                if words[page].language != words[rival].language:
                    continue
                shared = _shared_words(titles[page] - common, titles[rival] - common)
                if shared and given < _MAX_COMPETING:
                    given += 1
                    yield page, rival, float(own[other]), " ".join(sorted(shared))


def _shared_words(one: frozenset[str], other: frozenset[str]) -> frozenset[str]:
    """The words that both titles have, if they are at least half of all words of both.

    >>> sorted(_shared_words(frozenset({"red", "wine"}), frozenset({"red", "wine", "guide"})))
    ['red', 'wine']
    """
    shared = one & other
    return shared if len(shared) >= _SHARED_TITLE * len(one | other) else frozenset()
