"""Finds the passages of a site that answer to a question, by meaning and by words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sitecrawl.classify.language import text_detector
from sitecrawl.dive.embeddings import local_embedder_named
from sitecrawl.dive.passages import passage_link
from sitecrawl.dive.ranking import (
    MAX_QUERY_CHARACTERS,
    combine,
    query_words,
    spread_over_pages,
    word_scores,
)
from sitecrawl.dive.vectors import VectorIndexes
from sitecrawl.errors import InvalidInputError, NotFoundError
from sitecrawl.services.permissions import Permission, requires
from sitecrawl.store.queries.passages import passage_places, passages_by_id, search_words

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from sitecrawl.dive.embeddings import Embedder
    from sitecrawl.dive.ranking import Score
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.passages import StoredPassage
    from sitecrawl.store.queries.scans import Site

    EmbedderNamed = Callable[[str], Embedder | None]

_CANDIDATES: Final = 200
_MAX_LIMIT: Final = 100
_PER_PAGE: Final = 3
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
        places = passage_places(connection, ranked)
        wanted = [
            (number, places[number][0])
            for number in ranked
            if number in places and _is_wanted(places[number], pages, language)
        ]
        chosen = spread_over_pages(wanted, limit, per_page)
        found = passages_by_id(connection, chosen)
    return [Hit(found[number], scores[number], passage_link(found[number])) for number in chosen]


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
    # Of a language, those that are in another one are left out afterwards.
    most = 20 * _CANDIDATES if language else _CANDIDATES
    with database.reading() as connection:
        facts = _indexes.facts(connection, database.label, site.id)
        if not facts.models:
            raise _nothing_searchable(site)
        asked_in = _language(question, facts.languages)
        words = word_scores(
            search_words(connection, site.id, query_words(question), asked_in, most)
        )
        scores: dict[int, Score] = {}
        for model in facts.models:
            embedder = embedder_named(model.name)
            if embedder is None:
                continue  # the model is not installed any more; a new dive embeds anew
            [vector] = embedder.encode([question])
            cosines = _indexes.nearest(
                *(connection, database.label, site.id, model, vector, most),
                also=list(words),
                pages=pages,
            )
            scores |= combine(cosines, words, model.name)
    return scores


def _language(question: str, languages: dict[str, int]) -> str:
    """The language of the question, if the site has it; else the one that most of it is in."""
    detector = text_detector()
    detected = detector(question) if detector is not None else ""
    return detected if detected in languages else next(iter(languages), "")
