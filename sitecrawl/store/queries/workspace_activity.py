"""Reads what happened on all sites of a workspace: scans, comparisons, incidents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import case, func, select

from sitecrawl.changes.kinds import Severity
from sitecrawl.store import schema as t
from sitecrawl.store.queries.changes import IncidentFact, incident_of
from sitecrawl.store.queries.paging import ListPage, Order, list_page, page_of

if TYPE_CHECKING:
    from datetime import datetime

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
