"""Reads the mentions of a scan's pages for a report: rows that are counted elsewhere, as columns.

Written for millions of links: the database only hands them out, in the order in which it has them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from sqlalchemy import select

from sitecrawl.items import DocumentKind
from sitecrawl.store.membership import membership
from sitecrawl.store.tables import documents, visits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sitecrawl.store.engine import Database
    from sitecrawl.store.facts import Scan

MentionRow: TypeAlias = tuple[int, int, str, str | None]
"""The document, the page, the kind of source, the part of the document that it stands in."""

_ROWS_AT_ONCE: Final = 20_000
_FURTHER: Final = """
SELECT other.document_id, other.page_id, other.source, other.region
FROM further_mentions AS other
WHERE other.document_id IN (SELECT id FROM documents WHERE site_id = {site}) AND {other_counts}
ORDER BY other.document_id, other.position, other.page_id
"""


def further_mentions(database: Database, scan: Scan) -> Iterator[list[MentionRow]]:
    """All mentions but those that pages are listed by, in chunks, document by document."""
    with database.reading() as connection:
        streamed = connection.execution_options(stream_results=True)
        with streamed.exec_driver_sql(_FURTHER.format_map(membership(scan))) as result:
            if database.is_sqlite:
                # The driver's own cursor: a Row for each would cost as much as reading it.
                while rows := result.cursor.fetchmany(_ROWS_AT_ONCE):
                    yield list(rows)
            else:
                for part in result.partitions(_ROWS_AT_ONCE):
                    yield list(map(tuple, part))


def visited_documents(database: Database, scan: Scan) -> list[tuple[int, int]]:
    """The documents that the crawl fetched, each with the id of its page."""
    statement = (
        select(visits.c.document_id, visits.c.page_id)
        .where(visits.c.scan_id == scan.id, visits.c.document_id.is_not(None))
        .order_by(visits.c.id)
    )
    with database.reading() as connection:
        return [(document_id, page_id) for document_id, page_id in connection.execute(statement)]


def sitemap_documents(database: Database, scan: Scan) -> list[int]:
    """The numbers of the site's sitemaps, and of feeds that are used as such."""
    statement = select(documents.c.id).where(
        documents.c.site_id == scan.site_id, documents.c.kind == DocumentKind.SITEMAP
    )
    with database.reading() as connection:
        return list(connection.scalars(statement))
