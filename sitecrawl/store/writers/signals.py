"""Signals: what classification needs of pages beside their row, written by visits and at the end.

Only pages that were visited, or that visited pages link to, have any.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import func, select, update

from sitecrawl.items import DocumentKind
from sitecrawl.parse.links.vocabulary import Region
from sitecrawl.store.queries.scans import membership
from sitecrawl.store.schema import sites, visits
from sitecrawl.store.writers.bulk import Gathered, literal

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from sitecrawl.store.queries.scans import Scan
    from sitecrawl.store.writers.records import ScanHandle, VisitRecord

SIGNAL_COLUMNS: Final = (
    *("own_language", "declared_type", "text_language", "inlinks", "link_region"),
)
# From the part of a page that matters most to the one that matters least.
_REGIONS: Final = (
    *(Region.NAVIGATION, Region.HEADER, Region.BREADCRUMB, Region.CONTENT),
    *(Region.ASIDE, Region.PAGINATION, Region.FOOTER),
)

_SAY = """
INSERT INTO page_signals (page_id, site_id, own_language, declared_type, text_language)
SELECT page_id, {site}, {place}, {place}, {place} FROM visits
WHERE scan_id = {scan} AND number = {place}
ON CONFLICT (page_id) DO UPDATE SET own_language = excluded.own_language,
    declared_type = excluded.declared_type, text_language = excluded.text_language
"""

_FORGET_LINKS = """
UPDATE page_signals SET inlinks = NULL, link_region = NULL
WHERE site_id = {site} AND inlinks IS NOT NULL
"""

# A page that links to another twice counts once. What a scan has not confirmed does not count.
_COUNT_LINKS = """
INSERT INTO page_signals (page_id, site_id, inlinks, link_region)
SELECT page_id, {site}, count(DISTINCT document_id), CASE min(place) {names} END
FROM (
    SELECT p.id AS page_id, p.document_id, CASE p.region {places} END AS place
    FROM pages AS p
    JOIN documents AS linking ON linking.id = p.document_id AND linking.kind = {page}
    WHERE p.site_id = {site} AND {own_counts}
    UNION ALL
    SELECT other.page_id, other.document_id, CASE other.region {places} END
    FROM further_mentions AS other
    JOIN documents AS linking ON linking.id = other.document_id
        AND linking.site_id = {site} AND linking.kind = {page}
    WHERE {other_counts}
) AS links
GROUP BY page_id
ON CONFLICT (page_id) DO UPDATE SET inlinks = excluded.inlinks, link_region = excluded.link_region
"""


class SignalWriter:
    """Writes what visited pages say of themselves, within the writer's transaction."""

    def __init__(self, connection: Connection, scan: ScanHandle) -> None:
        self._connection = connection
        self._said = Gathered(
            _SAY.format(
                site=literal(scan.site_id),
                scan=literal(scan.scan_id),
                place="?" if connection.dialect.name == "sqlite" else "%s",
            )
        )

    def say(self, record: VisitRecord) -> None:
        """Renew what the page of this visit says."""
        said = (record.language, record.declared_type, record.text_language)
        self._said.add((*(text or None for text in said), record.number))

    def flush(self) -> None:
        """Write what was gathered."""
        self._said.run(self._connection)

    def forget(self) -> None:
        """After a roll-back: what was gathered belongs to what is not there."""
        self._said.forget()


def settle_signals(connection: Connection, scan: Scan) -> None:
    """At the end of a crawl: count the links to each page."""
    ids = membership(scan)
    own = (visits.c.scan_id == scan.id) & visits.c.outcome.is_not(None)
    visited = connection.scalar(select(func.count()).where(own)) or 0
    if not visited:
        return
    connection.exec_driver_sql(_FORGET_LINKS.format_map(ids))
    # One page alone says nothing of how much others are linked.
    if visited > 1:
        order = list(enumerate(map(literal, _REGIONS), 1))
        connection.exec_driver_sql(
            _COUNT_LINKS.format_map(
                ids
                | {
                    "page": literal(DocumentKind.PAGE),
                    "places": " ".join(f"WHEN {name} THEN {place}" for place, name in order),
                    "names": " ".join(f"WHEN {place} THEN {name}" for place, name in order),
                }
            )
        )
    _note_columns(connection, scan.site_id)


def _note_columns(connection: Connection, site_id: int) -> None:
    own = sites.c.id == site_id
    written = connection.scalars(select(sites.c.page_columns).where(own)).one()
    names = sorted({*written, *SIGNAL_COLUMNS})
    if names != written:
        connection.execute(update(sites).where(own).values(page_columns=names))
