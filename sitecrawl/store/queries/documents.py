"""Reads the documents of a scan: their fetches, evidence and bodies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import Select, case, func, or_, select

from sitecrawl.items import CHECK, DocumentKind, FetchOutcome
from sitecrawl.store import schema as t

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from sqlalchemy.engine import Connection

    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.scans import Scan

_IDS_AT_ONCE = 10_000

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
            # Nor is anything listed by what is only checked.
            t.documents.c.found_by != CHECK,
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


@dataclass(frozen=True, slots=True)
class Document:
    id: int
    url: str
    kind: str
    format: str | None
    parent_id: int | None
    depth: int
    found_by: str
    first_scan_id: int
    last_scan_id: int | None
    content_scan_id: int | None
    gone_scan_id: int | None
    etag: str | None
    last_modified: str | None
    sha256: str | None
    entries: int | None
    policies: dict[str, str] | None
    listed: int | None


@dataclass(frozen=True, slots=True)
class Fetch:
    document_id: int
    url: str
    kind: str
    scan_id: int
    outcome: str
    status: int | None
    error: str | None
    content_type: str | None
    received_bytes: int
    decompressed_bytes: int
    elapsed_ms: int
    fetched_at: datetime
    fresh_until: datetime | None
    final_url: str | None
    redirects: list[str]
    directives: list[str]
    sha256: str | None
    format: str | None
    entries: int
    findings: list[Any]
    truncated: bool
    complete: bool


@dataclass(frozen=True, slots=True)
class EvidenceFact:
    type: str
    content: str
    metadata: dict[str, Any]
    confidence: float
    created_at: datetime
    document_url: str | None


READ_OUTCOMES = [FetchOutcome.OK, FetchOutcome.REDIRECTED, FetchOutcome.NOT_MODIFIED]
# What a document listed in an earlier scan does not count when it could not be read in this one.
_LISTED = case(
    (t.fetches.c.outcome.in_(READ_OUTCOMES), func.coalesce(t.documents.c.listed, 0)), else_=0
)


class DocumentFetch(NamedTuple):
    """A fetch of a document in the scan."""

    url: str
    format: str | None
    outcome: str
    status: int | None
    fetched_at: datetime
    entries: int
    listed: int
    """Pages that it was the first to list."""
    received_bytes: int
    findings: list[dict[str, Any]]
    truncated: bool
    found_by: str
    is_named: bool
    """Whether another document names it; otherwise it was looked for where one usually is."""


def document_fetches(database: Database, scan: Scan, kind: DocumentKind) -> list[DocumentFetch]:
    """The documents of one kind in the order in which they were fetched."""
    statement = (
        select(
            t.documents.c.url,
            func.coalesce(t.fetches.c.format, t.documents.c.format),
            t.fetches.c.outcome,
            t.fetches.c.status,
            t.fetches.c.fetched_at,
            # One that has not changed is not read again.
            func.coalesce(func.nullif(t.fetches.c.entries, 0), t.documents.c.entries, 0),
            _LISTED,
            t.fetches.c.received_bytes,
            t.fetches.c.findings,
            t.fetches.c.truncated,
            t.documents.c.found_by,
            t.documents.c.parent_id.is_not(None),
        )
        .join_from(t.fetches, t.documents, t.documents.c.id == t.fetches.c.document_id)
        .where(t.fetches.c.scan_id == scan.id, t.documents.c.kind == kind)
        .order_by(t.fetches.c.id)
    )
    with database.reading() as connection:
        return [DocumentFetch._make(row) for row in connection.execute(statement)]


def new_pages_by_request(database: Database, scan: Scan) -> list[int]:
    """How many pages each document of the scan was the first to list, in the order of fetches."""
    statement = (
        select(_LISTED)
        .join_from(t.fetches, t.documents, t.documents.c.id == t.fetches.c.document_id)
        .where(
            t.fetches.c.scan_id == scan.id,
            t.documents.c.kind.in_([DocumentKind.SITEMAP, DocumentKind.PAGE]),
            t.documents.c.found_by != CHECK,
        )
        .order_by(t.fetches.c.id)
    )
    with database.reading() as connection:
        return list(connection.scalars(statement))


def document_urls(connection: Connection, ids: Iterable[int]) -> dict[int, str]:
    """By number."""
    found: dict[int, str] = {}
    # Databases limit the number of values of a statement.
    in_order = sorted(ids)
    for first in range(0, len(in_order), _IDS_AT_ONCE):
        some = in_order[first : first + _IDS_AT_ONCE]
        statement = select(t.documents.c.id, t.documents.c.url).where(t.documents.c.id.in_(some))
        found |= {row.id: row.url for row in connection.execute(statement)}
    return found


def unread_sitemaps(database: Database, scan: Scan) -> int:
    """Sitemaps that were asked for and may be there, but could not be read to their end."""
    is_unread = t.fetches.c.outcome.not_in(
        [*READ_OUTCOMES, FetchOutcome.NOT_FOUND, FetchOutcome.FRESH]
    )
    is_cut = t.fetches.c.truncated | (
        (t.fetches.c.outcome == FetchOutcome.OK) & ~t.fetches.c.complete
    )
    statement = (
        select(func.count(func.distinct(t.documents.c.id)))
        .join_from(t.fetches, t.documents, t.documents.c.id == t.fetches.c.document_id)
        .where(
            t.fetches.c.scan_id == scan.id,
            t.documents.c.kind == DocumentKind.SITEMAP,
            is_unread | is_cut,
        )
    )
    with database.reading() as connection:
        return connection.scalar(statement) or 0


def number_of_scans(database: Database, site_id: int) -> int:
    """Without those that were pruned."""
    is_left = (t.scans.c.site_id == site_id) & t.scans.c.pruned_at.is_(None)
    statement = select(func.count()).select_from(t.scans).where(is_left)
    with database.reading() as connection:
        return connection.scalar(statement) or 0
