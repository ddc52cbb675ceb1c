"""The copies of robots.txt that earlier scans of a site have kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from sitecrawl.items import FetchOutcome
from sitecrawl.store.bodies import unpack_body
from sitecrawl.store.tables import blobs, documents, fetches

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Select

    from sitecrawl.store.engine import Database


@dataclass(frozen=True, slots=True)
class RobotsCopy:
    """How a robots.txt was answered."""

    scan_id: int
    outcome: FetchOutcome
    status: int | None
    error: str
    redirects: int
    fetched_at: datetime
    fresh_until: datetime | None
    body: bytes


def last_answer(database: Database, site_id: int, url: str) -> RobotsCopy | None:
    """The last answer of the server, whatever it was."""
    asked = fetches.c.outcome.not_in([FetchOutcome.FRESH, FetchOutcome.STOPPED])
    return _newest(database, _copies(site_id, url).where(asked))


def last_good_copy(
    database: Database, site_id: int, url: str, *, before_scan: int | None = None
) -> RobotsCopy | None:
    """The last robots.txt that could be read and was kept, of a scan before *before_scan*."""
    wanted = _copies(site_id, url).where(
        fetches.c.outcome == FetchOutcome.OK, blobs.c.content.is_not(None)
    )
    if before_scan is not None:
        wanted = wanted.where(fetches.c.scan_id < before_scan)
    return _newest(database, wanted)


def _copies(site_id: int, url: str) -> Select[Any]:
    return (
        select(
            fetches.c.scan_id,
            fetches.c.outcome,
            fetches.c.status,
            fetches.c.error,
            fetches.c.redirects,
            fetches.c.fetched_at,
            fetches.c.fresh_until,
            blobs.c.encoding,
            blobs.c.content,
        )
        .join_from(fetches, documents, documents.c.id == fetches.c.document_id)
        .join(blobs, blobs.c.sha256 == fetches.c.sha256, isouter=True)
        .where(documents.c.site_id == site_id, documents.c.url == url)
        .order_by(fetches.c.id.desc())
        .limit(1)
    )


def _newest(database: Database, wanted: Select[Any]) -> RobotsCopy | None:
    with database.reading() as connection:
        row = connection.execute(wanted).first()
    if row is None:
        return None
    return RobotsCopy(
        scan_id=row.scan_id,
        outcome=FetchOutcome(row.outcome),
        status=row.status,
        error=row.error or "",
        redirects=len(row.redirects),
        fetched_at=row.fetched_at,
        fresh_until=row.fresh_until,
        body=unpack_body(row.encoding, row.content) if row.content is not None else b"",
    )
