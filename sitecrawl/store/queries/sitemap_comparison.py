"""Compares the sitemaps of a site with its links.

* An *orphan* is in a sitemap, but no page that was visited links to it. Where a crawl starts needs
  no link.
* An *unlisted* page is linked, but in no sitemap.

A link is what a visitor can follow. What pages tell to machines alone (``canonical``,
``hreflang``, data in scripts) links nothing, and neither does a link of a page to itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sitecrawl.html.links import LinkSource
from sitecrawl.items import DocumentKind, Source
from sitecrawl.robots.policy import VerdictReason
from sitecrawl.store.engine import driver_rows
from sitecrawl.store.queries.scans import membership

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sqlalchemy.engine import Connection

    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.scans import Scan

_ROWS_AT_ONCE: Final = 500
FOLLOWED_SOURCES: Final = (
    *(LinkSource.LINK, LinkSource.AREA, LinkSource.DATA_ATTRIBUTE, LinkSource.BUTTON),
    *(LinkSource.ROLE_LINK, LinkSource.ROUTER_LINK, LinkSource.ONCLICK, LinkSource.IFRAME),
    *(LinkSource.FORM, LinkSource.META_REFRESH, LinkSource.HTTP_REFRESH, LinkSource.REDIRECT),
    *(LinkSource.RENDERED_LINK, LinkSource.SPA_CLICK, LinkSource.SPA_SCRIPT),
)

_SITEMAPS: Final = "(SELECT id FROM documents WHERE site_id = {site} AND kind = '{kind}')"
_IS_LINK: Final = """
({m}.source IN ({followed}) AND NOT EXISTS (
    SELECT 1 FROM visits AS itself
    WHERE itself.scan_id = {scan} AND itself.page_id = {page}
    AND itself.document_id = {m}.document_id))
"""
_IN_SITEMAP: Final = """
(({own_counts} AND p.document_id IN {sitemaps}) OR p.id IN (
    SELECT other.page_id FROM other_mentions AS other
    WHERE other.document_id IN {sitemaps} AND {other_counts}))
"""
_IS_LINKED: Final = """
(({own_counts} AND {own_is_link}) OR p.id IN (
    SELECT other.page_id FROM further_mentions AS other
    WHERE {other_is_link} AND {other_counts}))
"""

# Whether a page is an orphan; false without a crawl, which visits more than the root.
IS_ORPHAN: Final = """
(p.reason IS NULL AND EXISTS (
    SELECT 1 FROM visits WHERE scan_id = {scan} AND number > 1 AND outcome IS NOT NULL)
AND {in_sitemap} AND NOT {is_linked}
AND p.id NOT IN (SELECT page_id FROM visits WHERE scan_id = {scan} AND found_by IS NULL))
"""
_ORPHANS: Final = """
SELECT p.url, p.title, p.lastmod, d.url
FROM pages AS p
LEFT JOIN documents AS d ON d.id = CASE WHEN p.document_id IN {sitemaps} THEN p.document_id ELSE (
    SELECT min(other.document_id) FROM other_mentions AS other
    WHERE other.page_id = p.id AND other.document_id IN {sitemaps} AND {other_counts}) END
WHERE p.site_id = {site} AND p.reason IS NULL AND {in_sitemap} AND NOT {is_linked}
AND p.id NOT IN (SELECT page_id FROM visits WHERE scan_id = {scan} AND found_by IS NULL)
ORDER BY p.number
"""
_UNLISTED: Final = """
SELECT p.url, p.title, v.clicks, f.status, d.url, CASE WHEN {own_is_link} THEN p.anchor END
FROM pages AS p
LEFT JOIN visits AS v ON v.page_id = p.id AND v.scan_id = {scan}
LEFT JOIN fetches AS f ON f.document_id = v.document_id AND f.scan_id = {scan}
LEFT JOIN documents AS d ON d.id = CASE WHEN {own_is_link} THEN p.document_id ELSE (
    SELECT min(other.document_id) FROM further_mentions AS other
    WHERE other.page_id = p.id AND {other_is_link} AND {other_counts}) END
WHERE p.site_id = {site} AND p.reason IS NULL AND coalesce(v.external_hops, 0) = 0
AND {is_linked} AND NOT {in_sitemap}
ORDER BY p.number
"""


class Orphan(NamedTuple):
    """A page that no link leads to."""

    url: str
    title: str | None
    lastmod: str | None
    sitemap: str
    """The first that lists it."""


class UnlistedPage(NamedTuple):
    """A page that the sitemaps do not know."""

    url: str
    title: str | None
    clicks: int | None
    http_status: int | None
    linked_by: str
    """The first page that links to it."""
    anchor: str | None


def orphans(database: Database, scan: Scan) -> Iterator[Orphan]:
    """Listed pages in the order in which they were first seen."""
    return map(Orphan._make, _rows(database, scan, _ORPHANS))


def unlisted_pages(database: Database, scan: Scan) -> Iterator[UnlistedPage]:
    """Listed pages of the site in the order in which they were first seen."""
    return map(UnlistedPage._make, _rows(database, scan, _UNLISTED))


def _rows(database: Database, scan: Scan, statement: str) -> Iterator[tuple[Any, ...]]:
    with database.reading() as connection:
        streamed = connection.execution_options(stream_results=True)
        with streamed.exec_driver_sql(statement.format_map(link_names(membership(scan)))) as result:
            last_url = None
            for rows in result.partitions(_ROWS_AT_ONCE):
                for row in rows:
                    # A page that was fetched twice in one scan is one page all the same.
                    if row[0] != last_url:
                        yield tuple(row)
                    last_url = row[0]


def link_names(counts: Mapping[str, str]) -> dict[str, str]:
    """What stands for names in these statements; *counts* is the ``membership`` of a scan."""
    names = dict(counts)
    names["sitemaps"] = _SITEMAPS.format(site=names["site"], kind=DocumentKind.SITEMAP.value)
    followed = ", ".join(f"'{source.value}'" for source in FOLLOWED_SOURCES)
    for name, mention, page in (
        ("own_is_link", "p", "p.id"),
        ("other_is_link", "other", "other.page_id"),
    ):
        names[name] = _IS_LINK.format(m=mention, page=page, followed=followed, scan=names["scan"])
    names["in_sitemap"] = _IN_SITEMAP.format_map(names)
    names["is_linked"] = _IS_LINKED.format_map(names)
    return names


_PAGES: Final = """
SELECT p.id, p.url, p.title, p.importance, p.source, p.anchor, p.details, p.reason, p.rule,
    blocking.rule, coalesce({lastmod}, listing.lastmod), d.url,
    {is_listed} OR listing.page_id IS NOT NULL, {entries} + coalesce(listing.entries, 0),
    p.id IN (SELECT page_id FROM visits WHERE scan_id = {scan} AND outcome IS NOT NULL),
    coalesce(k.language, '')
FROM pages AS p
LEFT JOIN page_classes AS pc ON pc.page_number = p.number
LEFT JOIN classes AS k ON k.id = pc.class_id
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
    language: str
    """``""``: not known."""


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
            yield from map(SitemapPage._make, _stream(connection, _PAGES.format_map(names | own)))


def _stream(connection: Connection, statement: str) -> Iterator[tuple[Any, ...]]:
    streamed = connection.execution_options(stream_results=True)
    with streamed.exec_driver_sql(statement) as result:
        for rows in driver_rows(result, _ROWS_AT_ONCE):
            yield from rows
