"""A workspace and a site at a glance, and how they developed: what the dashboard shows first."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Final

from sitecrawl.services.change_detection import catch_up
from sitecrawl.services.changes import list_changes, scan_counts
from sitecrawl.services.jobs import monitor_status
from sitecrawl.services.permissions import Permission, requires
from sitecrawl.services.sites import count_sites, get_site, list_sites, site_scans
from sitecrawl.store.queries import workspace_activity as queries
from sitecrawl.store.queries.document_lists import UrlCounts, read_sitemap_facts
from sitecrawl.store.queries.scan_figures import (
    FetchFigures,
    fetch_figures,
    presences_since,
    recent_statuses,
)
from sitecrawl.store.queries.scans import latest_scan, site_by_id
from sitecrawl.store.queries.watched_sites import SiteFilter, SiteSort
from sitecrawl.store.vocabulary import ENDED_WELL, ScanStatus, SiteState
from sitecrawl.urls.path_tree import section_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sitecrawl.services.database import AskedScan
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.changes import ChangeFact
    from sitecrawl.store.queries.cursors import ListPage
    from sitecrawl.store.queries.document_lists import SitemapFact
    from sitecrawl.store.queries.scans import Scan
    from sitecrawl.store.queries.watched_sites import WatchedSite
    from sitecrawl.store.queries.workspace_activity import ScanFigure, ScanTotals, WorkspaceIncident

TREND_DAYS: Final = 30
TOP_SITES: Final = 5
SHOWN_KINDS: Final = ("added", "removed", "updated", "other")
_PAGES: Final = "pages"
_UNENDED: Final = frozenset({ScanStatus.FAILED, ScanStatus.INTERRUPTED})
_FEW: Final = 10
RECENT_SCANS: Final = 10
RECENT_CHANGES: Final = 50
TREND_SCANS: Final = 30
STATUSES_SHOWN: Final = 20
TOP_SECTIONS: Final = 6
OTHER_SECTIONS: Final = "other"


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
    """The sites with the most changes, then with the most scans."""
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
    """Totals of the scans that ended within the period, and what runs and waits now."""
    return queries.scan_totals(database, workspace_id, datetime.now(UTC) - period)


# --- one site -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SiteOverview:
    site: WatchedSite
    urls: UrlCounts
    sitemaps: list[SitemapFact]
    recent_scans: list[Scan]
    scan_counts: dict[int, dict[str, int]]
    """By scan, how many changes it has found of each kind."""
    recent_changes: list[ChangeFact]


@requires(Permission.READ)
def site_overview(database: Database, workspace_id: int, number: int) -> SiteOverview:
    """Counts, sitemaps, and the newest scans and changes of a site."""
    site = get_site(database, workspace_id, number)
    recent = site_scans(database, workspace_id, number, RECENT_SCANS)
    inventory = site_by_id(database, site.site_id) if site.site_id else None
    scan = latest_scan(database, inventory.id) if inventory else None
    if inventory is None or scan is None:
        return SiteOverview(site, UrlCounts(0, 0, 0), [], recent, {}, [])
    catch_up(database, inventory)
    urls, sitemaps = read_sitemap_facts(database, scan)
    counts = {each.id: scan_counts(database, each) for each in recent}
    changes = list_changes(database, inventory, limit=RECENT_CHANGES)
    return SiteOverview(site, urls, sitemaps, recent, counts, list(changes.rows))


# --- trends ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ScanTrend:
    """One scan of a trend."""

    scan: Scan
    changes: dict[str, int]
    """By kind."""
    figures: FetchFigures

    @property
    def pages(self) -> int | None:
        number = (self.scan.summary or {}).get("pages")
        return number if isinstance(number, int) else None


@requires(Permission.READ)
def site_trends(
    database: Database, workspace_id: int, number: int, limit: int = TREND_SCANS
) -> list[ScanTrend]:
    """The newest scans of a site, the newest first."""
    scans = site_scans(database, workspace_id, number, limit)
    figures = fetch_figures(database, [each.id for each in scans])
    return [
        ScanTrend(each, scan_counts(database, each), figures.get(each.id, FetchFigures()))
        for each in scans
    ]


@requires(Permission.READ)
def recent_scan_statuses(
    database: Database, sites: Sequence[WatchedSite], limit: int = STATUSES_SHOWN
) -> dict[int, list[str]]:
    """By watched site, how its newest scans ended, the newest first."""
    inventories = [each.site_id for each in sites if each.site_id]
    found = recent_statuses(database, inventories, limit) if inventories else {}
    return {each.id: found.get(each.site_id or 0, []) for each in sites}


@dataclass(frozen=True, slots=True)
class SectionTrend:
    names: list[str]
    """The largest sections, then ``OTHER_SECTIONS`` if there are more."""
    rows: list[tuple[Scan, dict[str, int]]]
    """The oldest scan first, with its pages by section."""


@requires(Permission.READ)
def section_trend(
    asked: AskedScan, sections: Mapping[str, int], scans: Sequence[Scan]
) -> SectionTrend:
    """Listed pages by section as of each of *scans*, which came before the asked one or are it.

    *sections* are those of the asked scan: only what came and went since is read.
    """
    kept = sorted(
        (
            each
            for each in scans
            if each.site_id == asked.site.id
            and each.id <= asked.scan.id
            and each.status in ENDED_WELL
        ),
        key=lambda each: each.id,
    )
    largest = [name for name, pages in Counter(sections).most_common(TOP_SECTIONS) if pages]
    names = [*largest, *([OTHER_SECTIONS] if len(sections) > len(largest) else [])]

    def named(section: str) -> str:
        return section if section in largest else OTHER_SECTIONS

    now: Counter[str] = Counter()
    for section, pages in sections.items():
        now[named(section)] += pages
    counts = {each.id: Counter(now) for each in kept}
    if kept:
        for page in presences_since(asked.database, asked.site.id, kept[0].id):
            is_there_now = page.is_there(asked.scan.id)
            section = named(section_of(page.url, sections))
            for scan_id, found in counts.items():
                found[section] += page.is_there(scan_id) - is_there_now
    rows = [(each, {name: counts[each.id][name] for name in names}) for each in kept]
    return SectionTrend(names, rows)
