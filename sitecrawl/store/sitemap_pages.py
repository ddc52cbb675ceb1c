"""Reads the pages of a scan with what decides whether a sitemap should list them.

A page is *listed by a sitemap* when a document that is used as one (a feed may be, too) mentions
it in the inventory of the scan, as an entry or as an alternate of one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sitecrawl.items import DocumentKind, Source
from sitecrawl.robots.policy import VerdictReason
from sitecrawl.store.membership import membership

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy.engine import Connection, CursorResult

    from sitecrawl.store.engine import Database
    from sitecrawl.store.facts import Scan

_ROWS_AT_ONCE: Final = 500
_SITEMAPS: Final = "(SELECT id FROM documents WHERE site_id = {site} AND kind = '{kind}')"
_PAGES: Final = """
SELECT p.id, p.url, p.title, p.importance, p.source, p.anchor, p.details, p.reason, p.rule,
    blocking.rule, coalesce({lastmod}, listing.lastmod), d.url,
    {is_listed} OR listing.page_id IS NOT NULL, {entries} + coalesce(listing.entries, 0),
    p.id IN (SELECT page_id FROM visits WHERE scan_id = {scan} AND outcome IS NOT NULL)
FROM pages AS p
LEFT JOIN (
    SELECT other.page_id, min(other.document_id) AS document_id, max(other.lastmod) AS lastmod,
        sum(CASE WHEN other.source = '{sitemap}' THEN 1 ELSE 0 END) AS entries
    FROM further_mentions AS other
    WHERE other.document_id IN {sitemaps} AND {other_counts}
    GROUP BY other.page_id
) AS listing ON listing.page_id = p.id
LEFT JOIN documents AS d ON d.id = CASE
    WHEN {is_listed} THEN p.document_id ELSE coalesce(listing.document_id, p.document_id) END
LEFT JOIN verdicts AS blocking
    ON blocking.id = p.verdict_id AND NOT blocking.allowed AND blocking.reason = '{by_rule}'
WHERE p.site_id = {site} AND {counts}
AND (p.reason IS NULL OR ({with_refused} AND ({is_listed} OR listing.page_id IS NOT NULL)))
ORDER BY p.number
"""
_BY_OWN_MENTION: Final = {
    "counts": "{own_counts}",
    "is_listed": "p.document_id IN {sitemaps}",
    "entries": "CASE WHEN p.source = '{sitemap}' AND p.document_id IN {sitemaps} THEN 1 ELSE 0 END",
    "lastmod": "p.lastmod",
}
# Rare: a scan was interrupted, or a document could not be fetched.
_BY_OTHER_MENTION: Final = {
    "counts": "NOT {own_counts} AND p.id IN (SELECT other.page_id FROM other_mentions AS other"
    " WHERE other.document_id IN (SELECT id FROM documents WHERE site_id = {site})"
    " AND {other_counts})",
    "is_listed": "(1 = 0)",
    "entries": "0",
    "lastmod": "NULL",
}


class SitemapPage(NamedTuple):
    """A page as a sitemap sees it."""

    id: int
    url: str
    title: str | None
    importance: float | None
    source: str
    """Of the first mention."""
    anchor: str | None
    details: str | None
    """JSON text: alternates and what else only some entries have."""
    reason: str | None
    """Why it is refused."""
    rule: str | None
    blocked_by: str | None
    """The rule of robots.txt that does not allow it."""
    lastmod: str | None
    document: str
    """The first sitemap that lists it; if none does, the first document that mentions it."""
    is_listed: bool
    """Whether a sitemap lists it."""
    entries: int
    """How often the sitemaps list it, without alternates."""
    is_visited: bool


def listed_pages(database: Database, scan: Scan) -> Iterator[SitemapPage]:
    """Pages that are not refused, in the order in which they were first seen."""
    return _pages(database, scan, with_refused=False)


def pages_and_entries(database: Database, scan: Scan) -> Iterator[SitemapPage]:
    """As :func:`listed_pages`, and the refused pages that a sitemap lists."""
    return _pages(database, scan, with_refused=True)


def _pages(database: Database, scan: Scan, *, with_refused: bool) -> Iterator[SitemapPage]:
    names = membership(scan) | {
        "sitemap": Source.SITEMAP.value,
        "by_rule": VerdictReason.RULE.value,
        "with_refused": "1 = 1" if with_refused else "1 = 0",
    }
    names["sitemaps"] = _SITEMAPS.format(site=names["site"], kind=DocumentKind.SITEMAP.value)
    with database.reading() as connection:
        for part in (_BY_OWN_MENTION, _BY_OTHER_MENTION):
            own = {name: sql.format_map(names) for name, sql in part.items()}
            yield from map(SitemapPage._make, _rows(connection, _PAGES.format_map(names | own)))


def _rows(connection: Connection, statement: str) -> Iterator[tuple[Any, ...]]:
    streamed = connection.execution_options(stream_results=True)
    with streamed.exec_driver_sql(statement) as result:
        if connection.dialect.name == "sqlite":
            yield from _driver_rows(result)
        else:
            for rows in result.partitions(_ROWS_AT_ONCE):
                yield from map(tuple, rows)


def _driver_rows(result: CursorResult[*tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    # A million Row objects would cost as much as reading them.
    while rows := result.cursor.fetchmany(_ROWS_AT_ONCE):
        yield from rows
