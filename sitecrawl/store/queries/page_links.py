"""Reads the links of one page: where it is linked from, and what it links to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlalchemy import select

from sitecrawl.items import DocumentKind
from sitecrawl.store import schema as t
from sitecrawl.store.queries.scans import counts_in_scan

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.scans import Scan

# Both are read in the order of their keys, so that a page of the list can begin behind any of them.
_TO: Final = """
SELECT m.document_id, m.position, m.page_id, d.url, d.kind, m.source, m.region, m.anchor, m.rel
FROM mentions AS m JOIN documents AS d ON d.id = m.document_id
WHERE m.page_id = {page} AND {counts}
AND (m.document_id > {document} OR (m.document_id = {document} AND m.position > {position}))
ORDER BY m.document_id, m.position LIMIT {limit}
"""
_FROM: Final = """
SELECT m.document_id, m.position, m.page_id, p.url, p.reason, m.source, m.region, m.anchor, m.rel
FROM mentions AS m JOIN pages AS p ON p.id = m.page_id
WHERE m.document_id IN ({documents}) AND {counts}
AND (m.document_id > {document} OR (m.document_id = {document} AND m.position > {position}))
ORDER BY m.document_id, m.position LIMIT {limit}
"""


@dataclass(frozen=True, slots=True)
class LinkPosition:
    """The last link that was given."""

    document_id: int = 0
    position: int = -1


@dataclass(frozen=True, slots=True)
class PageLink:
    """A link to the page, or of it."""

    document_id: int
    position: int
    page_id: int
    """The page that is linked to."""
    url: str
    """The document that links, or the page that is linked to."""
    kind: str | None
    """Of the document that links."""
    reason: str | None
    """Why the page that is linked to is refused."""
    source: str
    region: str | None
    anchor: str | None
    rel: str | None


def links_to(
    database: Database, scan: Scan, page_id: int, after: LinkPosition, limit: int
) -> list[PageLink]:
    """What mentions the page as of the scan."""
    statement = _TO.format(
        page=int(page_id),
        counts=counts_in_scan(scan, "m"),
        document=int(after.document_id),
        position=int(after.position),
        limit=int(limit),
    )
    with database.reading() as connection:
        rows = connection.exec_driver_sql(statement).all()
    return [PageLink(**row._asdict(), reason=None) for row in rows]


def links_from(
    database: Database, scan: Scan, page_id: int, after: LinkPosition, limit: int
) -> list[PageLink]:
    """What the page mentions as of the scan; nothing if it was never visited."""
    with database.reading() as connection:
        documents = _documents_of(connection, scan, page_id)
        if not documents:
            return []
        statement = _FROM.format(
            documents=", ".join(map(str, documents)),
            counts=counts_in_scan(scan, "m"),
            document=int(after.document_id),
            position=int(after.position),
            limit=int(limit),
        )
        rows = connection.exec_driver_sql(statement).all()
    return [PageLink(**row._asdict(), kind=None) for row in rows]


def _documents_of(connection: Connection, scan: Scan, page_id: int) -> list[int]:
    visited = select(t.visits.c.document_id).where(
        t.visits.c.page_id == page_id, t.visits.c.document_id.is_not(None)
    )
    statement = select(t.documents.c.id).where(
        t.documents.c.site_id == scan.site_id,
        t.documents.c.kind == DocumentKind.PAGE,
        t.documents.c.id.in_(visited),
    )
    return sorted(connection.scalars(statement))
