"""Giving passages their vectors: what was stopped goes on, and models are kept apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from sqlalchemy import delete, func, select, update

from sitecrawl.dive.models import ModelFailedError
from sitecrawl.dive.reading import DiveCounts, embed_passages
from sitecrawl.dive.search import search
from sitecrawl.errors import NotFoundError
from sitecrawl.store import schema as t
from tests.store.scanning import SITE, page_id

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sitecrawl.dive.embeddings import Vectors
    from sitecrawl.store.engine import Database
    from tests.dive.conftest import Searchable

TEXT = "The museum opens at nine in the morning and closes at six in the evening."


class LetterCounts:
    """Embeds texts by how often letters occur, from some letter on."""

    dimensions = 26

    def __init__(self, name: str, first: int = 0, fails_after: int = 1_000) -> None:
        self.name = name
        self.texts = 0
        self._letters = [chr(97 + (first + number) % 26) for number in range(26)]
        self._fails_after = fails_after

    def encode(self, texts: Sequence[str]) -> Vectors:
        if self.texts >= self._fails_after:
            raise ModelFailedError("the model server did not answer in time")
        self.texts += len(texts)
        rows = [[text.lower().count(letter) + 0.001 for letter in self._letters] for text in texts]
        vectors = np.array(rows, dtype=np.float32)
        unit: Vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit


def page(number: int, text: str = TEXT) -> str:
    return f"<title>{number}</title><article><h1>Room {number}</h1><p>{text} Room {number}.</p>"


@pytest.mark.parametrize("database_kind", ["sqlite"])
def test_embedding_with_another_model_goes_on_where_it_stopped(
    database: Database, searchable: Searchable
) -> None:
    site = searchable({f"/{number}": page(number) for number in range(70)})
    failing, working = LetterCounts("letters", fails_after=1), LetterCounts("letters")
    with pytest.raises(ModelFailedError):
        embed_passages(database, site, lambda _language: failing, DiveCounts())
    counts = DiveCounts()
    embed_passages(database, site, lambda _language: working, counts)
    assert 0 < failing.texts < 70
    assert counts.embedded == working.texts == 70 - failing.texts
    with database.reading() as connection:
        model = select(t.embedding_models.c.id).where(t.embedding_models.c.name == "letters")
        vectors = select(func.count()).where(
            t.passage_vectors.c.model_id == model.scalar_subquery()
        )
        assert connection.scalar(vectors) == 70


def test_vectors_of_two_models_are_not_compared(database: Database, searchable: Searchable) -> None:
    site = searchable({"/1": page(1), "/2": page(2)})
    models = {"en": LetterCounts("letters"), "de": LetterCounts("other letters", first=13)}
    with database.writing() as connection:
        connection.execute(delete(t.passage_vectors))
        german = t.passages.c.page_id == page_id(f"https://{SITE}/2")
        connection.execute(update(t.passages).where(german).values(language="de"))
    embed_passages(database, site, models.__getitem__, DiveCounts())
    by_name = {model.name: model for model in models.values()}
    hits = search(database, site, TEXT, embedder_named=by_name.get)
    # By the other model's vectors both letters and their counts would differ.
    assert len(hits) == 2
    assert all(hit.score.meaning > 0.95 for hit in hits)


@pytest.mark.parametrize("database_kind", ["sqlite"])
def test_a_model_that_is_not_here_any_more_is_told(
    database: Database, searchable: Searchable, caplog: pytest.LogCaptureFixture
) -> None:
    site = searchable({"/1": page(1), "/2": page(2)})
    models = {"en": LetterCounts("letters"), "de": LetterCounts("other letters", first=13)}
    with database.writing() as connection:
        connection.execute(delete(t.passage_vectors))
        german = t.passages.c.page_id == page_id(f"https://{SITE}/2")
        connection.execute(update(t.passages).where(german).values(language="de"))
    embed_passages(database, site, models.__getitem__, DiveCounts())
    hits = search(database, site, TEXT, embedder_named={"letters": models["en"]}.get)
    assert [hit.passage.page_id for hit in hits] == [page_id(f"https://{SITE}/1")]
    assert "embedded by other letters, which is not here; run: sitecrawl dive" in caplog.text
    with pytest.raises(NotFoundError, match="embedded by letters, other letters"):
        search(database, site, TEXT, embedder_named=lambda _name: None)


class TwiceTheLetters(LetterCounts):
    """Another model behind the same name."""

    dimensions = 52

    def encode(self, texts: Sequence[str]) -> Vectors:
        once = super().encode(texts)
        return np.hstack([once, once])


@pytest.mark.parametrize("database_kind", ["sqlite"])
def test_another_model_of_the_same_name_is_refused(
    database: Database, searchable: Searchable
) -> None:
    site = searchable({"/1": page(1), "/2": page(2)})
    with database.writing() as connection:
        connection.execute(delete(t.passage_vectors))
    embed_passages(database, site, lambda _language: LetterCounts("letters"), DiveCounts())
    other = TwiceTheLetters("letters")
    with pytest.raises(ModelFailedError, match=r"52 numbers.* have 26.*SITECRAWL_EMBEDDING_NAME"):
        embed_passages(database, site, lambda _language: other, DiveCounts())
    with pytest.raises(NotFoundError, match="embedded by letters"):
        search(database, site, TEXT, embedder_named=lambda _name: other)
