"""Vectors of passages: read as one matrix, or compared by PostgreSQL itself, if it has pgvector.

Every vector is stored as bytes. With pgvector :func:`index_vectors` keeps a second copy that the
database can compare (``halfvec``, as the bytes are 16-bit floats), with an HNSW index per model.
"""

from __future__ import annotations

from struct import iter_unpack
from typing import TYPE_CHECKING, Final, NamedTuple

from sqlalchemy import exc, select, text

from sitecrawl.store import schema as t

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sqlalchemy.engine import Connection

_ROWS_AT_ONCE: Final = 500
# More of the graph is looked at than is wanted: it is then all but certain that nothing nearer
# is missed. The highest that pgvector takes is 1,000.
_MAX_EF_SEARCH: Final = 1_000
_ADD_COLUMN: Final = "ALTER TABLE passage_vectors ADD COLUMN IF NOT EXISTS embedding halfvec"
_ADD_INDEX: Final = """
CREATE INDEX IF NOT EXISTS ix_passage_vectors_hnsw_{model} ON passage_vectors
USING hnsw ((embedding::halfvec({dimensions})) halfvec_ip_ops) WHERE model_id = {model}
"""
_FILL: Final = """
UPDATE passage_vectors SET embedding = given.embedding::halfvec
FROM unnest(%s::bigint[], %s::text[]) AS given (passage_id, embedding)
WHERE passage_vectors.model_id = %s AND passage_vectors.passage_id = given.passage_id
"""
# The inner product of vectors of length 1 is their cosine; pgvector gives its negative.
_NEAREST: Final = """
SELECT passage_id, -(embedding::halfvec({dimensions}) <#> %(asked)s::halfvec({dimensions}))
FROM passage_vectors WHERE model_id = {model} AND site_id = %(site)s AND {condition}
"""
_IN_ORDER: Final = """
ORDER BY embedding::halfvec({dimensions}) <#> %(asked)s::halfvec({dimensions}) LIMIT %(most)s
"""
_OF_PAGES: Final = "passage_id IN (SELECT id FROM passages WHERE page_id = ANY(%(pages)s))"


class EmbeddingModel(NamedTuple):
    """A model that vectors were made by."""

    id: int
    name: str
    dimensions: int


def site_vectors(
    connection: Connection, site_id: int, model_id: int
) -> tuple[list[int], list[int], bytes]:
    """The passages that have vectors of the model, their pages, and the vectors in a row."""
    rows = connection.execute(
        select(t.passage_vectors.c.passage_id, t.passages.c.page_id, t.passage_vectors.c.vector)
        .join_from(t.passage_vectors, t.passages, t.passages.c.id == t.passage_vectors.c.passage_id)
        .where(t.passage_vectors.c.site_id == site_id, t.passage_vectors.c.model_id == model_id)
        .order_by(t.passage_vectors.c.passage_id)
    ).all()
    return [row[0] for row in rows], [row[1] for row in rows], b"".join(row[2] for row in rows)


def vectors_version(connection: Connection, site_id: int) -> int:
    """Changes whenever a vector of the site is added or removed."""
    version = select(t.vector_versions.c.version).where(t.vector_versions.c.site_id == site_id)
    return int(connection.scalar(version) or 0)


def site_models(connection: Connection, site_id: int) -> list[EmbeddingModel]:
    """The models that embedded passages of the site."""
    used = select(t.passage_vectors.c.model_id).where(t.passage_vectors.c.site_id == site_id)
    rows = connection.execute(
        select(t.embedding_models).where(t.embedding_models.c.id.in_(used.distinct()))
    )
    return [EmbeddingModel(row.id, row.name, row.dimensions) for row in rows]


# --- pgvector -------------------------------------------------------------------------------------


def has_vector_index(connection: Connection, model_id: int) -> bool:
    """Whether the database compares vectors of this model itself."""
    if connection.dialect.name != "postgresql":
        return False
    found = text("SELECT to_regclass(:name)")
    return connection.scalar(found, {"name": f"ix_passage_vectors_hnsw_{model_id}"}) is not None


def index_vectors(connection: Connection, model: EmbeddingModel) -> None:
    """PostgreSQL with pgvector: let the database compare the vectors of the model."""
    if not _has_pgvector(connection):
        return
    connection.exec_driver_sql(_ADD_COLUMN)
    missing = (
        "SELECT passage_id, vector FROM passage_vectors"
        " WHERE model_id = %s AND embedding IS NULL ORDER BY passage_id LIMIT %s"
    )
    while rows := connection.exec_driver_sql(missing, (model.id, _ROWS_AT_ONCE)).all():
        numbers = [row.passage_id for row in rows]
        values = [_vector_text(bytes(row.vector)) for row in rows]
        connection.exec_driver_sql(_FILL, (numbers, values, model.id))
    names = {"model": model.id, "dimensions": model.dimensions}
    connection.exec_driver_sql(_ADD_INDEX.format(**names))


def nearest_passages(
    connection: Connection,
    site_id: int,
    model: EmbeddingModel,
    vector: Sequence[float],
    most: int,
    also: Sequence[int],
    pages: Collection[int] | None,
) -> dict[int, float]:
    """The passages nearest to the vector, and those of *also*, with their cosines."""
    names = {"model": model.id, "dimensions": model.dimensions}
    values = {"asked": f"[{','.join(map(repr, vector))}]", "site": site_id, "most": most}
    condition = "TRUE"
    if pages is not None:
        condition = _OF_PAGES
        values["pages"] = list(pages)
    ef_search = min(2 * most, _MAX_EF_SEARCH)
    connection.exec_driver_sql(f"SET LOCAL hnsw.ef_search = {ef_search}")
    # Passages of other sites and pages are in the same graph: the search goes on behind them.
    connection.exec_driver_sql("SET LOCAL hnsw.iterative_scan = relaxed_order")
    nearest = (_NEAREST + _IN_ORDER).format(**names, condition=condition)
    found = {row[0]: float(row[1]) for row in connection.exec_driver_sql(nearest, values)}
    if more := [number for number in also if number not in found]:
        given = _NEAREST.format(**names, condition=f"passage_id = ANY(%(also)s) AND {condition}")
        rows = connection.exec_driver_sql(given, {**values, "also": more})
        found |= {row[0]: float(row[1]) for row in rows}
    return found


def _has_pgvector(connection: Connection) -> bool:
    """Whether the extension is there, or can be made to be."""
    if connection.dialect.name != "postgresql":
        return False
    if connection.scalar(text("SELECT 1 FROM pg_extension WHERE extname = 'vector'")):
        return True
    if not connection.scalar(text("SELECT 1 FROM pg_available_extensions WHERE name = 'vector'")):
        return False
    try:
        with connection.begin_nested():
            connection.execute(text("CREATE EXTENSION IF NOT EXISTS vector"))
    except exc.ProgrammingError:
        return False  # only the owner of the database may
    return True


def _vector_text(packed: bytes) -> str:
    return f"[{','.join(repr(value) for (value,) in iter_unpack('<e', packed))}]"
