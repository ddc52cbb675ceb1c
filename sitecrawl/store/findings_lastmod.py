"""Reads what the sitemaps of a scan say of when pages changed."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final, NamedTuple

from sitecrawl.items import DocumentKind, Source
from sitecrawl.store.columns import iso_text
from sitecrawl.store.findings_entries import found_rows
from sitecrawl.store.membership import membership

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from sitecrawl.store.facts import Scan
    from sitecrawl.store.findings_entries import Found

# Nobody had a sitemap's pages before; 1970-01-01 is what a program writes that knows no date.
_FIRST_YEAR: Final = "1995"
# Clocks and time zones differ.
_LEEWAY: Final = timedelta(days=1)

_DATED: Final = """
SELECT p.id AS page_id, p.document_id AS document_id, p.lastmod AS lastmod
FROM pages AS p JOIN documents AS d ON d.id = p.document_id
WHERE p.site_id = {site} AND d.kind = '{kind}' AND p.source = '{sitemap}' AND {own_counts}
UNION ALL
SELECT other.page_id, other.document_id, other.lastmod
FROM further_mentions AS other JOIN documents AS d ON d.id = other.document_id
WHERE d.site_id = {site} AND d.kind = '{kind}' AND other.source = '{sitemap}' AND {other_counts}
"""
_BY_SITEMAP: Final = """
SELECT d.url, count(*), count(nullif(entry.lastmod, '')), min(nullif(entry.lastmod, '')),
    max(nullif(entry.lastmod, ''))
FROM ({dated}) AS entry JOIN documents AS d ON d.id = entry.document_id
GROUP BY d.id, d.url ORDER BY d.id
"""
_IMPLAUSIBLE: Final = """
SELECT p.url, wrong.lastmod, count(*) OVER () FROM (
    SELECT page_id, min(lastmod) AS lastmod FROM ({dated}) AS entry
    WHERE lastmod > '' AND (lastmod < '{first_year}' OR lastmod > '{tomorrow}')
    GROUP BY page_id
) AS wrong JOIN pages AS p ON p.id = wrong.page_id
ORDER BY p.number LIMIT {limit}
"""


class LastmodRange(NamedTuple):
    """The dates of one sitemap."""

    sitemap: str
    entries: int
    dated: int
    first: str | None
    last: str | None


def lastmod_ranges(connection: Connection, scan: Scan) -> list[LastmodRange]:
    """The sitemaps in the order in which they were found."""
    names = _names(scan)
    rows = connection.exec_driver_sql(_BY_SITEMAP.format_map(names)).all()
    return [LastmodRange._make(row) for row in rows]


def implausible_lastmods(connection: Connection, scan: Scan, max_examples: int) -> Found:
    """Pages with a date after the scan, or from before there were sitemaps."""
    names = _names(scan) | {
        "first_year": _FIRST_YEAR,
        # Dates are kept so that they compare as text.
        "tomorrow": iso_text(scan.started_at + _LEEWAY),
        "limit": str(int(max_examples)),
    }
    return found_rows(connection.exec_driver_sql(_IMPLAUSIBLE.format_map(names)).all())


def _names(scan: Scan) -> dict[str, str]:
    names = membership(scan)
    names |= {"kind": DocumentKind.SITEMAP.value, "sitemap": Source.SITEMAP.value}
    return names | {"dated": _DATED.format_map(names)}
