"""Which scans can go on, and what they had come to."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import case, exists, func, or_, select

from sitecrawl.items import (
    CHECK,
    COMMON_PLACE,
    NOT_SENT,
    SITEMAP_SOURCES,
    DocumentKind,
    FetchOutcome,
    RenderOutcome,
)
from sitecrawl.store.queries.checks import check_results
from sitecrawl.store.queries.known_documents import children
from sitecrawl.store.queries.page_filter import CONFIRMED_PAGES
from sitecrawl.store.queries.pages import count_pages
from sitecrawl.store.queries.scans import scan_by_id
from sitecrawl.store.schema import documents, fetches, mentions, pages, scans, sites, visits
from sitecrawl.store.vocabulary import ScanStatus
from sitecrawl.store.writers.records import ScanHandle
from sitecrawl.store.writers.scans import mark_dead_scans

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlalchemy.engine import Connection

    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.scans import Scan

_PROBED = (FetchOutcome.OK, FetchOutcome.NOT_FOUND)
_UNFINISHED = (ScanStatus.INTERRUPTED, ScanStatus.PARTIAL, ScanStatus.CANCELLED)


def find_dead_scans(database: Database, orphan_id: int | None = None) -> None:
    """Mark the scans whose process is gone, so that they are known to have ended.

    *orphan_id* is a scan whose worker is dead.
    """
    with database.writing() as connection:
        mark_dead_scans(connection, datetime.now(UTC), orphan_id)


def newest_unfinished_scan(database: Database) -> Scan | None:
    """The newest scan that did not come to its end, and is the last one of its site.

    A failed scan counts if its process died, or if it has read a page: the site answers, and
    something else, such as the database, ended the scan. A finished one counts if its feeds are
    still to be written.
    """
    newest_of_sites = select(func.max(scans.c.id)).group_by(scans.c.site_id)
    has_read = exists().where(visits.c.scan_id == scans.c.id, visits.c.outcome == FetchOutcome.OK)
    has_died = scans.c.summary.is_(None)  # who ends a scan in order leaves a summary
    statement = select(func.max(scans.c.id)).where(
        scans.c.id.in_(newest_of_sites),
        or_(
            scans.c.status.in_(_UNFINISHED),
            (scans.c.status == ScanStatus.FAILED) & (has_died | has_read),
            (scans.c.status == ScanStatus.FINISHED) & scans.c.pending_feeds.is_not(None),
        ),
    )
    with database.reading() as connection:
        scan_id = connection.scalar(statement)
    return scan_by_id(database, scan_id) if scan_id is not None else None


_SEEN_IDS = """
SELECT id FROM pages WHERE site_id = {site} AND seen_scan_id = {scan}
UNION
SELECT page_id FROM other_mentions WHERE scan_id = {scan}
UNION
SELECT page_id FROM visits WHERE scan_id = {scan} AND checked_for IS NULL
"""
# After any other outcome the document is worth another try.
_SETTLED = {FetchOutcome.OK, FetchOutcome.NOT_MODIFIED, FetchOutcome.NOT_FOUND}


class KnownVisit(NamedTuple):
    """A page of the frontier, visited or not."""

    page_id: int
    url: str
    number: int | None
    outcome: str | None
    is_productive: bool | None
    fingerprint: int | None
    text_hash: str | None = None
    rendered: str | None = None
    only_rendered: int | None = None
    checked_for: str | None = None
    """None: it is the crawl's."""


@dataclass(frozen=True, slots=True)
class Resumption:
    """The state of a scan that goes on."""

    root_url: str
    seen_ids: list[int]
    """Pages that the scan has stored, or has found stored."""
    visits: Sequence[KnownVisit]
    """In the order in which they were found; those of checks as well."""
    read_maps: Mapping[str, Sequence[tuple[str, str]]]
    """Sitemaps that need not be read again, with the documents that they name, and how."""
    read_entries: int
    """How many pages these list."""
    stats: Mapping[str, int]
    """What the run before had counted."""

    @property
    def crawl_visits(self) -> Iterator[KnownVisit]:
        return (visit for visit in self.visits if visit.checked_for is None)

    @property
    def last_number(self) -> int:
        return max((visit.number or 0 for visit in self.visits), default=0)

    @property
    def visited(self) -> int:
        """How many pages the crawl has visited; these come first in its order."""
        return sum(visit.outcome is not None for visit in self.crawl_visits)


def load_resumption(database: Database, scan: ScanHandle) -> Resumption:
    """Read what the interrupted scan has left."""
    with database.reading() as connection:
        seen = connection.exec_driver_sql(
            _SEEN_IDS.format(site=int(scan.site_id), scan=int(scan.scan_id))
        )
        seen_ids = [page_id for (page_id,) in seen]
        known_visits = [KnownVisit(*row) for row in connection.execute(_visits(scan.scan_id))]
        maps = connection.execute(_read_maps(scan.scan_id)).all()
        stats = _document_stats(connection, scan.scan_id)
        in_sitemaps = connection.scalar(_in_sitemaps(scan.scan_id)) or 0
        checks = check_results(connection, scan.scan_id)
    record = scan_by_id(database, scan.scan_id)
    assert record is not None
    stats |= page_stats(database, record)
    stats["sitecrawl/pages/in_sitemaps"] = in_sitemaps
    crawled = [visit for visit in known_visits if visit.checked_for is None]
    stats["sitecrawl/crawl/found"] = len(crawled)
    stats["sitecrawl/crawl/visited"] = sum(each.outcome is not None for each in crawled)
    stats |= _render_stats(known_visits)
    stats |= {f"sitecrawl/checks/{result}": number for result, number in checks.items()}
    return Resumption(
        root_url=record.root_url,
        seen_ids=seen_ids,
        visits=known_visits,
        read_maps={row.url: children(database, row.id) for row in maps},
        read_entries=sum(row.entries or 0 for row in maps),
        stats=stats,
    )


def join_scan(database: Database, scan: Scan) -> tuple[ScanHandle, int | None]:
    """What a fetcher needs of a scan that another process runs, and its root's fingerprint."""
    previous = select(func.max(scans.c.id)).where(
        scans.c.site_id == scan.site_id, scans.c.id < scan.id
    )
    root = select(visits.c.fingerprint).where(visits.c.scan_id == scan.id, visits.c.number == 1)
    with database.reading() as connection:
        previous_id = connection.scalar(previous)
        seed = connection.execute(
            select(sites.c.seed).where(sites.c.id == scan.site_id)
        ).scalar_one()
        fingerprint = connection.scalar(root)
    handle = ScanHandle(scan.id, scan.site_id, seed, previous_id, previous_id is not None)
    return handle, fingerprint


def page_stats(database: Database, scan: Scan) -> dict[str, int]:
    """The stats of the pages that the scan itself has seen, counted by the database."""
    stats: Counter[str] = Counter()
    for count in count_pages(database, scan, CONFIRMED_PAGES):
        if count.reason is None:
            stats["sitecrawl/pages/listed"] += count.pages
            stats[f"sitecrawl/pages/source/{count.source}"] += count.pages
        else:
            stats[f"sitecrawl/pages/refused/{count.reason}"] += count.pages
    return stats


def _render_stats(known_visits: Sequence[KnownVisit]) -> dict[str, int]:
    outcomes = Counter(visit.rendered for visit in known_visits)
    return {
        "sitecrawl/render/pages": outcomes[RenderOutcome.RENDERED],
        "sitecrawl/render/failed": outcomes[RenderOutcome.FAILED],
        "sitecrawl/render/missed": outcomes[RenderOutcome.NO_BROWSER],
        "sitecrawl/render/only_rendered": sum(visit.only_rendered or 0 for visit in known_visits),
    }


def _visits(scan_id: int) -> Any:
    own = (visits.c[name] for name in KnownVisit._fields)
    return select(*own).where(visits.c.scan_id == scan_id).order_by(visits.c.id)


def _read_maps(scan_id: int) -> Any:
    return (
        select(documents.c.url, documents.c.id, documents.c.entries)
        .join_from(fetches, documents, documents.c.id == fetches.c.document_id)
        .where(
            fetches.c.scan_id == scan_id,
            documents.c.kind == DocumentKind.SITEMAP,
            fetches.c.outcome.in_(_SETTLED),
            # Of a map that was cut by a limit there may be more now.
            (fetches.c.outcome != FetchOutcome.OK) | fetches.c.complete,
        )
        .distinct()
    )


def _in_sitemaps(scan_id: int) -> Any:
    """How many pages its sitemaps list."""
    listed = pages.c.reason.is_(None)
    return (
        select(func.count(mentions.c.page_id.distinct()))
        .join_from(mentions, pages, pages.c.id == mentions.c.page_id)
        .where(mentions.c.scan_id == scan_id, mentions.c.source.in_(SITEMAP_SOURCES), listed)
    )


def _document_stats(connection: Connection, scan_id: int) -> dict[str, int]:
    is_guess = (documents.c.kind == DocumentKind.ROBOTS_TXT) | (
        documents.c.found_by == COMMON_PLACE
    )
    is_probe = case(
        (documents.c.kind == DocumentKind.PROBE, fetches.c.outcome.in_(_PROBED)),
        else_=is_guess & (fetches.c.outcome == FetchOutcome.NOT_FOUND),
    )
    counts = (
        select(fetches.c.outcome, is_probe, func.count())
        .join_from(fetches, documents, documents.c.id == fetches.c.document_id)
        # What was not sent is to be sent now.
        .where(
            fetches.c.scan_id == scan_id,
            fetches.c.outcome.not_in(NOT_SENT),
            documents.c.found_by != CHECK,
        )
        .group_by(fetches.c.outcome, is_probe)
    )
    stats: Counter[str] = Counter()
    for outcome, probed, number in connection.execute(counts):
        name = "probes" if probed else f"outcome/{outcome}"
        stats[f"sitecrawl/documents/{name}"] += number
    return stats
