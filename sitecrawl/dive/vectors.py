"""The vectors of a site, compared with that of a question.

They are one matrix in memory, kept until the site's vectors change: 50,000 passages are 77 MB.
Vectors are stored as 16-bit floats, which changes a cosine in the fourth digit.
"""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Final

from sitecrawl.store.queries.passages import (
    passage_languages,
    site_models,
    site_vectors,
    vectors_version,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray
    from sqlalchemy.engine import Connection

    from sitecrawl.dive.embeddings import Vectors

_MOST_KEPT: Final = 8


@dataclass(frozen=True, slots=True)
class VectorIndex:
    """The passages of a site that have vectors of one model."""

    version: int
    numbers: NDArray[np.int64]
    matrix: Vectors

    def cosines(self, vector: Vectors) -> Vectors:
        """The similarity of each passage to a vector of length 1."""
        found: Vectors = self.matrix @ vector
        return found


@dataclass(frozen=True, slots=True)
class SiteFacts:
    """What is known of a site's passages as long as none gets or loses a vector."""

    version: int
    models: list[tuple[int, str, int]]
    """Number, name and dimensions."""
    languages: dict[str, int]
    """How many passages there are of each, the most first."""


def pack_vectors(vectors: Vectors) -> list[bytes]:
    """One text of bytes per row."""
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
            kept = SiteFacts(version, models, languages)
            with self._lock:
                self._facts[label, site_id] = kept
        return kept

    def get(
        self, connection: Connection, label: str, site_id: int, model_id: int, dimensions: int
    ) -> VectorIndex:
        """The index as of now; *label* tells one database from another."""
        key = (label, site_id, model_id)
        version = vectors_version(connection, site_id)
        with self._lock:
            kept = self._kept.get(key)
            if kept is not None and kept.version == version:
                return kept
        index = _read_index(connection, site_id, model_id, dimensions, version)
        with self._lock:
            self._kept.pop(key, None)
            while len(self._kept) >= _MOST_KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[key] = index
        return index


def _read_index(
    connection: Connection,
    site_id: int,
    model_id: int,
    dimensions: int,
    version: int,
) -> VectorIndex:
    import numpy as np

    numbers, packed = site_vectors(connection, site_id, model_id)
    matrix = np.frombuffer(packed, dtype=np.float16).reshape(len(numbers), dimensions)
    return VectorIndex(version, np.array(numbers, dtype=np.int64), matrix.astype(np.float32))


def best(index: VectorIndex, cosines: Vectors, most: int, also: Sequence[int]) -> dict[int, float]:
    """The passages with the highest cosines, and those of *also*, each with its cosine."""
    import numpy as np

    count = len(index.numbers)
    if count == 0:
        return {}
    top = np.arange(count) if count <= most else np.argpartition(-cosines, most)[:most]
    places = set(top.tolist())
    if also:
        wanted = np.searchsorted(index.numbers, np.array(sorted(also)))
        known = wanted[wanted < count]
        matched = known[np.isin(index.numbers[known], np.array(also))]
        places.update(matched.tolist())
    return {int(index.numbers[place]): float(cosines[place]) for place in places}
