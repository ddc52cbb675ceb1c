"""Reads sites, scans, documents, fetches, evidence and bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import Select, case, or_, select

from sitecrawl.items import DocumentKind, FetchOutcome
from sitecrawl.store import tables as t
from sitecrawl.store.bodies import unpack_body
from sitecrawl.store.facts import Document, EvidenceFact, Fetch, Scan, Site
from sitecrawl.store.vocabulary import ScanStatus
from sitecrawl.urls.canonical import page_key
from sitecrawl.urls.target import TargetError, parse_target

if TYPE_CHECKING:
    from sitecrawl.store.engine import Database

_SCANS = select(
    t.scans.c.id,
    t.scans.c.site_id,
    t.sites.c.key.label("site_key"),
    t.scans.c.asked,
    t.scans.c.root_url,
    t.scans.c.status,
    t.scans.c.reason,
    t.scans.c.profile,
    t.scans.c.settings,
    t.scans.c.summary,
    t.scans.c.started_at,
    t.scans.c.finished_at,
    t.scans.c.heartbeat_at,
).join_from(t.scans, t.sites)

_DOCUMENTS = select(
    *(c for c in t.documents.c if c.name not in {"site_id", "content_fingerprint"}),
)

_FETCHES = select(
    t.fetches.c.document_id,
    t.documents.c.url,
    t.documents.c.kind,
    *(c for c in t.fetches.c if c.name not in {"id", "document_id"}),
).join_from(t.fetches, t.documents)


def sites(database: Database) -> list[Site]:
    with database.reading() as connection:
        rows = connection.execute(select(t.sites).order_by(t.sites.c.key)).all()
    return [Site(**row._asdict()) for row in rows]


def site_for(database: Database, text: str) -> Site | None:
    """The site with this key, or the one that this URL or host most closely belongs to."""
    try:
        wanted = parse_target(text).site_key
    except TargetError:
        return None
    matching = [
        site
        for site in sites(database)
        if _holds(site.key, wanted) or _holds(page_key(site.root_url), wanted)
    ]
    return max(matching, key=lambda site: len(site.key), default=None)


def _holds(own: str, wanted: str) -> bool:
    return wanted == own or wanted.startswith(own + "/")


def scans(database: Database, limit: int = 20, site_id: int | None = None) -> list[Scan]:
    """The newest first."""
    statement = _SCANS.order_by(t.scans.c.id.desc()).limit(limit)
    return _scans(database, statement if site_id is None else _of_site(statement, site_id))


def scan_by_id(database: Database, scan_id: int) -> Scan | None:
    return next(iter(_scans(database, _SCANS.where(t.scans.c.id == scan_id))), None)


def latest_scan(database: Database, site_id: int) -> Scan | None:
    """The newest scan that ended in order; if there is none, the newest at all."""
    ended_well = t.scans.c.status.in_([ScanStatus.FINISHED, ScanStatus.PARTIAL])
    best_first = _SCANS.order_by(case((ended_well, 0), else_=1), t.scans.c.id.desc()).limit(1)
    return next(iter(_scans(database, _of_site(best_first, site_id))), None)


def _of_site(statement: Select[Any], site_id: int) -> Select[Any]:
    return statement.where(t.scans.c.site_id == site_id)


def _scans(database: Database, statement: Select[Any]) -> list[Scan]:
    with database.reading() as connection:
        return [Scan(**row._asdict()) for row in connection.execute(statement).all()]


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
