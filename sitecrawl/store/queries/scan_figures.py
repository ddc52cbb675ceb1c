"""Figures of scans: how far a running one has come, and how a site developed over its scans."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from sqlalchemy import and_, case, func, or_, select

from sitecrawl.items import FetchOutcome
from sitecrawl.store import schema as t

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from sqlalchemy import ColumnElement

    from sitecrawl.store.engine import Database


_FINE = (
    *(FetchOutcome.OK, FetchOutcome.NOT_MODIFIED, FetchOutcome.FRESH),
    *(FetchOutcome.REDIRECTED, FetchOutcome.NOT_FOUND),
)


@dataclass(frozen=True, slots=True)
class StoredProgress:
    """Figures of one scan."""

    scan_id: int
    status: str
    started_at: datetime
    heartbeat_at: datetime
    fetched: int
    """Documents, pages included."""
    failed: int
    received_bytes: int
    known: int
    """Pages that the crawl wants to visit, so far."""
    visited: int
    last_url: str | None
    """What was fetched last."""


@dataclass(frozen=True, slots=True)
class RecentFetch:
    """One line of what a scan has fetched."""

    id: int
    url: str
    kind: str
    outcome: str
    status: int | None
    elapsed_ms: int | None
    fetched_at: datetime
    entries: int | None
    """What it lists: pages, links, rules."""
    error: str | None


def recent_fetches(database: Database, scan_id: int, limit: int) -> list[RecentFetch]:
    """What was fetched last, the newest first."""
    fetched, document = t.fetches.c, t.documents.c
    statement = (
        select(
            *(fetched.id, document.url, document.kind, fetched.outcome, fetched.status),
            *(fetched.elapsed_ms, fetched.fetched_at, fetched.entries, fetched.error),
        )
        .join_from(t.fetches, t.documents, document.id == fetched.document_id)
        .where(fetched.scan_id == scan_id)
        .order_by(fetched.id.desc())
        .limit(limit)
    )
    with database.reading() as connection:
        return [RecentFetch(*row) for row in connection.execute(statement)]


def stored_progress(database: Database, scan_id: int) -> StoredProgress | None:
    """What a scan has written so far; None: there is no such scan."""
    own = t.fetches.c.scan_id == scan_id
    is_failed = t.fetches.c.outcome.not_in(_FINE)
    counts = select(
        func.count().label("fetched"),
        func.count().filter(is_failed).label("failed"),
        func.coalesce(func.sum(t.fetches.c.received_bytes), 0).label("received_bytes"),
        func.max(t.fetches.c.id).label("last_id"),
    ).where(own)
    crawl = select(
        func.count().label("known"), func.count(t.visits.c.outcome).label("visited")
    ).where(t.visits.c.scan_id == scan_id)
    names = ("status", "started_at", "heartbeat_at")
    with database.reading() as connection:
        scan = connection.execute(
            select(*(t.scans.c[name] for name in names)).where(t.scans.c.id == scan_id)
        ).first()
        if scan is None:
            return None
        fetched = connection.execute(counts).one()
        visits = connection.execute(crawl).one()
        last_url = connection.scalar(
            select(t.documents.c.url)
            .join_from(t.fetches, t.documents, t.documents.c.id == t.fetches.c.document_id)
            .where(t.fetches.c.id == fetched.last_id)
        )
    return StoredProgress(
        scan_id=scan_id,
        status=scan.status,
        started_at=scan.started_at,
        heartbeat_at=scan.heartbeat_at,
        fetched=fetched.fetched,
        failed=fetched.failed,
        received_bytes=int(fetched.received_bytes),
        known=visits.known,
        visited=visits.visited,
        last_url=last_url,
    )


ANSWERS: Final = ("ok", "unchanged", "redirect", "client error", "server error", "no answer")
_UNCHANGED: Final = (FetchOutcome.NOT_MODIFIED, FetchOutcome.FRESH)
_OK, _REDIRECT, _CLIENT_ERROR, _SERVER_ERROR = 200, 300, 400, 500
# Upper bounds of the classes that response times are counted in; a percentile is one of them.
_BOUNDS_MS: Final = (
    *(5, 10, 20, 30, 50, 75, 100, 150, 200, 300, 400, 500, 750, 1_000),
    *(1_500, 2_000, 3_000, 5_000, 7_500, 10_000, 15_000, 30_000, 60_000),
)


@dataclass(slots=True)
class FetchFigures:
    """What came of the requests of one scan."""

    answers: dict[str, int] = field(default_factory=dict)
    """By ``ANSWERS``."""
    times: dict[int, int] = field(default_factory=dict)
    """By upper bound in ms, how many answers took at most so long and longer than the one below."""

    def percentile_ms(self, share: float) -> int | None:
        """
        >>> FetchFigures(times={10: 8, 50: 1, 200: 1}).percentile_ms(0.5)
        10
        >>> FetchFigures().percentile_ms(0.5) is None
        True
        """
        left = share * sum(self.times.values())
        for bound in sorted(self.times):
            left -= self.times[bound]
            if left <= 0:
                return bound
        return None


def fetch_figures(database: Database, scan_ids: Sequence[int]) -> dict[int, FetchFigures]:
    """By scan; one without requests has none."""
    answer, bound = _answer(), _bound()
    statement = (
        select(t.fetches.c.scan_id, answer, bound, func.count())
        .where(t.fetches.c.scan_id.in_(scan_ids))
        .group_by(t.fetches.c.scan_id, answer, bound)
    )
    found: dict[int, FetchFigures] = {}
    with database.reading() as connection:
        for scan_id, name, upper, number in connection.execute(statement):
            figures = found.setdefault(scan_id, FetchFigures())
            figures.answers[name] = figures.answers.get(name, 0) + number
            if upper is not None:
                figures.times[upper] = figures.times.get(upper, 0) + number
    return found


def _answer() -> ColumnElement[str]:
    status = t.fetches.c.status
    return case(
        (t.fetches.c.outcome.in_(_UNCHANGED), "unchanged"),
        (status.is_(None), "no answer"),
        (status < _REDIRECT, "ok"),
        (status < _CLIENT_ERROR, "redirect"),
        (status < _SERVER_ERROR, "client error"),
        else_="server error",
    ).label("answer")


def _bound() -> ColumnElement[int]:
    """None: nothing was fetched, or nobody answered."""
    elapsed = t.fetches.c.elapsed_ms
    is_timed = and_(t.fetches.c.status.is_not(None), t.fetches.c.outcome != FetchOutcome.FRESH)
    classes = ((and_(is_timed, elapsed <= bound), bound) for bound in _BOUNDS_MS)
    return case(*classes, (is_timed, _BOUNDS_MS[-1]), else_=None).label("bound")


def recent_statuses(
    database: Database, site_ids: Sequence[int], limit: int
) -> dict[int, list[str]]:
    """By inventory, how its newest scans ended, the newest first."""
    rank = func.row_number().over(partition_by=t.scans.c.site_id, order_by=t.scans.c.id.desc())
    ranked = (
        select(t.scans.c.site_id, t.scans.c.status, rank.label("rank"))
        .where(t.scans.c.site_id.in_(site_ids))
        .subquery()
    )
    statement = (
        select(ranked.c.site_id, ranked.c.status)
        .where(ranked.c.rank <= limit)
        .order_by(ranked.c.site_id, ranked.c.rank)
    )
    found: dict[int, list[str]] = defaultdict(list)
    with database.reading() as connection:
        for site_id, status in connection.execute(statement):
            found[site_id].append(status)
    return dict(found)


@dataclass(slots=True)
class PagePresence:
    """A page that came or went: its first scan, and the intervals of scans without it."""

    url: str
    first_scan_id: int
    absences: list[tuple[int, int | None]] = field(default_factory=list)

    def is_there(self, scan_id: int) -> bool:
        """
        >>> page = PagePresence("https://example.com/a", 2, [(4, 6)])
        >>> [page.is_there(scan) for scan in (1, 2, 4, 5, 6)]
        [False, True, False, False, True]
        """
        if scan_id < self.first_scan_id:
            return False
        return not any(
            begin <= scan_id and (end is None or scan_id < end) for begin, end in self.absences
        )


def presences_since(database: Database, site_id: int, scan_id: int) -> Iterator[PagePresence]:
    """The listed pages that were not there in each scan from this one on."""
    pages, absences = t.pages.c, t.page_absences.c
    statement = (
        select(
            pages.id, pages.url, pages.first_scan_id, absences.from_scan_id, absences.until_scan_id
        )
        .join_from(t.pages, t.page_absences, absences.page_id == pages.id, isouter=True)
        .where(
            pages.site_id == site_id,
            pages.reason.is_(None),
            or_(
                pages.first_scan_id > scan_id,
                absences.from_scan_id > scan_id,
                absences.until_scan_id > scan_id,
            ),
        )
        .order_by(pages.id)
    )
    known: dict[int, PagePresence] = {}
    with database.reading() as connection:
        for number, url, first, begin, end in connection.execute(statement):
            page = known.setdefault(number, PagePresence(url, first))
            if begin is not None:
                page.absences.append((begin, end))
    yield from known.values()
