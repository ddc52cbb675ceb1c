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

    from sqlalchemy import Row, Select

    from sitecrawl.store.engine import Database

_ANSWERS = (
    FetchOutcome.OK,
    FetchOutcome.NOT_FOUND,
    FetchOutcome.HTTP_ERROR,
    FetchOutcome.TOO_MANY_REDIRECTS,
)


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
    body: bytes | None
    """None: it was not kept, or was no robots.txt."""


def last_answer(
    database: Database, site_id: int, url: str, *, before_scan: int | None = None
) -> RobotsCopy | None:
    """The last answer of the server, whatever it was, in a scan before *before_scan*.

    Where nobody answered, nothing is known: such a robots.txt is asked for again.
    """
    is_answer = fetches.c.outcome.in_(_ANSWERS)
    return _newest(database, _copies(site_id, url, before_scan).where(is_answer))


def last_good_copy(
    database: Database, site_id: int, url: str, *, before_scan: int | None = None
) -> RobotsCopy | None:
    """The last robots.txt that could be read and was kept, of a scan before *before_scan*."""
    is_empty = fetches.c.received_bytes == 0
    wanted = _copies(site_id, url, before_scan).where(
        fetches.c.outcome == FetchOutcome.OK, blobs.c.content.is_not(None) | is_empty
    )
    return _newest(database, wanted)


def _copies(site_id: int, url: str, before_scan: int | None) -> Select[Any]:
    wanted = (
        select(
            fetches.c.scan_id,
            fetches.c.outcome,
            fetches.c.status,
            fetches.c.error,
            fetches.c.redirects,
            fetches.c.fetched_at,
            fetches.c.fresh_until,
            fetches.c.received_bytes,
            blobs.c.encoding,
            blobs.c.content,
        )
        .join_from(fetches, documents, documents.c.id == fetches.c.document_id)
        .join(blobs, blobs.c.sha256 == fetches.c.sha256, isouter=True)
        .where(documents.c.site_id == site_id, documents.c.url == url)
        .order_by(fetches.c.id.desc())
        .limit(1)
    )
    return wanted if before_scan is None else wanted.where(fetches.c.scan_id < before_scan)


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
        body=_body(row),
    )


def _body(row: Row[Any]) -> bytes | None:
    if row.outcome != FetchOutcome.OK:
        return None
    if row.content is None:
        return b"" if row.received_bytes == 0 else None
    return unpack_body(row.encoding, row.content)
