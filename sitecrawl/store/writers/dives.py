"""Writes dives: contents of pages, passages, vectors, the index of their words; conversations."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import and_, bindparam, delete, exists, func, insert, not_, select, text, update

from sitecrawl.store import schema as t
from sitecrawl.store.queries.vectors import EmbeddingModel
from sitecrawl.store.vocabulary import DiveStatus

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlalchemy.engine import Connection


_IDS_AT_ONCE: Final = 500
# It reads the texts from their own table. The driver's SQLite is too old for an index that can
# forget a text without being given it again.
_CREATE_SQLITE_INDEX: Final = """
CREATE VIRTUAL TABLE IF NOT EXISTS passage_search USING fts5(
    headings, text, content='passages', content_rowid='id',
    tokenize="porter unicode61 remove_diacritics 2")
"""
_INDEX_PASSAGES: Final = """
INSERT INTO passage_search (rowid, headings, text)
SELECT id, headings, text FROM passages WHERE page_id = :page AND NOT is_repeated
"""
_FORGET_PASSAGES: Final = """
INSERT INTO passage_search (passage_search, rowid, headings, text)
SELECT 'delete', id, headings, text FROM passages WHERE page_id = :page AND NOT is_repeated
"""


@dataclass(frozen=True, slots=True)
class NewPassage:
    """A passage of a page that was read."""

    position: int
    headings: Sequence[str]
    text: str
    tokens: int
    language: str
    text_hash: str
    file_page: int | None = None
    """Of a PDF file or of slides."""


@dataclass(frozen=True, slots=True)
class NewContent:
    """What a page said when it was read."""

    page_id: int
    body_sha256: str
    reader: str
    title: str
    author: str
    published: str
    language: str
    passages: Sequence[NewPassage]
    format: str = "html"
    problem: str | None = None
    """Why a file was not read."""


def add_dive(
    connection: Connection, site_id: int, wanted: Mapping[str, Any], job_id: int | None = None
) -> int:
    """The number of a new dive, which the job runs; without one it runs already.

    One of a command that was killed is told as such now. If it runs nevertheless, beside this one,
    it says itself how it ends.
    """
    if job_id is None:
        is_left = (
            t.dives.c.site_id == site_id,
            t.dives.c.job_id.is_(None),
            t.dives.c.status == DiveStatus.RUNNING,
        )
        values = {"status": DiveStatus.FAILED, "reason": "its process was killed"}
        connection.execute(
            update(t.dives).where(*is_left).values(**values, finished_at=datetime.now(UTC))
        )
    added = insert(t.dives).values(
        site_id=site_id,
        wanted=dict(wanted),
        job_id=job_id,
        status=DiveStatus.RUNNING if job_id is None else DiveStatus.QUEUED,
        counts={},
        started_at=datetime.now(UTC),
    )
    return int(connection.execute(added.returning(t.dives.c.id)).scalar_one())


def begin_dive(connection: Connection, dive_id: int) -> None:
    """Note that a queued dive runs now."""
    values = {"status": DiveStatus.RUNNING, "started_at": datetime.now(UTC), "reason": None}
    connection.execute(
        update(t.dives).where(t.dives.c.id == dive_id).values(**values, finished_at=None)
    )


def note_counts(connection: Connection, dive_id: int, counts: Mapping[str, int]) -> None:
    connection.execute(update(t.dives).where(t.dives.c.id == dive_id).values(counts=dict(counts)))


def move_dive(connection: Connection, old_job: int, new_job: int) -> None:
    """Let another job try the dive of a job again."""
    values = {"job_id": new_job, "status": DiveStatus.QUEUED}
    connection.execute(update(t.dives).where(t.dives.c.job_id == old_job).values(values))


def end_dive(
    connection: Connection,
    dive_id: int,
    status: DiveStatus,
    counts: Mapping[str, int],
    reason: str | None = None,
    scan_id: int | None = None,
) -> None:
    values = {"status": status, "counts": dict(counts), "reason": reason, "scan_id": scan_id}
    connection.execute(delete(t.dive_pages).where(t.dive_pages.c.dive_id == dive_id))
    connection.execute(
        update(t.dives)
        .where(t.dives.c.id == dive_id)
        .values(**values, finished_at=datetime.now(UTC))
    )


def abandon_dive(connection: Connection, job_id: int, status: DiveStatus, reason: str) -> None:
    """Note that the dive of a job has ended, if it has not said so itself."""
    is_active = t.dives.c.status.in_((DiveStatus.QUEUED, DiveStatus.RUNNING))
    connection.execute(
        update(t.dives)
        .where(t.dives.c.job_id == job_id, is_active)
        .values(status=status, reason=reason, finished_at=datetime.now(UTC))
    )


def choose_pages(
    connection: Connection, dive_id: int, page_ids: Sequence[int], oldest: datetime
) -> int:
    """Note the pages without a body that was kept since then; the number of those."""
    chosen = 0
    for start in range(0, len(page_ids), _IDS_AT_ONCE):
        ids = page_ids[start : start + _IDS_AT_ONCE]
        fresh = set(
            connection.scalars(
                select(t.visits.c.page_id)
                .join_from(t.visits, t.documents, t.documents.c.id == t.visits.c.document_id)
                .join(t.blobs, t.blobs.c.sha256 == t.documents.c.sha256)
                .join(t.scans, t.scans.c.id == t.visits.c.scan_id)
                .where(t.visits.c.page_id.in_(ids), t.scans.c.started_at >= oldest)
            )
        )
        rows = [{"dive_id": dive_id, "page_id": each} for each in ids if each not in fresh]
        if rows:
            connection.execute(insert(t.dive_pages), rows)
        chosen += len(rows)
    return chosen


def put_content(connection: Connection, site_id: int, dive_id: int, content: NewContent) -> None:
    """Replace what is stored of the page; vectors of passages that stay the same are kept."""
    ensure_word_index(connection)
    kept = _vectors_by_text(connection, content.page_id)
    remove_contents(connection, [content.page_id])
    connection.execute(
        insert(t.page_contents).values(
            page_id=content.page_id,
            site_id=site_id,
            dive_id=dive_id,
            body_sha256=content.body_sha256,
            reader=content.reader,
            format=content.format,
            problem=content.problem,
            title=content.title,
            author=content.author,
            published=content.published,
            language=content.language,
            passages=len(content.passages),
        )
    )
    seen: set[str] = set()
    for passage in content.passages:
        _put_passage(connection, site_id, content.page_id, passage, seen, kept)
    if connection.dialect.name == "sqlite":
        connection.execute(text(_INDEX_PASSAGES), {"page": content.page_id})


def _put_passage(
    connection: Connection,
    site_id: int,
    page_id: int,
    passage: NewPassage,
    seen: set[str],
    kept: Mapping[str, Sequence[tuple[int, bytes]]],
) -> None:
    is_repeated = passage.text_hash in seen or _has_text(connection, site_id, passage.text_hash)
    seen.add(passage.text_hash)
    statement = insert(t.passages).values(
        site_id=site_id,
        page_id=page_id,
        position=passage.position,
        headings="\n".join(passage.headings),
        text=passage.text,
        tokens=passage.tokens,
        language=passage.language,
        text_hash=passage.text_hash,
        file_page=passage.file_page,
        is_repeated=is_repeated,
    )
    number = connection.execute(statement.returning(t.passages.c.id)).scalar_one()
    if not is_repeated:
        put_vectors(
            connection,
            site_id,
            [(model, number, vector) for model, vector in kept.get(passage.text_hash, ())],
        )


def put_vectors(
    connection: Connection, site_id: int, vectors: Iterable[tuple[int, int, bytes]]
) -> None:
    """Vectors as model, passage and the bytes of 16-bit floats."""
    rows = [
        {"model_id": model, "passage_id": passage, "site_id": site_id, "vector": vector}
        for model, passage, vector in vectors
    ]
    if rows:
        connection.execute(insert(t.passage_vectors), rows)
        _renew_version(connection, site_id)


def known_model(connection: Connection, name: str, dimensions: int) -> EmbeddingModel:
    """The model of this name, which gets its number when it is first used.

    Its vectors have the dimensions that it had then.
    """
    known = select(t.embedding_models).where(t.embedding_models.c.name == name)
    row = connection.execute(known).one_or_none()
    if row is None:
        new = insert(t.embedding_models).values(name=name, dimensions=dimensions)
        row = connection.execute(new.returning(t.embedding_models)).one()
    return EmbeddingModel(row.id, name, row.dimensions)


def remove_contents(connection: Connection, page_ids: Sequence[int]) -> None:
    """Forget what these pages say; of texts that others repeat, another passage takes the place."""
    for page_id in page_ids:
        own = t.passages.c.page_id == page_id
        lost = connection.scalars(
            select(t.passages.c.text_hash).where(own, not_(t.passages.c.is_repeated))
        ).all()
        site_id = connection.scalar(select(t.passages.c.site_id).where(own).limit(1))
        if connection.dialect.name == "sqlite":
            connection.execute(text(_FORGET_PASSAGES), {"page": page_id})
        connection.execute(
            delete(t.passage_vectors).where(
                t.passage_vectors.c.passage_id.in_(select(t.passages.c.id).where(own))
            )
        )
        connection.execute(delete(t.passages).where(own))
        connection.execute(delete(t.page_contents).where(t.page_contents.c.page_id == page_id))
        if site_id is not None:
            _renew_version(connection, site_id)
        for text_hash in lost:
            _promote(connection, int(site_id or 0), text_hash)


def remove_unlisted(connection: Connection, site_id: int, listed: Iterable[int]) -> int:
    """Forget pages of the site that are not among these; the number of those that went."""
    known = set(
        connection.scalars(
            select(t.page_contents.c.page_id).where(t.page_contents.c.site_id == site_id)
        )
    )
    gone = sorted(known.difference(listed))
    remove_contents(connection, gone)
    return len(gone)


def ensure_word_index(connection: Connection) -> None:
    """SQLite's index of words; PostgreSQL's is made by the search for each language."""
    if connection.dialect.name == "sqlite":
        connection.execute(text(_CREATE_SQLITE_INDEX))


def _renew_version(connection: Connection, site_id: int) -> None:
    own = t.vector_versions.c.site_id == site_id
    counted = update(t.vector_versions).where(own).values(version=t.vector_versions.c.version + 1)
    if connection.execute(counted).rowcount == 0:
        connection.execute(insert(t.vector_versions).values(site_id=site_id, version=1))


def _promote(connection: Connection, site_id: int, text_hash: str) -> None:
    """Let the first passage that repeats a text stand for it."""
    same = and_(t.passages.c.site_id == site_id, t.passages.c.text_hash == text_hash)
    number = connection.scalar(select(func.min(t.passages.c.id)).where(same))
    if number is None:
        return
    connection.execute(
        update(t.passages).where(t.passages.c.id == number).values(is_repeated=False)
    )
    if connection.dialect.name == "sqlite":
        connection.execute(
            text(
                "INSERT INTO passage_search (rowid, headings, text)"
                " SELECT id, headings, text FROM passages WHERE id = :number"
            ),
            {"number": number},
        )


def _has_text(connection: Connection, site_id: int, text_hash: str) -> bool:
    found = exists().where(
        t.passages.c.site_id == site_id,
        t.passages.c.text_hash == text_hash,
        not_(t.passages.c.is_repeated),
    )
    return bool(connection.scalar(select(found)))


def _vectors_by_text(connection: Connection, page_id: int) -> dict[str, list[tuple[int, bytes]]]:
    rows = connection.execute(
        select(t.passages.c.text_hash, t.passage_vectors.c.model_id, t.passage_vectors.c.vector)
        .join_from(t.passages, t.passage_vectors, t.passages.c.id == t.passage_vectors.c.passage_id)
        .where(t.passages.c.page_id == bindparam("page")),
        {"page": page_id},
    )
    found: dict[str, list[tuple[int, bytes]]] = {}
    for text_hash, model, vector in rows:
        found.setdefault(text_hash, []).append((model, vector))
    return found


_MAX_TITLE_CHARACTERS: Final = 120


@dataclass(frozen=True, slots=True)
class NewTurn:
    question: str
    answer: str
    kind: str
    model: str | None
    citations: Sequence[dict[str, Any]]
    unsupported: Sequence[dict[str, Any]]
    prompt_tokens: int
    answer_tokens: int


def begin_conversation(
    connection: Connection, site_id: int, user_id: int | None, question: str
) -> int:
    statement = insert(t.conversations).values(
        site_id=site_id,
        user_id=user_id,
        title=question[:_MAX_TITLE_CHARACTERS],
        created_at=datetime.now(UTC),
    )
    return int(connection.execute(statement.returning(t.conversations.c.id)).scalar_one())


def add_turn(connection: Connection, conversation_id: int, turn: NewTurn) -> int:
    statement = insert(t.conversation_turns).values(
        conversation_id=conversation_id, asked_at=datetime.now(UTC), **asdict(turn)
    )
    return int(connection.execute(statement.returning(t.conversation_turns.c.id)).scalar_one())


def add_gap(connection: Connection, site_id: int, question: str, key: str) -> None:
    """Count a question that the site does not answer."""
    now = datetime.now(UTC)
    again = (
        update(t.content_gaps)
        .where(t.content_gaps.c.site_id == site_id, t.content_gaps.c.key == key)
        .values(asked=t.content_gaps.c.asked + 1, last_asked_at=now)
    )
    if connection.execute(again).rowcount == 0:
        connection.execute(
            insert(t.content_gaps).values(
                site_id=site_id, question=question, key=key, asked=1, last_asked_at=now
            )
        )


@dataclass(frozen=True, slots=True)
class NewTopic:
    name: str
    pages: Sequence[tuple[int, float, float]]
    """Page, x and y."""


def replace_topics(
    connection: Connection,
    site_id: int,
    topics: Sequence[NewTopic],
    competing: Sequence[tuple[int, int, float, str]],
) -> None:
    """Store what the last dive has found in the place of what an earlier one has."""
    for table in (t.page_topics, t.topics, t.competing_pages):
        connection.execute(delete(table).where(table.c.site_id == site_id))
    for topic in topics:
        new = insert(t.topics).values(site_id=site_id, name=topic.name, pages=len(topic.pages))
        number = connection.execute(new.returning(t.topics.c.id)).scalar_one()
        rows = [
            {"page_id": page, "site_id": site_id, "topic_id": number, "x": x, "y": y}
            for page, x, y in topic.pages
        ]
        connection.execute(insert(t.page_topics), rows)
    if competing:
        names = ("page_id", "other_id", "cosine", "words")
        pairs = [{"site_id": site_id, **dict(zip(names, each, strict=True))} for each in competing]
        connection.execute(insert(t.competing_pages), pairs)
