"""Reads sites, scans, documents, fetches, evidence and bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from sqlalchemy import Select, case, or_, select

from sitecrawl.items import FetchOutcome
from sitecrawl.store.bodies import unpack_body
from sitecrawl.store.facts import Document, EvidenceFact, Fetch, Scan, Site
from sitecrawl.store.tables import blobs, documents, evidence, fetches, scans, sites
from sitecrawl.store.vocabulary import ScanStatus

if TYPE_CHECKING:
    from sitecrawl.store.engine import Database

_SCANS = select(
    scans.c.id,
    scans.c.site_id,
    sites.c.key.label("site_key"),
    scans.c.asked,
    scans.c.root_url,
    scans.c.status,
    scans.c.reason,
    scans.c.profile,
    scans.c.settings,
    scans.c.summary,
    scans.c.started_at,
    scans.c.finished_at,
    scans.c.heartbeat_at,
).join_from(scans, sites)

_DOCUMENTS = select(
    *(c for c in documents.c if c.name not in {"site_id", "content_fingerprint"}),
)

_FETCHES = select(
    fetches.c.document_id,
    documents.c.url,
    documents.c.kind,
    *(c for c in fetches.c if c.name not in {"id", "document_id"}),
).join_from(fetches, documents)


def sites_by_key(database: Database) -> list[Site]:
    with database.reading() as connection:
        rows = connection.execute(select(sites).order_by(sites.c.key)).all()
    return [Site(**row._asdict()) for row in rows]


def site_for(database: Database, text: str) -> Site | None:
    """The site with this key, or the one that this URL or host most closely belongs to."""
    with database.reading() as connection:
        rows = connection.execute(select(sites)).all()
    wanted = _comparable(text)
    matching = [row for row in rows if _holds(row.key, wanted) or _holds(row.root_url, wanted)]
    best = max(matching, key=lambda row: len(row.key), default=None)
    return Site(**best._asdict()) if best else None


def _comparable(text: str) -> str:
    parts = urlsplit(text if "://" in text else f"//{text}")
    return parts.netloc.lower().removeprefix("www.") + parts.path.rstrip("/")


def _holds(site: str, wanted: str) -> bool:
    own = _comparable(site)
    return wanted == own or wanted.startswith(own + "/")


def scans_newest_first(
    database: Database, limit: int = 20, site_id: int | None = None
) -> list[Scan]:
    statement = _SCANS.order_by(scans.c.id.desc()).limit(limit)
    return _scans(database, statement if site_id is None else _of_site(statement, site_id))


def scan_by_id(database: Database, scan_id: int) -> Scan | None:
    return next(iter(_scans(database, _SCANS.where(scans.c.id == scan_id))), None)


def latest_scan(database: Database, site_id: int) -> Scan | None:
    """The newest scan that ended in order; if there is none, the newest at all."""
    ended_well = scans.c.status.in_([ScanStatus.FINISHED, ScanStatus.PARTIAL])
    best_first = _SCANS.order_by(case((ended_well, 0), else_=1), scans.c.id.desc()).limit(1)
    return next(iter(_scans(database, _of_site(best_first, site_id))), None)


def _of_site(statement: Select[Any], site_id: int) -> Select[Any]:
    return statement.where(scans.c.site_id == site_id)


def _scans(database: Database, statement: Select[Any]) -> list[Scan]:
    with database.reading() as connection:
        return [Scan(**row._asdict()) for row in connection.execute(statement).all()]


def documents_of(database: Database, scan_id: int) -> list[Document]:
    """The documents that the scan fetched, in that order, whatever came of it."""
    fetched = select(fetches.c.document_id).where(fetches.c.scan_id == scan_id)
    statement = _DOCUMENTS.where(documents.c.id.in_(fetched)).order_by(documents.c.id)
    with database.reading() as connection:
        return [Document(**row._asdict()) for row in connection.execute(statement).all()]


def fetches_of(database: Database, scan_id: int) -> list[Fetch]:
    return _fetches(database, _FETCHES.where(fetches.c.scan_id == scan_id))


def doubtful_fetches(database: Database, scan_id: int) -> list[Fetch]:
    """The documents that the scan could not read to the end: what they list may be missing."""
    read = [FetchOutcome.OK, FetchOutcome.NOT_MODIFIED, FetchOutcome.NOT_FOUND]
    is_doubtful = or_(
        fetches.c.outcome.not_in(read),
        fetches.c.truncated,
        (fetches.c.outcome == FetchOutcome.OK) & ~fetches.c.complete,
    )
    return _fetches(database, _FETCHES.where(fetches.c.scan_id == scan_id, is_doubtful))


def _fetches(database: Database, statement: Select[Any]) -> list[Fetch]:
    with database.reading() as connection:
        rows = connection.execute(statement.order_by(fetches.c.id)).all()
    return [Fetch(**row._asdict()) for row in rows]


def evidence_of(database: Database, scan_id: int, type_: str | None = None) -> list[EvidenceFact]:
    statement = (
        select(
            evidence.c.type,
            evidence.c.content,
            evidence.c["metadata"],
            evidence.c.confidence,
            evidence.c.created_at,
            documents.c.url.label("document_url"),
        )
        .outerjoin_from(evidence, documents)
        .where(evidence.c.scan_id == scan_id)
        .order_by(evidence.c.id)
    )
    if type_ is not None:
        statement = statement.where(evidence.c.type == type_)
    with database.reading() as connection:
        return [EvidenceFact(**row._asdict()) for row in connection.execute(statement).all()]


def body(database: Database, sha256: str) -> bytes | None:
    """The raw bytes with this hash, if they were kept."""
    statement = select(blobs.c.encoding, blobs.c.content).where(blobs.c.sha256 == sha256)
    with database.reading() as connection:
        row = connection.execute(statement).first()
    return unpack_body(row.encoding, row.content) if row else None
