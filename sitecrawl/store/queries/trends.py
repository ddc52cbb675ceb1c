"""Reads how a site developed over its scans: answers, response times, pages by section."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from sqlalchemy import and_, case, func, or_, select

from sitecrawl.items import FetchOutcome
from sitecrawl.store import schema as t

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy import ColumnElement

    from sitecrawl.store.engine import Database

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
