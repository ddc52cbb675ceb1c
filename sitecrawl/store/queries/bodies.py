"""Reads the raw bytes of documents and pages that were kept (``SITECRAWL_KEEP_BODIES``).

Bodies are stored once per content, under their sha256. The fetch of an unchanged document (304) has
the hash of the content that it still has, so the body of any kept scan is found by its fetch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import and_, select

from sitecrawl.items import FetchOutcome
from sitecrawl.store.compression import unpack_body
from sitecrawl.store.schema import blobs, documents, fetches, visits

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from sqlalchemy import Row, Select

    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.scans import Scan

_READ: Final = (FetchOutcome.OK, FetchOutcome.NOT_MODIFIED)
_AT_ONCE: Final = 20
"""Bodies in memory while pages are gone through."""


@dataclass(frozen=True, slots=True)
class StoredBody:
    """What a document was, as it came from the site."""

    document_id: int
    url: str
    content: bytes
    content_type: str
    """With the charset, if the site named one."""
    sha256: str
    scan_id: int
    """The scan that read or confirmed it."""
    fetched_at: datetime


def read_body(
    database: Database, document_id: int, *, scan_id: int | None = None
) -> StoredBody | None:
    """What the document was when it was last read or confirmed, in *scan_id* or before.

    None: it was never read, or this content was not kept.
    """
    own = fetches.c.document_id == document_id
    return _first(database, _bodies().where(own), scan_id)


def read_page_body(
    database: Database, page_id: int, *, scan_id: int | None = None
) -> StoredBody | None:
    """The same of the page, which may have been visited at several addresses."""
    visited = and_(
        visits.c.document_id == fetches.c.document_id, visits.c.scan_id == fetches.c.scan_id
    )
    own = _bodies().join(visits, visited).where(visits.c.page_id == page_id)
    return _first(database, own, scan_id)


def page_bodies(database: Database, scan: Scan) -> Iterator[tuple[int, StoredBody]]:
    """The pages that the scan has read or confirmed, with their ids, as far as they were kept."""
    visited = and_(
        visits.c.document_id == fetches.c.document_id, visits.c.scan_id == fetches.c.scan_id
    )
    statement = (
        _bodies()
        .add_columns(visits.c.page_id)
        .join(visits, visited)
        .where(visits.c.scan_id == scan.id, visits.c.reason.is_(None), blobs.c.size.is_not(None))
        .order_by(visits.c.id, fetches.c.id)
    )
    with database.reading() as connection:
        streamed = connection.execution_options(stream_results=True)
        with streamed.execute(statement) as result:
            for rows in result.partitions(_AT_ONCE):
                yield from ((row.page_id, _stored(row)) for row in rows)


def _bodies() -> Select[Any]:
    return (
        select(
            *(fetches.c[name] for name in ("document_id", "content_type", "sha256", "scan_id")),
            fetches.c.fetched_at,
            documents.c.url,
            blobs.c.encoding,
            blobs.c.content,
        )
        .join_from(fetches, documents, documents.c.id == fetches.c.document_id)
        .join(blobs, blobs.c.sha256 == fetches.c.sha256, isouter=True)
        .where(fetches.c.outcome.in_(_READ))
    )


def _first(database: Database, found: Select[Any], scan_id: int | None) -> StoredBody | None:
    newest = found.order_by(fetches.c.scan_id.desc(), fetches.c.id.desc()).limit(1)
    if scan_id is not None:
        newest = newest.where(fetches.c.scan_id <= scan_id)
    with database.reading() as connection:
        row = connection.execute(newest).first()
    return _stored(row) if row is not None and row.content is not None else None


def _stored(row: Row[Any]) -> StoredBody:
    return StoredBody(
        document_id=row.document_id,
        url=row.url,
        content=unpack_body(row.encoding, row.content),
        content_type=row.content_type or "",
        sha256=row.sha256,
        scan_id=row.scan_id,
        fetched_at=row.fetched_at,
    )
