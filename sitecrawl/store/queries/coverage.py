"""How complete the crawl of a scan was."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from sitecrawl.items import DocumentKind, FetchOutcome
from sitecrawl.store.queries.scans import last_look
from sitecrawl.store.schema import documents, fetches, visits

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy.engine import Connection

    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.scans import Scan

_READ = [FetchOutcome.OK, FetchOutcome.NOT_MODIFIED]
_OF_CRAWL = visits.c.checked_for.is_(None)
_SETTLED = [*_READ, FetchOutcome.REDIRECTED, FetchOutcome.NOT_FOUND]


@dataclass(frozen=True, slots=True)
class CrawlEnd:
    """Whether the crawl of a scan ran, and why it ended."""

    scan_id: int
    scan_status: str
    has_crawled: bool
    """Whether any page but the root was to be visited."""
    ended: str
    """Why the crawl ended, or did not begin; empty while nobody has said so."""
    limits: list[dict[str, Any]]
    """Limits that the scan has hit: ``what``, ``setting``, ``limit``."""


@dataclass(frozen=True, slots=True)
class CrawlCoverage(CrawlEnd):
    """The same with figures."""

    known: int
    """Pages that the crawl wanted to visit."""
    visited: int
    failed: int
    """Visited ones that could not be read."""
    held: int
    """Ones that were not visited because their pattern had had its share."""
    sitemaps: int
    """Sitemaps that were read."""

    @property
    def waiting(self) -> int:
        """Pages whose turn did not come."""
        return self.known - self.visited - self.held

    @property
    def is_whole(self) -> bool:
        """Whether every page that was known has been read."""
        return self.has_crawled and self.visited == self.known and not (self.failed or self.limits)

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "waiting": self.waiting, "is_whole": self.is_whole}


def crawl_end(connection: Connection, scan: Scan) -> CrawlEnd:
    """What can be told without counting all visits of the scan."""
    summary: Mapping[str, Any] = scan.summary or {}
    stages: dict[str, dict[str, Any]] = {each["stage"]: each for each in summary.get("stages", ())}
    crawl = stages.get("crawl", {})
    has_crawled = bool(crawl.get("visited")) or _has_visited_two(connection, scan.id)
    return CrawlEnd(
        scan_id=scan.id,
        scan_status=scan.status,
        has_crawled=has_crawled,
        ended=crawl.get("ended", ""),
        limits=list(summary.get("truncated", ())),
    )


def crawl_coverage(database: Database, scan: Scan) -> CrawlCoverage:
    """Count what the crawl of the scan knew and visited.

    A scan that fetched pages for a dive has looked for none: then it is that of the scan before.
    """
    scan = last_look(database, scan)
    with database.reading() as connection:
        end = crawl_end(connection, scan)
        known, visited, failed, held = _visit_counts(connection, scan.id)
        sitemaps = _read_sitemaps(connection, scan.id)
    return CrawlCoverage(
        **asdict(end), known=known, visited=visited, failed=failed, held=held, sitemaps=sitemaps
    )


def waiting_visits(database: Database, scan_id: int) -> int:
    """Pages of the frontier whose turn has not come; those that are held are not among them."""
    is_waiting = visits.c.number.is_not(None) & visits.c.outcome.is_(None)
    statement = select(func.count()).where(visits.c.scan_id == scan_id, is_waiting, _OF_CRAWL)
    with database.reading() as connection:
        return connection.scalar(statement) or 0


def _has_visited_two(connection: Connection, scan_id: int) -> bool:
    is_visited = visits.c.outcome.is_not(None)
    some = select(visits.c.id).where(visits.c.scan_id == scan_id, is_visited, _OF_CRAWL).limit(2)
    return len(connection.execute(some).all()) > 1


def _visit_counts(connection: Connection, scan_id: int) -> tuple[int, int, int, int]:
    is_failed = visits.c.outcome.is_not(None) & visits.c.outcome.not_in(_SETTLED)
    counts = select(
        func.count(),
        func.count(visits.c.outcome),
        func.count().filter(is_failed),
        func.count().filter(visits.c.number.is_(None)),
    ).where(visits.c.scan_id == scan_id, _OF_CRAWL)
    known, visited, failed, held = connection.execute(counts).one()
    return known, visited, failed, held


def _read_sitemaps(connection: Connection, scan_id: int) -> int:
    read = (
        select(func.count(func.distinct(documents.c.id)))
        .join_from(fetches, documents, documents.c.id == fetches.c.document_id)
        .where(
            fetches.c.scan_id == scan_id,
            documents.c.kind == DocumentKind.SITEMAP,
            fetches.c.outcome.in_(_READ),
        )
    )
    return connection.scalar(read) or 0
