"""Finding passages by meaning and by words, on both databases."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from sqlalchemy import delete

from sitecrawl.dive.answers import NOT_FOUND_WORDS, AnswerKind, ask, list_gaps
from sitecrawl.dive.embeddings import local_embedder
from sitecrawl.dive.reading import DiveCounts, embed_passages
from sitecrawl.dive.search import search
from sitecrawl.dive.vectors import VectorIndexes
from sitecrawl.errors import InvalidInputError, NotFoundError
from sitecrawl.store.queries.dives import past_turns
from sitecrawl.store.queries.passages import search_words
from sitecrawl.store.queries.vectors import has_vector_index, site_models, site_vectors
from sitecrawl.store.schema import passage_vectors
from sitecrawl.store.writers.dives import remove_contents
from tests.store.scanning import SITE, page_id

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sitecrawl.dive.embeddings import Vectors
    from sitecrawl.store.engine import Database
    from tests.dive.conftest import Searchable


def page(title: str, *paragraphs: str) -> str:
    body = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    return (
        f"<html><head><title>{title}</title></head><body><article><h1>{title}</h1>{body}</article>"
    )


PAGES = {
    "/hours": page(
        "Opening hours",
        "The museum opens at nine in the morning and closes at six in the evening.",
        "On Sundays and public holidays the doors stay closed all day long.",
    ),
    "/dogs": page(
        "Animals",
        "Guide dogs are welcome in every room of the house at any time of the day.",
        "Other pets wait in the yard, where there is water and shade for them.",
    ),
    "/tickets": page(
        "Tickets",
        "Adults pay five euros, children and students pay two euros for a ticket.",
        "Payment by card is possible at the desk beside the main entrance.",
    ),
}


def test_what_is_meant_is_found(database: Database, searchable: Searchable) -> None:
    site = searchable(PAGES)
    for query, path in [
        ("when can I visit", "/hours"),
        ("may I bring my puppy", "/dogs"),
        ("what does it cost to get in", "/tickets"),
    ]:
        best = search(database, site, query)[0]
        assert best.passage.url == f"https://{SITE}{path}"
        assert best.score.explained().startswith(f"{best.score.total:.2f} = 0.9 x meaning")


def test_words_count(database: Database, searchable: Searchable) -> None:
    site = searchable(PAGES)
    [best, *_] = search(database, site, "euros for students")
    assert best.score.words == 1.0
    assert "**euros**" in best.highlighted("euros for students")


def test_postgres_ranks_rare_words_of_a_large_site_only(
    database: Database, searchable: Searchable
) -> None:
    pages = {
        f"/{name}": page(name, f"The museum shows {name} from all over the world to everybody.")
        for name in ("paintings", "fossils", "clocks")
    }
    site = searchable(pages)
    words = ["museum", "fossils"]
    with database.reading() as connection:
        is_postgres = connection.dialect.name == "postgresql"
        of_few = search_words(connection, site.id, words, "en", 10, passages=3)
        of_many = search_words(connection, site.id, words, "en", 10, passages=10_000)
        common = search_words(connection, site.id, ["museum"], "en", 10, passages=10_000)
    assert len(of_few) == 3
    assert len(of_many) == (1 if is_postgres else 3)
    assert of_many[0][0] == of_few[0][0]
    assert len(common) == (0 if is_postgres else 3)


def test_filters(database: Database, searchable: Searchable) -> None:
    site = searchable(PAGES)
    only = {page_id(f"https://{SITE}/dogs")}
    hits = search(database, site, "opening hours", pages=only)
    assert {hit.passage.page_id for hit in hits} == only
    assert search(database, site, "opening hours", language="de") == []


def test_a_removed_page_is_not_found(database: Database, searchable: Searchable) -> None:
    site = searchable(PAGES)
    with database.writing() as connection:
        remove_contents(connection, [page_id(f"https://{SITE}/dogs")])
    urls = {hit.passage.url for hit in search(database, site, "guide dogs pets")}
    assert f"https://{SITE}/dogs" not in urls


def test_a_text_on_many_pages_is_found_once(database: Database, searchable: Searchable) -> None:
    twice = {"/one": PAGES["/dogs"], "/two": PAGES["/dogs"], "/hours": PAGES["/hours"]}
    site = searchable(twice)
    urls = [hit.passage.url for hit in search(database, site, "guide dogs")]
    assert len([url for url in urls if "hours" not in url]) == 1
    # When the page goes, the other one stands for the text.
    with database.writing() as connection:
        remove_contents(connection, [page_id(f"https://{SITE}/one")])
    embed_passages(database, site, local_embedder, DiveCounts())
    assert search(database, site, "guide dogs")[0].passage.url == f"https://{SITE}/two"


def test_queries_that_cannot_be_used(database: Database, searchable: Searchable) -> None:
    site = searchable(PAGES)
    with pytest.raises(InvalidInputError):
        search(database, site, "  ")
    with pytest.raises(InvalidInputError):
        search(database, site, "x" * 2_000)
    for hostile in ('"', "' OR 1=1 --", "a AND NOT b*", "NEAR(", "(:*!&|", "\x00"):
        search(database, site, f"hours {hostile}")


def test_a_site_without_passages_says_what_to_do(
    database: Database, searchable: Searchable
) -> None:
    site = searchable({})
    with pytest.raises(NotFoundError, match="sitecrawl dive"):
        search(database, site, "hours")


class ScriptedModel:
    """A model that says what it was told to."""

    name = "scripted"

    def __init__(self, *pieces: str) -> None:
        self._pieces = pieces
        self.messages: Sequence[dict[str, str]] = ()

    def stream(self, messages: Sequence[dict[str, str]]) -> Iterator[str]:
        self.messages = messages
        return iter(self._pieces)


@pytest.mark.parametrize("database_kind", ["sqlite"])
class TestAnswers:
    def test_sentences_of_the_site(self, database: Database, searchable: Searchable) -> None:
        answer = ask(database, searchable(PAGES), "When does the museum open?")
        assert answer.kind is AnswerKind.EXTRACTIVE
        assert "opens at nine in the morning" in answer.text
        [first, *_] = answer.citations
        assert first.url == f"https://{SITE}/hours"
        assert first.quote in answer.text

    def test_what_the_site_does_not_say(self, database: Database, searchable: Searchable) -> None:
        site = searchable(PAGES)
        for question in ("How tall is Mount Everest?", "how tall is mount everest"):
            answer = ask(database, site, question)
            assert (answer.kind, answer.text) == (AnswerKind.NOT_FOUND, NOT_FOUND_WORDS)
        [gap] = list_gaps(database, site)
        assert gap.asked == 2

    def test_a_model_that_cites(self, database: Database, searchable: Searchable) -> None:
        model = ScriptedModel("It opens at ", "nine [S1]. I made this up.")
        answer = ask(database, searchable(PAGES), "When does the museum open?", model=model)
        assert (answer.kind, answer.text) == (AnswerKind.MODEL, "It opens at nine [S1].")
        assert "opens at nine" in answer.citations[0].quote

    def test_a_model_that_names_no_source(self, database: Database, searchable: Searchable) -> None:
        model = ScriptedModel("Trust me, it opens at three.")
        answer = ask(database, searchable(PAGES), "When does the museum open?", model=model)
        assert answer.kind is AnswerKind.EXTRACTIVE
        assert "named no source" in answer.notice

    def test_a_conversation_goes_on(self, database: Database, searchable: Searchable) -> None:
        site = searchable(PAGES)
        first = ask(database, site, "When does the museum open?")
        model = ScriptedModel("Closed [S1].")
        second = ask(
            database, site, "And on Sunday?", model=model, conversation_id=first.conversation_id
        )
        assert second.conversation_id == first.conversation_id
        assert model.messages[1]["content"] == "When does the museum open?"
        with database.reading() as connection:
            turns = past_turns(connection, site.id, first.conversation_id, None)
        assert turns is not None
        assert [turn.question for turn in turns] == ["When does the museum open?", "And on Sunday?"]


@pytest.mark.parametrize("database_kind", ["sqlite"])
def test_vectors_of_a_server_are_searched_by_it(database: Database, searchable: Searchable) -> None:
    class Letters:
        """Embeds by how often letters occur."""

        name = "letters@http://127.0.0.1:1/v1"
        dimensions = 26

        def encode(self, texts: Sequence[str]) -> Vectors:
            rows = [[text.lower().count(chr(97 + n)) + 0.001 for n in range(26)] for text in texts]
            vectors = np.array(rows, dtype=np.float32)
            unit: Vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
            return unit

    letters = Letters()
    site = searchable(PAGES)
    with database.writing() as connection:
        connection.execute(delete(passage_vectors))
    embed_passages(database, site, lambda _language: letters, DiveCounts())
    with pytest.raises(NotFoundError, match="embedded by letters"):
        search(database, site, "guide dogs")
    found = search(database, site, "guide dogs", embedder_named=lambda _name: letters)
    assert {hit.passage.url for hit in found} == {f"https://{SITE}{path}" for path in PAGES}


def test_the_database_compares_vectors_itself_if_it_can(
    database: Database, searchable: Searchable
) -> None:
    """pgvector gives what numpy gives, also if most passages are of pages that are not wanted."""
    animals = ("bee", "dog", "cat", "owl", "fox", "hen", "cow", "bat", "elk", "ant")
    pages = {
        f"/{animal}": f"<main><p>The {animal} lives in a house of its own, far from the sea.</p>"
        for animal in animals
    }
    site = searchable(pages)
    with database.reading() as connection:
        [model] = site_models(connection, site.id)
        is_postgres = connection.dialect.name == "postgresql"
        assert has_vector_index(connection, model.id) is is_postgres
        [vector] = local_embedder("en").encode(["which animal gives honey"])
        numbers, places, packed = site_vectors(connection, site.id, model.id)
        matrix = np.frombuffer(packed, np.float16).reshape(len(numbers), -1).astype(np.float32)
        cosines = dict(zip(numbers, (matrix @ vector).tolist(), strict=True))
        best = sorted(numbers, key=lambda number: -cosines[number])
        given = (connection, database.label, site.id, model, vector)
        found = VectorIndexes().nearest(*given, 3, also=[best[-1]])
        assert sorted(found, key=lambda number: -found[number]) == [*best[:3], best[-1]]
        for number, cosine in found.items():
            assert cosine == pytest.approx(cosines[number], abs=2e-3)
        far = dict(zip(numbers, places, strict=True))[best[-1]]
        assert list(VectorIndexes().nearest(*given, 3, pages={far}, also=best)) == [best[-1]]
