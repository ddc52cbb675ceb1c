"""What earlier scans kept for the next one: copies of robots.txt, and validators of documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from sitecrawl.items import FetchOutcome, PageFormat, Validators
from sitecrawl.store.bodies import unpack_body
from sitecrawl.store.schema import blobs, document_links, documents, fetches

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Row, Select

    from sitecrawl.store.engine import Database

ROBOTS_ANSWERS = (
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
    is_answer = fetches.c.outcome.in_(ROBOTS_ANSWERS)
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


VALIDATORS = tuple(
    documents.c[name]
    for name in ("id", "kind", "format", "etag", "last_modified", "sha256", "listed", "policies")
)
"""The columns of ``Validators``, in the order of its fields."""


def load_validators(database: Database, site_id: int, fingerprint: str) -> dict[str, Validators]:
    """By URL, the sitemaps and feeds whose stored content counts under the same settings.

    ``fingerprint`` is of the settings that decide what is read from a document. There may be many
    pages, which :func:`sitecrawl.store.queries.known_pages.load_known_pages` loads some at a time.
    """
    statement = select(documents.c.url, *VALIDATORS).where(
        documents.c.site_id == site_id,
        documents.c.content_scan_id.is_not(None),
        documents.c.content_fingerprint == fingerprint,
        func.coalesce(documents.c.format, "").not_in(list(PageFormat)),
    )
    with database.reading() as connection:
        return {row[0]: Validators(*row[1:]) for row in connection.execute(statement).all()}


def children(database: Database, document_id: int) -> list[tuple[str, str]]:
    """The documents that this one names, in its order, as it was last read, and how it does."""
    parent, child = documents.alias("parent"), documents.alias("child")
    statement = (
        select(child.c.url, child.c.found_by)
        .join_from(document_links, parent, document_links.c.parent_id == parent.c.id)
        .join(child, document_links.c.child_id == child.c.id)
        .where(
            document_links.c.parent_id == document_id,
            document_links.c.scan_id >= func.coalesce(parent.c.content_scan_id, 0),
        )
        .order_by(document_links.c.position, child.c.id)
    )
    with database.reading() as connection:
        return [(row.url, row.found_by) for row in connection.execute(statement)]
