"""Reads the documents of a scan: their fetches, evidence and bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import Select, or_, select

from sitecrawl.items import DocumentKind, FetchOutcome
from sitecrawl.store import tables as t
from sitecrawl.store.bodies import unpack_body
from sitecrawl.store.document_facts import Document, EvidenceFact, Fetch

if TYPE_CHECKING:
    from sitecrawl.store.engine import Database

_DOCUMENTS = select(
    *(c for c in t.documents.c if c.name not in {"site_id", "content_fingerprint"}),
)

_FETCHES = select(
    t.fetches.c.document_id,
    t.documents.c.url,
    t.documents.c.kind,
    *(c for c in t.fetches.c if c.name not in {"id", "document_id"}),
).join_from(t.fetches, t.documents)


def documents(database: Database, scan_id: int) -> list[Document]:
    """The documents that the scan fetched, in that order, whatever came of it."""
    fetched = select(t.fetches.c.document_id).where(t.fetches.c.scan_id == scan_id)
    statement = _DOCUMENTS.where(t.documents.c.id.in_(fetched)).order_by(t.documents.c.id)
    with database.reading() as connection:
        return [Document(**row._asdict()) for row in connection.execute(statement).all()]


def fetches(database: Database, scan_id: int) -> list[Fetch]:
    return _fetches(database, _FETCHES.where(t.fetches.c.scan_id == scan_id))


def doubtful_fetches(database: Database, scan_id: int) -> list[Fetch]:
    """The documents that the scan could not read to the end: what they list may be missing."""
    read = [
        FetchOutcome.OK,
        FetchOutcome.NOT_MODIFIED,
        FetchOutcome.FRESH,
        FetchOutcome.NOT_FOUND,
        FetchOutcome.REDIRECTED,
    ]
    is_doubtful = or_(
        t.fetches.c.outcome.not_in(read),
        t.fetches.c.truncated,
        (t.fetches.c.outcome == FetchOutcome.OK) & ~t.fetches.c.complete,
    )
    return _fetches(
        database,
        _FETCHES.where(
            t.fetches.c.scan_id == scan_id,
            # What answers for an address that was made up lists nothing.
            t.documents.c.kind != DocumentKind.PROBE,
            is_doubtful,
        ),
    )


def unread_documents(database: Database, scan_id: int) -> list[str]:
    """Documents that others name in the scan, but that it did not fetch."""
    fetched = select(t.fetches.c.document_id).where(t.fetches.c.scan_id == scan_id)
    named = select(t.document_links.c.child_id).where(t.document_links.c.scan_id == scan_id)
    statement = (
        select(t.documents.c.url)
        .where(t.documents.c.id.in_(named), t.documents.c.id.not_in(fetched))
        .order_by(t.documents.c.id)
    )
    with database.reading() as connection:
        return list(connection.scalars(statement))


def _fetches(database: Database, statement: Select[Any]) -> list[Fetch]:
    with database.reading() as connection:
        rows = connection.execute(statement.order_by(t.fetches.c.id)).all()
    return [Fetch(**row._asdict()) for row in rows]


def evidence(database: Database, scan_id: int, type_: str | None = None) -> list[EvidenceFact]:
    statement = (
        select(
            t.evidence.c.type,
            t.evidence.c.content,
            t.evidence.c["metadata"],
            t.evidence.c.confidence,
            t.evidence.c.created_at,
            t.documents.c.url.label("document_url"),
        )
        .outerjoin_from(t.evidence, t.documents)
        .where(t.evidence.c.scan_id == scan_id)
        .order_by(t.evidence.c.id)
    )
    if type_ is not None:
        statement = statement.where(t.evidence.c.type == type_)
    with database.reading() as connection:
        return [EvidenceFact(**row._asdict()) for row in connection.execute(statement).all()]


def blob(database: Database, sha256: str) -> bytes | None:
    """The raw bytes with this hash, if they were kept."""
    statement = select(t.blobs.c.encoding, t.blobs.c.content).where(t.blobs.c.sha256 == sha256)
    with database.reading() as connection:
        row = connection.execute(statement).first()
    return unpack_body(row.encoding, row.content) if row else None
