"""Reads passages: those without vectors, and those that hold words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import and_, func, not_, select, text

from sitecrawl.store import schema as t

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy.engine import Connection

# Weights of the columns: headings say in few words what a passage is about.
_SQLITE_SEARCH: Final = """
SELECT passages.id, -bm25(passage_search, 2.0, 1.0) AS score
FROM passage_search JOIN passages ON passages.id = passage_search.rowid
WHERE passage_search MATCH :query AND passages.site_id = :site
ORDER BY score DESC LIMIT :limit
"""
_POSTGRES_SEARCH: Final = """
SELECT id, ts_rank(words_{config}, asked, 1) AS score
FROM passages, to_tsquery('{config}', :query) AS asked
WHERE site_id = :site AND NOT is_repeated AND words_{config} @@ asked
ORDER BY score DESC, id LIMIT :limit
"""
# In which share of the passages each word stands, as the last ANALYZE has counted it; 0: in few.
# The array of shares ends with the lowest and the highest of them.
_POSTGRES_SHARES: Final = """
SELECT asked.word, coalesce(max(known.share), 0)
FROM unnest(CAST(:words AS text[])) AS asked (word) LEFT JOIN (
    SELECT lexeme, share
    FROM pg_stats, unnest(most_common_elems::text::text[], most_common_elem_freqs)
        AS common (lexeme, share)
    WHERE schemaname = current_schema() AND tablename = 'passages' AND attname = :column
) AS known ON known.lexeme = ANY (tsvector_to_array(to_tsvector(:config, asked.word)))
GROUP BY asked.word
"""
# To rank this many passages takes PostgreSQL about 10 ms.
_MOST_RANKED: Final = 5_000
# The words are stored beside the text: to find them anew in every passage that matches takes
# seconds where thousands do.
_POSTGRES_WORDS: Final = """
ALTER TABLE passages ADD COLUMN IF NOT EXISTS words_{config} tsvector
GENERATED ALWAYS AS (to_tsvector('{config}'::regconfig, headings || ' ' || text)) STORED
"""
_POSTGRES_INDEX: Final = (
    "CREATE INDEX IF NOT EXISTS ix_passages_words_{config} ON passages USING gin (words_{config})"
)
# The configurations that every PostgreSQL has.
_POSTGRES_LANGUAGES: Final = {
    "ar": "arabic",
    "da": "danish",
    "de": "german",
    "en": "english",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "hu": "hungarian",
    "it": "italian",
    "nl": "dutch",
    "no": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sv": "swedish",
    "tr": "turkish",
}


@dataclass(frozen=True, slots=True)
class StoredPassage:
    """A passage with the page that it stands on."""

    id: int
    page_id: int
    position: int
    headings: tuple[str, ...]
    text: str
    tokens: int
    language: str
    url: str
    title: str
    published: str
    format: str = "html"
    """Of the page: html, pdf, docx, ..."""
    file_page: int | None = None
    """Of a PDF file or of slides."""


@dataclass(frozen=True, slots=True)
class UnembeddedPassage:
    id: int
    title: str
    headings: tuple[str, ...]
    text: str


def passages_by_id(connection: Connection, numbers: Sequence[int]) -> dict[int, StoredPassage]:
    rows = connection.execute(_PASSAGES.where(t.passages.c.id.in_(list(numbers))))
    return {row.id: _stored(row) for row in rows}


def passage_places(connection: Connection, numbers: Sequence[int]) -> dict[int, tuple[int, str]]:
    """The page and the language of each passage."""
    columns = (t.passages.c.id, t.passages.c.page_id, t.passages.c.language)
    rows = connection.execute(select(*columns).where(t.passages.c.id.in_(list(numbers))))
    return {row.id: (row.page_id, row.language) for row in rows}


_PASSAGES = (
    select(
        t.passages.c.id,
        t.passages.c.page_id,
        t.passages.c.position,
        t.passages.c.headings,
        t.passages.c.text,
        t.passages.c.tokens,
        t.passages.c.language,
        t.pages.c.url,
        t.page_contents.c.title,
        t.page_contents.c.published,
        t.page_contents.c.format,
        t.passages.c.file_page,
    )
    .join_from(t.passages, t.page_contents, t.page_contents.c.page_id == t.passages.c.page_id)
    .join(t.pages, t.pages.c.id == t.passages.c.page_id)
)


def _stored(row: Any) -> StoredPassage:
    headings = tuple(row.headings.split("\n")) if row.headings else ()
    return StoredPassage(**row._asdict() | {"headings": headings})


def unembedded(
    connection: Connection, site_id: int, model_id: int, languages: Sequence[str]
) -> list[UnembeddedPassage]:
    """Passages in these languages that have no vector of the model yet."""
    has_vector = (
        select(t.passage_vectors.c.passage_id)
        .where(
            t.passage_vectors.c.passage_id == t.passages.c.id,
            t.passage_vectors.c.model_id == model_id,
        )
        .exists()
    )
    rows = connection.execute(
        select(
            t.passages.c.id,
            t.page_contents.c.title,
            t.passages.c.headings,
            t.passages.c.text,
        )
        .join_from(t.passages, t.page_contents, t.page_contents.c.page_id == t.passages.c.page_id)
        .where(
            t.passages.c.site_id == site_id,
            t.passages.c.language.in_(list(languages)),
            not_(t.passages.c.is_repeated),
            not_(has_vector),
        )
        .order_by(t.passages.c.id)
    )
    return [
        UnembeddedPassage(
            row.id, row.title, tuple(row.headings.split("\n")) if row.headings else (), row.text
        )
        for row in rows
    ]


def passage_languages(connection: Connection, site_id: int) -> dict[str, int]:
    """How many passages there are of each language, the most first."""
    counted = func.count().label("number")
    rows = connection.execute(
        select(t.passages.c.language, counted)
        .where(t.passages.c.site_id == site_id, not_(t.passages.c.is_repeated))
        .group_by(t.passages.c.language)
        .order_by(counted.desc())
    )
    return {row.language: row.number for row in rows}


def search_words(
    connection: Connection,
    site_id: int,
    words: Sequence[str],
    language: str,
    limit: int,
    passages: int = 0,
) -> list[tuple[int, float]]:
    """Passages with any of these words, the best first, with the score of the database.

    *passages*: how many the site has. Of a large one PostgreSQL matches the rarer words only.
    """
    if connection.dialect.name == "sqlite":
        if not _has_index(connection):
            return []
        query = " OR ".join(f'"{word}"' for word in words)
        statement = _SQLITE_SEARCH
    else:
        config = _POSTGRES_LANGUAGES.get(language.partition("-")[0], "simple")
        if passages > _MOST_RANKED:
            words = _rarer_words(connection, words, config, _MOST_RANKED / passages)
        query = " | ".join(f"'{word}'" for word in words)
        statement = _POSTGRES_SEARCH.format(config=config)
    if not words:
        return []
    rows = connection.execute(text(statement), {"query": query, "site": site_id, "limit": limit})
    return [(int(row[0]), float(row[1])) for row in rows]


def _rarer_words(
    connection: Connection, words: Sequence[str], config: str, most: float
) -> list[str]:
    """The rarest of the words, as many as stand in no more than this share of the passages.

    PostgreSQL ranks every passage that has any of the words, and does not weigh rare words higher:
    the common ones take most of the time and tell passages apart the least.
    """
    values = {"words": list(words), "column": f"words_{config}", "config": config}
    rows = connection.execute(text(_POSTGRES_SHARES), values)
    shares = {str(row[0]): float(row[1]) for row in rows}
    chosen, together = [], 0.0
    for word in sorted(words, key=shares.__getitem__):
        together += shares[word]
        if together > most:
            break
        chosen.append(word)
    return chosen


def ensure_words_indexed(connection: Connection, languages: Sequence[str]) -> None:
    """PostgreSQL: the words of passages with an index, for each of the languages."""
    if connection.dialect.name != "postgresql":
        return
    configs = {_POSTGRES_LANGUAGES.get(each.partition("-")[0], "simple") for each in languages}
    for config in sorted(configs):
        for statement in (_POSTGRES_WORDS, _POSTGRES_INDEX):
            # A colon that is none of a parameter.
            connection.exec_driver_sql(statement.format(config=config))
        known = text("SELECT 1 FROM pg_stats WHERE tablename = 'passages' AND attname = :column")
        if not connection.scalar(known, {"column": f"words_{config}"}):
            # Later on autovacuum counts anew how often each word is used.
            connection.exec_driver_sql("ANALYZE passages")


def _has_index(connection: Connection) -> bool:
    found = text("SELECT 1 FROM sqlite_master WHERE name = 'passage_search'")
    return connection.scalar(found) is not None


def known_contents(connection: Connection, site_id: int) -> dict[int, tuple[str, str, str]]:
    """Which body each page was last read from, in which format it was, and by which reader."""
    names = ("page_id", "body_sha256", "format", "reader")
    columns = [t.page_contents.c[name] for name in names]
    rows = connection.execute(select(*columns).where(t.page_contents.c.site_id == site_id))
    return {row.page_id: (row.body_sha256, row.format, row.reader) for row in rows}


def kept_page_bodies(
    connection: Connection, page_ids: Sequence[int]
) -> Iterator[tuple[int, str, str, str, bytes]]:
    """Page, URL, hash, encoding and content of the newest kept body of each page."""
    newest = (
        select(t.visits.c.page_id, func.max(t.visits.c.id).label("visit_id"))
        .join_from(
            t.visits,
            t.documents,
            and_(t.documents.c.id == t.visits.c.document_id, t.documents.c.sha256.is_not(None)),
        )
        .where(t.visits.c.page_id.in_(list(page_ids)))
        .group_by(t.visits.c.page_id)
        .subquery()
    )
    rows = connection.execute(
        select(
            newest.c.page_id,
            t.documents.c.url,
            t.blobs.c.sha256,
            t.blobs.c.encoding,
            t.blobs.c.content,
        )
        .join_from(newest, t.visits, t.visits.c.id == newest.c.visit_id)
        .join(t.documents, t.documents.c.id == t.visits.c.document_id)
        .join(t.blobs, t.blobs.c.sha256 == t.documents.c.sha256)
    )
    for row in rows:
        yield row.page_id, row.url, row.sha256, row.encoding, row.content
