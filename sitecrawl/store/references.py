"""What exported pages refer to: documents, scans, verdicts, further sources, visits."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from sitecrawl.store.queries.scans import VisitFields, membership
from sitecrawl.store.schema import documents, iso_text, scans, verdicts
from sitecrawl.urls.address import resolve

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sqlalchemy.engine import Connection

    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.scans import Scan

_FURTHER_SOURCES = """
SELECT DISTINCT other.page_id, other.source
FROM further_mentions AS other
WHERE other.document_id IN (SELECT id FROM documents WHERE site_id = {site}) AND {other_counts}
"""
# SQLite looks these up in their order, and so reads every part of the index once. Before the first
# scan of a database has ended, there may be no index: then it goes through all pages, but once.
_NUMBERS = "SELECT id, number FROM pages WHERE id IN ({pages})"
_MENTIONED = """
SELECT other.page_id FROM other_mentions AS other
WHERE other.document_id IN (SELECT id FROM documents WHERE site_id = {site})
"""
_VISITED = "SELECT page_id FROM visits WHERE scan_id = {scan}"

_VISITS = """
SELECT v.page_id, v.url, v.clicks, f.status, f.content_type, v.text_hash, v.canonical, original.url
FROM visits AS v
LEFT JOIN fetches AS f ON f.document_id = v.document_id AND f.scan_id = v.scan_id
LEFT JOIN visits AS original
    ON original.page_id = v.duplicate_of AND original.scan_id = v.scan_id
WHERE v.scan_id = {scan}
"""


@dataclass(frozen=True, slots=True)
class PageReferences:
    """What an exported page refers to by number, so that it is not in every row.

    Pages are known by their own number: they are read in its order, and so what belongs to
    neighbours lies side by side in memory. Ids would be found all over it.
    """

    documents: Mapping[int, str]
    """URLs."""
    scans: Mapping[int, str]
    """When they started, as ISO 8601 text."""
    verdicts: Mapping[int, tuple[bool, str | None]]
    """Allowed or not, and the rule of robots.txt that decided."""
    further_sources: Mapping[int, tuple[str, ...]]
    """By page, the kinds of source of further mentions; one may be that of the first, too."""
    visits: Mapping[int, VisitFields] = field(default_factory=dict)
    """By page, what the crawl of the scan knows of it."""


def page_references(database: Database, scan: Scan) -> PageReferences:
    """What the exported pages of the scan's site refer to."""
    own_documents = select(documents.c.id, documents.c.url).where(
        documents.c.site_id == scan.site_id
    )
    own_scans = select(scans.c.id, scans.c.started_at).where(scans.c.site_id == scan.site_id)
    own_verdicts = select(verdicts.c.id, verdicts.c.allowed, verdicts.c.rule).where(
        verdicts.c.site_id == scan.site_id
    )
    with database.reading() as connection:
        return PageReferences(
            documents={row.id: row.url for row in connection.execute(own_documents)},
            scans={row.id: iso_text(row.started_at) for row in connection.execute(own_scans)},
            verdicts={row.id: (row.allowed, row.rule) for row in connection.execute(own_verdicts)},
            further_sources=_further_sources(connection, scan),
            visits=_visits(connection, scan),
        )


def _further_sources(connection: Connection, scan: Scan) -> dict[int, tuple[str, ...]]:
    numbers = _numbers(connection, scan, _MENTIONED)
    further: dict[int, tuple[str, ...]] = {}
    # The same few for all pages.
    shared: dict[tuple[str, ...], tuple[str, ...]] = {}
    statement = _FURTHER_SOURCES.format_map(membership(scan))
    for page_id, source in _driver_rows(connection, statement):
        number = numbers.get(page_id)
        if number is not None:  # else what it was first mentioned with was lost
            sources = (*further.get(number, ()), source)
            further[number] = shared.setdefault(sources, sources)
    return further


def _numbers(connection: Connection, scan: Scan, pages: str) -> dict[int, int]:
    """The numbers of pages by their id; *pages* is SQL that gives the ids."""
    statement = _NUMBERS.format(pages=pages).format_map(membership(scan))
    return dict(_driver_rows(connection, statement))


def _driver_rows(connection: Connection, statement: str) -> Iterator[tuple[Any, Any]]:
    """Pairs as the driver gives them: Row objects would cost as much as finding what they hold."""
    return iter(connection.exec_driver_sql(statement).cursor.fetchone, None)


def _visits(connection: Connection, scan: Scan) -> dict[int, VisitFields]:
    numbers = _numbers(connection, scan, _VISITED)
    # The same few words for all pages.
    content_types: dict[str | None, str | None] = {}
    return {
        numbers[page_id]: VisitFields(
            clicks,
            status,
            content_types.setdefault(content_type, content_type),
            text_hash,
            (resolve(canonical, url) or canonical) if canonical else None,
            original,
        )
        for page_id, url, clicks, status, content_type, text_hash, canonical, original in (
            connection.exec_driver_sql(_VISITS.format_map(membership(scan)))
        )
        if page_id in numbers
    }
