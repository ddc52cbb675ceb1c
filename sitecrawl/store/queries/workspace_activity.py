"""Reads what happened on all sites of a workspace: scans, comparisons, incidents."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import case, func, join, select

from sitecrawl.changes.kinds import Severity
from sitecrawl.store import schema as t
from sitecrawl.store.queries.changes import IncidentFact, incident_of
from sitecrawl.store.queries.cursors import ListPage, Order, list_page, page_of
from sitecrawl.store.vocabulary import JobStatus, ScanStatus

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement

    from sitecrawl.store.engine import Database


@dataclass(frozen=True, slots=True)
class ScanFigure:
    """A scan that has ended."""

    watched_site_id: int
    site_name: str
    status: str
    started_at: datetime
    finished_at: datetime
    counts: dict[str, int]
    """Changes by kind; empty if it was not compared, or is a baseline."""


@dataclass(frozen=True, slots=True)
class WorkspaceIncident:
    """An incident with the watched site that it is of."""

    watched_site_id: int
    site_name: str
    incident: IncidentFact


@dataclass(frozen=True, slots=True)
class ScanTotals:
    """What the scans that ended lately came to, taken together."""

    running: int
    scans: Counter[str]
    """By status."""
    documents: Counter[str]
    """Fetched, by outcome."""
    requests: int
    received_bytes: int
    smallest_gap_seconds: float | None
    """Between two requests to one host; None: no host was asked twice."""
    longest_pause_seconds: float
    """That a host has asked for."""
    oldest_queued_at: datetime | None
    """Since when the job waits that has waited longest; None: none waits."""


_MAX_SCANS: Final = 1_000

_RANK: Final = case({str(each): each.rank for each in Severity}, value=t.incidents.c.severity)


def ended_scans(database: Database, workspace_id: int, since: datetime) -> list[ScanFigure]:
    """Those of the sites' present inventories, the oldest first."""
    is_change = t.comparisons.c.baseline.is_(None)
    statement = (
        select(
            t.watched_sites.c.id,
            t.watched_sites.c.name,
            t.scans.c.status,
            t.scans.c.started_at,
            t.scans.c.finished_at,
            case((is_change, t.comparisons.c.counts)).label("counts"),
        )
        .join_from(t.scans, t.watched_sites, t.watched_sites.c.site_id == t.scans.c.site_id)
        .outerjoin(t.comparisons, t.comparisons.c.scan_id == t.scans.c.id)
        .where(_of_workspace(workspace_id), t.scans.c.finished_at >= since)
        .order_by(t.scans.c.id)
    )
    with database.reading() as connection:
        rows = connection.execute(statement).all()
    return [ScanFigure(*row[:5], counts=row.counts or {}) for row in rows]


def scan_totals(database: Database, workspace_id: int, since: datetime) -> ScanTotals:
    """Of the scans that ended since then, at most the newest thousand, and of those that wait."""
    is_own = _of_workspace(workspace_id)
    own_scans = join(t.scans, t.watched_sites, t.watched_sites.c.site_id == t.scans.c.site_id)
    newest = (
        select(t.scans.c.status, t.scans.c.finished_at, t.scans.c.summary)
        .select_from(own_scans)
        .where(is_own, t.scans.c.finished_at.is_not(None))
        .order_by(t.scans.c.id.desc())
        .limit(_MAX_SCANS)
    )
    running = (
        select(func.count())
        .select_from(own_scans)
        .where(is_own, t.scans.c.status == ScanStatus.RUNNING)
    )
    is_waiting = (t.jobs.c.status == JobStatus.QUEUED) & (
        func.coalesce(t.jobs.c.not_before, t.jobs.c.queued_at) <= datetime.now(UTC)
    )
    oldest = (
        select(func.min(t.jobs.c.queued_at))
        .join_from(t.jobs, t.watched_sites, t.watched_sites.c.id == t.jobs.c.watched_site_id)
        .where(is_own, is_waiting)
    )
    with database.reading() as connection:
        ended = [row for row in connection.execute(newest).all() if row.finished_at >= since]
        number, queued_at = connection.scalar(running) or 0, connection.scalar(oldest)
    summaries = [row.summary or {} for row in ended]
    hosts = [
        host for summary in summaries for host in summary.get("politeness", {}).get("by_host", ())
    ]
    gaps = [host["smallest_gap_seconds"] for host in hosts]
    pauses = [host["longest_pause_seconds"] or 0 for host in hosts]
    return ScanTotals(
        running=number,
        scans=Counter(row.status for row in ended),
        documents=sum((Counter(each.get("documents", {})) for each in summaries), Counter()),
        requests=sum(each.get("requests", 0) for each in summaries),
        received_bytes=sum(each.get("received_bytes", 0) for each in summaries),
        smallest_gap_seconds=min((gap for gap in gaps if gap is not None), default=None),
        longest_pause_seconds=max(pauses, default=0),
        oldest_queued_at=queued_at,
    )


def workspace_incidents(
    database: Database,
    workspace_id: int,
    *,
    status: str,
    now: datetime,
    with_snoozed: bool,
    cursor: str | None,
    limit: int,
) -> ListPage[WorkspaceIncident]:
    """The most severe first, then the newest."""
    statement = (
        select(
            t.incidents,
            t.watched_sites.c.id.label("watched_site_id"),
            t.watched_sites.c.name.label("site_name"),
        )
        .join_from(t.incidents, t.watched_sites, t.watched_sites.c.site_id == t.incidents.c.site_id)
        .where(_of_workspace(workspace_id))
    )
    if status:
        statement = statement.where(t.incidents.c.status == status)
    if not with_snoozed:
        awake = func.coalesce(t.incidents.c.snoozed_until, t.incidents.c.opened_at) <= now
        statement = statement.where(awake)
    order = Order(_RANK, t.incidents.c.id, is_descending=True)
    with database.reading() as connection:
        rows = connection.execute(page_of(statement, order, cursor, limit)).all()
    return list_page(rows, limit, _incident)


def _incident(row: Any) -> WorkspaceIncident:
    return WorkspaceIncident(row.watched_site_id, row.site_name, incident_of(row))


def _of_workspace(workspace_id: int) -> ColumnElement[bool]:
    return t.watched_sites.c.workspace_id == workspace_id
