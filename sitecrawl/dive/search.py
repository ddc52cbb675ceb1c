"""Finds the passages of a site that match a question, by meaning and by words."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sitecrawl.classify.language import text_detector
from sitecrawl.dive.embeddings import local_embedder_named
from sitecrawl.dive.passages import passage_link
from sitecrawl.dive.ranking import (
    MAX_QUERY_CHARACTERS,
    combine,
    is_evidence,
    query_words,
    share_of_words,
    spread_over_pages,
    word_scores,
)
from sitecrawl.dive.vectors import VectorIndexes
from sitecrawl.errors import InvalidInputError, NotFoundError
from sitecrawl.services.permissions import Permission, requires
from sitecrawl.store.queries.passages import passage_places, passages_by_id, search_words

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from sqlalchemy.engine import Connection

    from sitecrawl.dive.embeddings import Embedder
    from sitecrawl.dive.ranking import Score
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.passages import StoredPassage
    from sitecrawl.store.queries.scans import Site

    EmbedderNamed = Callable[[str], Embedder | None]

logger = logging.getLogger(__name__)

_CANDIDATES: Final = 200
_MAX_LIMIT: Final = 100
_PER_PAGE: Final = 3
_PLACES_AT_ONCE: Final = 50
_EVIDENCE_PASSAGES: Final = 5
_indexes = VectorIndexes()


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage that was found."""

    passage: StoredPassage
    score: Score
    link: str
    """Opens the page at the passage."""

    def highlighted(self, query: str, before: str = "**", after: str = "**") -> str:
        """The text with the words of the question marked."""
        return "".join(
            f"{before}{text}{after}" if is_asked else text for text, is_asked in self.parts(query)
        )

    def parts(self, query: str) -> list[tuple[str, bool]]:
        """The text in parts, and whether each of them is a word of the question."""
        words = query_words(query)
        if not words:
            return [(self.passage.text, False)]
        # A word is marked in its other forms, too: "installs" for "install".
        stems = "|".join(re.escape(word[: max(4, len(word) - 2)]) for word in words)
        found = re.split(rf"\b((?:{stems})\w*)", self.passage.text, flags=re.IGNORECASE)
        return [(text, number % 2 == 1) for number, text in enumerate(found) if text]


@requires(Permission.READ)
def search(
    database: Database,
    site: Site,
    query: str,
    *,
    limit: int = 10,
    per_page: int = _PER_PAGE,
    pages: Collection[int] | None = None,
    language: str = "",
    embedder_named: EmbedderNamed = local_embedder_named,
) -> list[Hit]:
    """The best passages for the question, the best first.

    *pages*: only of pages with these ids. *language*: only passages in it, ``""``: in any.
    *embedder_named*: the models that can be asked, by the name that vectors are stored with.
    ``NotFoundError`` if no dive has made the site searchable.
    """
    question = query.strip()
    if not question:
        raise InvalidInputError("query", "it is empty; give some words or a question")
    if len(question) > MAX_QUERY_CHARACTERS:
        raise InvalidInputError("query", f"it is longer than {MAX_QUERY_CHARACTERS:,} characters")
    limit = min(max(limit, 1), _MAX_LIMIT)
    scores = _scores(database, site, question, embedder_named, pages, language)
    ranked = sorted(scores, key=lambda number: (-scores[number].total, number))
    with database.reading() as connection:
        wanted = _wanted(connection, ranked, pages, language)
        chosen = spread_over_pages(wanted, limit, per_page)
        found = passages_by_id(connection, chosen)
    return [Hit(found[number], scores[number], passage_link(found[number])) for number in chosen]


def speaks_of(question: str, hits: Sequence[Hit]) -> bool:
    """Whether the site covers what is asked, judged by the best passages."""
    if not hits:
        return False
    best = max(hits, key=lambda hit: hit.score.meaning)
    texts = [
        f"{hit.passage.title} {' '.join(hit.passage.headings)} {hit.passage.text}" for hit in hits
    ]
    share = share_of_words(question, texts[:_EVIDENCE_PASSAGES])
    return is_evidence(best.score.meaning, share, best.passage.language)


@requires(Permission.READ)
def check_searchable(database: Database, site: Site) -> None:
    """``NotFoundError`` if no dive has made the site searchable."""
    with database.reading() as connection:
        if not _indexes.facts(connection, database.label, site.id).models:
            raise _nothing_searchable(site)


def _nothing_searchable(site: Site) -> NotFoundError:
    return NotFoundError(
        f"nothing of {site.key} is searchable yet; run: sitecrawl dive {site.key} --all"
    )


def _wanted(
    connection: Connection, ranked: Sequence[int], pages: Collection[int] | None, language: str
) -> Iterator[tuple[int, int]]:
    """The passages in these pages and this language, each with its page; read in blocks."""
    for start in range(0, len(ranked), _PLACES_AT_ONCE):
        numbers = ranked[start : start + _PLACES_AT_ONCE]
        places = passage_places(connection, numbers)
        for number in numbers:
            if number in places and _is_wanted(places[number], pages, language):
                yield number, places[number][0]


def _is_wanted(place: tuple[int, str], pages: Collection[int] | None, language: str) -> bool:
    page_id, own = place
    is_language = not language or own.partition("-")[0] == language.partition("-")[0]
    return is_language and (pages is None or page_id in pages)


def _scores(
    database: Database,
    site: Site,
    question: str,
    embedder_named: EmbedderNamed,
    pages: Collection[int] | None,
    language: str,
) -> dict[int, Score]:
    # Passages in other languages are left out afterwards.
    most = 20 * _CANDIDATES if language else _CANDIDATES
    with database.reading() as connection:
        facts = _indexes.facts(connection, database.label, site.id)
        if not facts.models:
            raise _nothing_searchable(site)
        asked_in = _language(question, facts.languages)
        passages = sum(facts.languages.values())
        asked = query_words(question)
        words = word_scores(search_words(connection, site.id, asked, asked_in, most, passages))
        scores: dict[int, Score] = {}
        missing: list[str] = []
        for model in facts.models:
            embedder = embedder_named(model.name)
            if embedder is None:
                missing.append(model.name)
                continue
            [vector] = embedder.encode([question])
            if len(vector) != model.dimensions:  # the server has another model of this name now
                missing.append(model.name)
                continue
            cosines = _indexes.nearest(
                *(connection, database.label, site.id, model, vector, most),
                also=list(words),
                pages=pages,
            )
            scores |= combine(cosines, words, model.name)
    if missing:
        _say_missing(site, missing, are_all=len(missing) == len(facts.models))
    return scores


def _say_missing(site: Site, models: Sequence[str], *, are_all: bool) -> None:
    """Tell that vectors of a missing model are of no use until a dive embeds anew."""
    notice = (
        f"passages of {site.key} were embedded by {', '.join(models)}, which is not here;"
        f" run: sitecrawl dive {site.key} --all"
    )
    if are_all:
        raise NotFoundError(notice)
    logger.warning("left out: %s", notice)


def _language(question: str, languages: dict[str, int]) -> str:
    """The language of the question, if the site has it; else the main language of the site."""
    detector = text_detector()
    detected = detector(question) if detector is not None else ""
    return detected if detected in languages else next(iter(languages), "")
