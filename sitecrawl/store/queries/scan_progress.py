"""How far a running scan has come, as its database tells: whoever runs it, wherever."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from sitecrawl.items import FetchOutcome
from sitecrawl.store import schema as t

if TYPE_CHECKING:
    from datetime import datetime

    from sitecrawl.store.engine import Database

_FINE = (
    *(FetchOutcome.OK, FetchOutcome.NOT_MODIFIED, FetchOutcome.FRESH),
    *(FetchOutcome.REDIRECTED, FetchOutcome.NOT_FOUND),
)


@dataclass(frozen=True, slots=True)
class StoredProgress:
    """Figures of one scan."""

    scan_id: int
    status: str
    started_at: datetime
    heartbeat_at: datetime
    fetched: int
    """Documents, pages included."""
    failed: int
    received_bytes: int
    known: int
    """Pages that the crawl wants to visit, so far."""
    visited: int
    last_url: str | None
    """What was fetched last."""


@dataclass(frozen=True, slots=True)
class RecentFetch:
    """One line of what a scan has fetched."""

    id: int
    url: str
    kind: str
    outcome: str
    status: int | None
    elapsed_ms: int | None
    fetched_at: datetime
    entries: int | None
    """What it lists: pages, links, rules."""
    error: str | None


def recent_fetches(database: Database, scan_id: int, limit: int) -> list[RecentFetch]:
    """What was fetched last, the newest first."""
    fetched, document = t.fetches.c, t.documents.c
    statement = (
        select(
            *(fetched.id, document.url, document.kind, fetched.outcome, fetched.status),
            *(fetched.elapsed_ms, fetched.fetched_at, fetched.entries, fetched.error),
        )
        .join_from(t.fetches, t.documents, document.id == fetched.document_id)
        .where(fetched.scan_id == scan_id)
        .order_by(fetched.id.desc())
        .limit(limit)
    )
    with database.reading() as connection:
        return [RecentFetch(*row) for row in connection.execute(statement)]


def stored_progress(database: Database, scan_id: int) -> StoredProgress | None:
    """What a scan has written so far; None: there is no such scan."""
    own = t.fetches.c.scan_id == scan_id
    is_failed = t.fetches.c.outcome.not_in(_FINE)
    counts = select(
        func.count().label("fetched"),
        func.count().filter(is_failed).label("failed"),
        func.coalesce(func.sum(t.fetches.c.received_bytes), 0).label("received_bytes"),
        func.max(t.fetches.c.id).label("last_id"),
    ).where(own)
    crawl = select(
        func.count().label("known"), func.count(t.visits.c.outcome).label("visited")
    ).where(t.visits.c.scan_id == scan_id)
    names = ("status", "started_at", "heartbeat_at")
    with database.reading() as connection:
        scan = connection.execute(
            select(*(t.scans.c[name] for name in names)).where(t.scans.c.id == scan_id)
        ).first()
        if scan is None:
            return None
        fetched = connection.execute(counts).one()
        visits = connection.execute(crawl).one()
        last_url = connection.scalar(
            select(t.documents.c.url)
            .join_from(t.fetches, t.documents, t.documents.c.id == t.fetches.c.document_id)
            .where(t.fetches.c.id == fetched.last_id)
        )
    return StoredProgress(
        scan_id=scan_id,
        status=scan.status,
        started_at=scan.started_at,
        heartbeat_at=scan.heartbeat_at,
        fetched=fetched.fetched,
        failed=fetched.failed,
        received_bytes=int(fetched.received_bytes),
        known=visits.known,
        visited=visits.visited,
        last_url=last_url,
    )
