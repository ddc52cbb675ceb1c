"""Compares the vectors of a site with the vector of a question.

PostgreSQL with pgvector compares them itself. Otherwise they are one matrix in memory, kept until
the vectors of the site change: 77 MB for 50,000 passages. Vectors are stored as 16-bit floats,
which changes a cosine in the fourth digit.
"""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Final

from sitecrawl.store.queries.passages import passage_languages
from sitecrawl.store.queries.vectors import (
    has_vector_index,
    nearest_passages,
    site_models,
    site_vectors,
    vectors_version,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    import numpy as np
    from numpy.typing import NDArray
    from sqlalchemy.engine import Connection

    from sitecrawl.dive.embeddings import Vectors
    from sitecrawl.store.queries.vectors import EmbeddingModel

_MOST_KEPT: Final = 8


@dataclass(frozen=True, slots=True)
class VectorIndex:
    """The passages of a site that have vectors of one model."""

    version: int
    numbers: NDArray[np.int64]
    pages: NDArray[np.int64]
    matrix: Vectors

    def cosines(self, vector: Vectors) -> Vectors:
        """The similarity of each passage to a vector of length 1."""
        found: Vectors = self.matrix @ vector
        return found


@dataclass(frozen=True, slots=True)
class SiteFacts:
    """Facts about the passages of a site that hold until a vector is added or removed."""

    version: int
    models: list[EmbeddingModel]
    indexed: frozenset[int]
    """The ids of the models whose vectors the database compares itself."""
    languages: dict[str, int]
    """The number of passages by language, the largest first."""


def pack_vectors(vectors: Vectors) -> list[bytes]:
    """The bytes of each row, as they are stored."""
    import numpy as np

    return [row.tobytes() for row in vectors.astype(np.float16)]


class VectorIndexes:
    """The indexes that were used last, by site and model; threads may share them."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, int, int], VectorIndex] = {}
        self._facts: dict[tuple[str, int], SiteFacts] = {}
        self._lock = Lock()

    def facts(self, connection: Connection, label: str, site_id: int) -> SiteFacts:
        """Models and languages as of now: to count them takes longer than to compare vectors."""
        version = vectors_version(connection, site_id)
        with self._lock:
            kept = self._facts.get((label, site_id))
        if kept is None or kept.version != version:
            models, languages = site_models(connection, site_id), {}
            if models:
                languages = passage_languages(connection, site_id)
            indexed = frozenset(
                model.id for model in models if has_vector_index(connection, model.id)
            )
            kept = SiteFacts(version, models, indexed, languages)
            with self._lock:
                self._facts[label, site_id] = kept
        return kept

    def nearest(
        self,
        connection: Connection,
        label: str,
        site_id: int,
        model: EmbeddingModel,
        vector: Vectors,
        most: int,
        *,
        also: Sequence[int] = (),
        pages: Collection[int] | None = None,
    ) -> dict[int, float]:
        """The passages nearest to the vector, and those of *also*, each with its cosine.

        *pages*: only of pages with these ids.
        """
        if model.id in self.facts(connection, label, site_id).indexed:
            asked = vector.tolist()
            return nearest_passages(connection, site_id, model, asked, most, also, pages)
        index = self.get(connection, label, site_id, model)
        return _best(index, index.cosines(vector), most, also, pages)

    def get(
        self, connection: Connection, label: str, site_id: int, model: EmbeddingModel
    ) -> VectorIndex:
        """The index as of now; *label* tells one database from another."""
        key = (label, site_id, model.id)
        version = vectors_version(connection, site_id)
        with self._lock:
            kept = self._kept.get(key)
            if kept is not None and kept.version == version:
                return kept
        index = _read_index(connection, site_id, model, version)
        with self._lock:
            self._kept.pop(key, None)
            while len(self._kept) >= _MOST_KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[key] = index
        return index


def _read_index(
    connection: Connection, site_id: int, model: EmbeddingModel, version: int
) -> VectorIndex:
    import numpy as np

    numbers, pages, packed = site_vectors(connection, site_id, model.id)
    matrix = np.frombuffer(packed, dtype=np.float16).reshape(len(numbers), model.dimensions)
    return VectorIndex(
        version,
        np.array(numbers, dtype=np.int64),
        np.array(pages, dtype=np.int64),
        matrix.astype(np.float32),
    )


def _best(
    index: VectorIndex,
    cosines: Vectors,
    most: int,
    also: Sequence[int],
    pages: Collection[int] | None,
) -> dict[int, float]:
    import numpy as np

    places = np.arange(len(index.numbers))
    if pages is not None:
        places = places[np.isin(index.pages, np.fromiter(pages, np.int64, len(pages)))]
    is_also = np.isin(index.numbers[places], np.array(also, dtype=np.int64))
    more = places[is_also]
    if len(places) > most:
        places = places[np.argpartition(-cosines[places], most)[:most]]
    chosen = set(places.tolist()) | set(more.tolist())
    return {int(index.numbers[place]): float(cosines[place]) for place in chosen}
