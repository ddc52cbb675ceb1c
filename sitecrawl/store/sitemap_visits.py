"""Reads what the visits of a scan have shown of pages, as far as a sitemap is concerned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from sqlalchemy import and_, select

from sitecrawl.store.tables import fetches, visits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sitecrawl.store.engine import Database
    from sitecrawl.store.facts import Scan

_ROWS_AT_ONCE: Final = 500


class VisitedAs(NamedTuple):
    """How a page answered."""

    page_id: int
    url: str
    reason: str | None
    """Why it does not count as a page of the site after all."""
    rule: str | None
    canonical: str | None
    """What the page names, which may be relative."""
    outcome: str
    status: int | None
    final_url: str | None
    content_type: str | None
    format: str | None
    directives: list[str] | None
    """What the page says to robots."""


def visited_pages(database: Database, scan: Scan) -> Iterator[VisitedAs]:
    """In the order of the visits; a page that was fetched twice is there twice."""
    own_fetch = and_(
        fetches.c.document_id == visits.c.document_id, fetches.c.scan_id == visits.c.scan_id
    )
    own = ("page_id", "url", "reason", "rule", "canonical", "outcome")
    fetched = ("status", "final_url", "content_type", "format", "directives")
    statement = (
        select(*(visits.c[name] for name in own), *(fetches.c[name] for name in fetched))
        .join_from(visits, fetches, own_fetch, isouter=True)
        .where(visits.c.scan_id == scan.id, visits.c.outcome.is_not(None))
        .order_by(visits.c.id, fetches.c.id)
    )
    with database.reading() as connection:
        streamed = connection.execution_options(stream_results=True)
        with streamed.execute(statement) as result:
            for rows in result.partitions(_ROWS_AT_ONCE):
                yield from (VisitedAs(*row) for row in rows)
