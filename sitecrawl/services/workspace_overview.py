"""A workspace at a glance: how much is watched, what changed, what needs attention."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Final

from sitecrawl.services.jobs import monitor_status
from sitecrawl.services.permissions import Permission, requires
from sitecrawl.services.sites import count_sites, list_sites
from sitecrawl.store.queries import workspace_activity as queries
from sitecrawl.store.queries.watched_sites import SiteFilter, SiteSort
from sitecrawl.store.vocabulary import ScanStatus, SiteState

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.paging import ListPage
    from sitecrawl.store.queries.watched_sites import WatchedSite
    from sitecrawl.store.queries.workspace_activity import (
        ScanFigure,
        ScanTotals,
        WorkspaceIncident,
    )

TREND_DAYS: Final = 30
TOP_SITES: Final = 5
SHOWN_KINDS: Final = ("added", "removed", "updated", "other")
_PAGES: Final = "pages"
_UNENDED: Final = frozenset({ScanStatus.FAILED, ScanStatus.INTERRUPTED})
_FEW: Final = 10


@dataclass(frozen=True, slots=True)
class DayOfChanges:
    day: date
    counts: dict[str, int]
    """By ``SHOWN_KINDS``."""

    @property
    def total(self) -> int:
        return sum(self.counts.values())


@dataclass(frozen=True, slots=True)
class BusySite:
    """A site with how often it was scanned and how much of it changed."""

    id: int
    name: str
    scans: int
    changes: int


@dataclass(frozen=True, slots=True)
class WorkspaceOverview:
    sites: int
    enabled_sites: int
    changes_today: dict[str, int]
    """By ``SHOWN_KINDS``, in the last 24 hours."""
    scans_today: int
    failed_today: int
    mean_seconds: float | None
    """Of the scans of the last 24 hours that ended in order."""
    trend: list[DayOfChanges]
    """One entry for each of the last 30 days (UTC), also for days without a scan."""
    busiest: list[BusySite]
    incidents: tuple[WorkspaceIncident, ...]
    """The open ones that need attention first; snoozed ones are left out."""
    failing: tuple[WatchedSite, ...]
    is_scheduling: bool


@requires(Permission.READ)
def workspace_overview(
    database: Database, workspace_id: int, now: datetime | None = None
) -> WorkspaceOverview:
    now = now or datetime.now(UTC)
    figures = queries.ended_scans(database, workspace_id, now - timedelta(days=TREND_DAYS))
    today = [each for each in figures if each.finished_at >= now - timedelta(days=1)]
    durations = [
        (each.finished_at - each.started_at).total_seconds()
        for each in today
        if each.status not in _UNENDED
    ]
    failing = SiteFilter(state=SiteState.FAILING)
    enabled = SiteFilter(state=SiteState.ENABLED)
    return WorkspaceOverview(
        sites=count_sites(database, workspace_id),
        enabled_sites=count_sites(database, workspace_id, enabled),
        changes_today=_counts(today),
        scans_today=len(today),
        failed_today=sum(each.status in _UNENDED for each in today),
        mean_seconds=sum(durations) / len(durations) if durations else None,
        trend=_trend(figures, now.date()),
        busiest=_busiest(figures),
        incidents=list_workspace_incidents(database, workspace_id, limit=_FEW, now=now).rows,
        failing=list_sites(
            database, workspace_id, failing, sort=SiteSort.LAST_SCAN, is_descending=True, limit=_FEW
        ).rows,
        is_scheduling=monitor_status(database, workspace_id).is_scheduling,
    )


@requires(Permission.READ)
def list_workspace_incidents(
    database: Database,
    workspace_id: int,
    *,
    status: str = "open",
    with_snoozed: bool = False,
    cursor: str | None = None,
    limit: int = 50,
    now: datetime | None = None,
) -> ListPage[WorkspaceIncident]:
    """Those of all sites, the most severe first; *status* is open, closed or empty for both."""
    return queries.workspace_incidents(
        database,
        workspace_id,
        status=status,
        now=now or datetime.now(UTC),
        with_snoozed=with_snoozed,
        cursor=cursor,
        limit=limit,
    )


def _counts(figures: Iterable[ScanFigure]) -> dict[str, int]:
    found = dict.fromkeys(SHOWN_KINDS, 0)
    for figure in figures:
        for kind, number in figure.counts.items():
            if kind != _PAGES:
                found[kind if kind in found else "other"] += number
    return found


def _trend(figures: list[ScanFigure], last: date) -> list[DayOfChanges]:
    days = [last - timedelta(days=back) for back in reversed(range(TREND_DAYS))]
    by_day: dict[date, list[ScanFigure]] = {day: [] for day in days}
    for figure in figures:
        by_day.get(figure.finished_at.astimezone(UTC).date(), []).append(figure)
    return [DayOfChanges(day, _counts(by_day[day])) for day in days]


def _busiest(figures: list[ScanFigure]) -> list[BusySite]:
    """Those with the most changes, then with the most scans."""
    scans: Counter[int] = Counter(each.watched_site_id for each in figures)
    changes: Counter[int] = Counter()
    names: dict[int, str] = {}
    for figure in figures:
        names[figure.watched_site_id] = figure.site_name
        changes[figure.watched_site_id] += sum(_counts([figure]).values())
    found = [BusySite(number, names[number], scans[number], changes[number]) for number in scans]
    return sorted(found, key=lambda each: (-each.changes, -each.scans, each.name))[:TOP_SITES]


@requires(Permission.READ)
def scan_totals(database: Database, workspace_id: int, period: timedelta) -> ScanTotals:
    """What the scans came to that ended within the period, and what runs and waits now."""
    return queries.scan_totals(database, workspace_id, datetime.now(UTC) - period)
