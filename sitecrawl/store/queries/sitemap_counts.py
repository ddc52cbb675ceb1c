"""Counts the URLs of a site and of each of its sitemaps: those that still count, and the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from sqlalchemy import func, select

from sitecrawl.items import DocumentKind
from sitecrawl.sitemaps.entries import SitemapKind
from sitecrawl.store import schema as t
from sitecrawl.store.queries.scans import membership
from sitecrawl.store.vocabulary import ScanStatus

if TYPE_CHECKING:
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.scans import Scan

# Each listed page belongs to the document that was the first to name it.
_BY_DOCUMENT: Final = """
SELECT p.document_id, count(*), count(CASE WHEN {own_counts} THEN 1 END)
FROM pages AS p WHERE p.site_id = {site} AND p.reason IS NULL GROUP BY p.document_id
"""
_MAX_KEPT: Final = 500

Counts: TypeAlias = dict[int, tuple[int, int]]
_kept: dict[tuple[str, int], Counts] = {}


@dataclass(frozen=True, slots=True)
class UrlCounts:
    total: int
    active: int
    inactive: int


@dataclass(frozen=True, slots=True)
class SitemapFact:
    """A sitemap as the newest scan that asked for it has seen it."""

    id: int
    url: str
    is_index: bool
    url_counts: UrlCounts
    last_status: int | None
    last_outcome: str | None
    etag: str | None
    last_modified: str | None


def read_sitemap_facts(database: Database, scan: Scan) -> tuple[UrlCounts, list[SitemapFact]]:
    """Of all URLs of the site, and of each sitemap in the order in which they were found."""
    counts = _counts(database, scan)
    with database.reading() as connection:
        rows = connection.execute(_sitemaps(scan.site_id)).all()
    sitemaps = [
        SitemapFact(
            id=row.id,
            url=row.url,
            is_index=row.format == SitemapKind.INDEX,
            url_counts=_url_counts(*counts.get(row.id, (0, 0))),
            last_status=row.status,
            last_outcome=row.outcome,
            etag=row.etag,
            last_modified=row.last_modified,
        )
        for row in rows
    ]
    totals = [sum(each) for each in zip(*counts.values(), strict=True)] or [0, 0]
    return _url_counts(*totals), sitemaps


def _url_counts(total: int, active: int) -> UrlCounts:
    return UrlCounts(total, active, total - active)


def _sitemaps(site_id: int) -> Any:
    own = t.fetches.alias()
    newest = (
        select(func.max(own.c.id))
        .where(own.c.document_id == t.documents.c.id)
        .correlate(t.documents)
        .scalar_subquery()
    )
    return (
        select(t.documents, t.fetches.c.status, t.fetches.c.outcome)
        .join_from(t.documents, t.fetches, t.fetches.c.id == newest)
        .where(
            t.documents.c.site_id == site_id,
            t.documents.c.kind == DocumentKind.SITEMAP,
            t.documents.c.gone_scan_id.is_(None),
        )
        .order_by(t.documents.c.id)
    )


def _counts(database: Database, scan: Scan) -> Counts:
    """By document. Every page is looked at, so what can no longer change is kept."""
    key = (database.label, scan.id)
    if key in _kept:
        return _kept[key]
    with database.reading() as connection:
        rows = connection.exec_driver_sql(_BY_DOCUMENT.format_map(membership(scan))).all()
    counts = {document_id: (total, active) for document_id, total, active in rows}
    if scan.status != ScanStatus.RUNNING:
        if len(_kept) >= _MAX_KEPT:
            _kept.clear()
        _kept[key] = counts
    return counts
