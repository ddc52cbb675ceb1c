"""Reads what the crawl of a scan knows of its pages, for a report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from sqlalchemy import func, select

from sitecrawl.store.tables import visits

if TYPE_CHECKING:
    from collections.abc import Set

    from sitecrawl.store.engine import Database
    from sitecrawl.store.facts import Scan

ClicksAndStatus: TypeAlias = tuple[int, int | None]
"""Clicks from where the crawl started, and the HTTP status if the page was visited."""

_ROWS_AT_ONCE: Final = 5_000
_VISITS: Final = """
SELECT v.page_id, v.clicks, f.status
FROM visits AS v
LEFT JOIN fetches AS f ON f.document_id = v.document_id AND f.scan_id = v.scan_id
WHERE v.scan_id = {scan} ORDER BY v.id, f.id
"""


def visited_pages(database: Database, scan: Scan, wanted: Set[int]) -> dict[int, ClicksAndStatus]:
    """Those of the wanted pages that the crawl knows."""
    found: dict[int, ClicksAndStatus] = {}
    with database.reading() as connection:
        streamed = connection.execution_options(stream_results=True)
        with streamed.exec_driver_sql(_VISITS.format(scan=int(scan.id))) as result:
            for rows in result.partitions(_ROWS_AT_ONCE):
                found.update((row[0], (row[1], row[2])) for row in rows if row[0] in wanted)
    return found


def pages_by_clicks(database: Database, scan: Scan) -> list[tuple[int, int]]:
    """How many pages of the site are so many clicks away; what a visit refused does not count."""
    statement = (
        select(visits.c.clicks, func.count())
        .where(visits.c.scan_id == scan.id, visits.c.external_hops == 0, visits.c.reason.is_(None))
        .group_by(visits.c.clicks)
        .order_by(visits.c.clicks)
    )
    with database.reading() as connection:
        return [(clicks, pages) for clicks, pages in connection.execute(statement)]


def external_pages(database: Database, scan: Scan) -> set[int]:
    """Pages of other sites, where the crawl was allowed to go there."""
    statement = select(visits.c.page_id).where(
        visits.c.scan_id == scan.id, visits.c.external_hops > 0
    )
    with database.reading() as connection:
        return set(connection.scalars(statement))
