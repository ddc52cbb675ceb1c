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
from sitecrawl.items import DocumentKind
from sitecrawl.store.membership import membership

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sitecrawl.store.engine import Database
    from sitecrawl.store.facts import Scan

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
        with streamed.exec_driver_sql(statement.format_map(_names(scan))) as result:
            last_url = None
            for rows in result.partitions(_ROWS_AT_ONCE):
                for row in rows:
                    # A page that was fetched twice in one scan is one page all the same.
                    if row[0] != last_url:
                        yield tuple(row)
                    last_url = row[0]


def _names(scan: Scan) -> dict[str, str]:
    names = membership(scan)
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
