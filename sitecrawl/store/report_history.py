"""Reads what a scan did, for a report: its documents in order, its sitemaps, its robots.txt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import case, func, select

from sitecrawl.items import DocumentKind, FetchOutcome
from sitecrawl.store.tables import documents, fetches, scans

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from sqlalchemy.engine import Connection

    from sitecrawl.store.engine import Database
    from sitecrawl.store.facts import Scan

_READ = [FetchOutcome.OK, FetchOutcome.REDIRECTED, FetchOutcome.NOT_MODIFIED]
# What a document listed in an earlier scan does not count when it could not be read in this one.
_LISTED = case((fetches.c.outcome.in_(_READ), func.coalesce(documents.c.listed, 0)), else_=0)


class DocumentFetch(NamedTuple):
    """A fetch of a document in the scan."""

    url: str
    format: str | None
    outcome: str
    status: int | None
    fetched_at: datetime
    entries: int
    listed: int
    """Pages that it was the first to list."""
    received_bytes: int
    findings: list[dict[str, Any]]
    truncated: bool
    found_by: str
    is_named: bool
    """Whether another document names it; otherwise it was looked for where one usually is."""


def document_fetches(database: Database, scan: Scan, kind: DocumentKind) -> list[DocumentFetch]:
    """The documents of one kind in the order in which they were fetched."""
    statement = (
        select(
            documents.c.url,
            func.coalesce(fetches.c.format, documents.c.format),
            fetches.c.outcome,
            fetches.c.status,
            fetches.c.fetched_at,
            # One that has not changed is not read again.
            func.coalesce(func.nullif(fetches.c.entries, 0), documents.c.entries, 0),
            _LISTED,
            fetches.c.received_bytes,
            fetches.c.findings,
            fetches.c.truncated,
            documents.c.found_by,
            documents.c.parent_id.is_not(None),
        )
        .join_from(fetches, documents, documents.c.id == fetches.c.document_id)
        .where(fetches.c.scan_id == scan.id, documents.c.kind == kind)
        .order_by(fetches.c.id)
    )
    with database.reading() as connection:
        return [DocumentFetch._make(row) for row in connection.execute(statement)]


def new_pages_by_request(database: Database, scan: Scan) -> list[int]:
    """How many pages each document of the scan was the first to list, in the order of fetches."""
    statement = (
        select(_LISTED)
        .join_from(fetches, documents, documents.c.id == fetches.c.document_id)
        .where(
            fetches.c.scan_id == scan.id,
            documents.c.kind.in_([DocumentKind.SITEMAP, DocumentKind.PAGE]),
        )
        .order_by(fetches.c.id)
    )
    with database.reading() as connection:
        return list(connection.scalars(statement))


def document_urls(connection: Connection, ids: Iterable[int]) -> dict[int, str]:
    """By number."""
    statement = select(documents.c.id, documents.c.url).where(documents.c.id.in_(sorted(ids)))
    return {row.id: row.url for row in connection.execute(statement)}


def unread_sitemaps(database: Database, scan: Scan) -> int:
    """Sitemaps that were asked for and may be there, but could not be read to their end."""
    is_unread = fetches.c.outcome.not_in([*_READ, FetchOutcome.NOT_FOUND, FetchOutcome.FRESH])
    is_cut = fetches.c.truncated | ((fetches.c.outcome == FetchOutcome.OK) & ~fetches.c.complete)
    statement = (
        select(func.count(func.distinct(documents.c.id)))
        .join_from(fetches, documents, documents.c.id == fetches.c.document_id)
        .where(
            fetches.c.scan_id == scan.id,
            documents.c.kind == DocumentKind.SITEMAP,
            is_unread | is_cut,
        )
    )
    with database.reading() as connection:
        return connection.scalar(statement) or 0


def number_of_scans(database: Database, site_id: int) -> int:
    statement = select(func.count()).select_from(scans).where(scans.c.site_id == site_id)
    with database.reading() as connection:
        return connection.scalar(statement) or 0
