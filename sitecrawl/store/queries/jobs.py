"""Reads jobs: one, a page of the list, how many there are of each status."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import func, or_, select

from sitecrawl.schedule import Schedule
from sitecrawl.store import schema as t
from sitecrawl.store.queries.paging import ListPage, Order, list_page, page_of
from sitecrawl.store.vocabulary import ACTIVE_JOBS, JobStatus, JobTrigger

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.engine import Connection, Row

    from sitecrawl.store.engine import Database


@dataclass(frozen=True, slots=True)
class Job:
    """Something that was to be done for a watched site."""

    id: int
    watched_site_id: int
    site_name: str
    root_url: str
    kind: str
    trigger: str
    status: str
    reason: str | None
    priority: int
    attempt: int
    restarts: int
    """How often it was taken up again because its process had died."""
    retry_of: int | None
    scan_id: int | None
    workflow_id: str | None
    worker: str | None
    queued_at: datetime
    not_before: datetime | None
    started_at: datetime | None
    finished_at: datetime | None
    cancel_requested_at: datetime | None
    exit_code: int | None
    log_tail: str | None


@dataclass(frozen=True, slots=True)
class JobFilter:
    """Which jobs a list has; what is empty asks for nothing."""

    watched_site_id: int | None = None
    statuses: tuple[JobStatus, ...] = ()
    trigger: str = ""
    since: datetime | None = None


_JOBS: Final = select(
    t.jobs, t.watched_sites.c.name.label("site_name"), t.watched_sites.c.root_url
).join_from(t.jobs, t.watched_sites, t.jobs.c.watched_site_id == t.watched_sites.c.id)


def find_job(connection: Connection, workspace_id: int, job_id: int) -> Job | None:
    is_own = t.watched_sites.c.workspace_id == workspace_id
    row = connection.execute(_JOBS.where(is_own, t.jobs.c.id == job_id)).first()
    return None if row is None else _job(row)


def jobs_page(
    database: Database, workspace_id: int, wanted: JobFilter, cursor: str | None, limit: int
) -> ListPage[Job]:
    """The newest first."""
    statement = _JOBS.where(t.watched_sites.c.workspace_id == workspace_id)
    if wanted.watched_site_id is not None:
        statement = statement.where(t.jobs.c.watched_site_id == wanted.watched_site_id)
    if wanted.statuses:
        statement = statement.where(t.jobs.c.status.in_(wanted.statuses))
    if wanted.trigger:
        statement = statement.where(t.jobs.c.trigger == wanted.trigger)
    if wanted.since is not None:
        statement = statement.where(t.jobs.c.queued_at >= wanted.since)
    order = Order(t.jobs.c.id, t.jobs.c.id, is_descending=True)
    with database.reading() as connection:
        rows = connection.execute(page_of(statement, order, cursor, limit)).all()
    return list_page(rows, limit, _job)


def job_counts(
    database: Database, workspace_id: int, since: datetime | None = None
) -> dict[str, int]:
    """How many jobs there are by status, of those queued since a time."""
    statement = (
        select(t.jobs.c.status, func.count().label("jobs"))
        .join_from(t.jobs, t.watched_sites, t.jobs.c.watched_site_id == t.watched_sites.c.id)
        .where(t.watched_sites.c.workspace_id == workspace_id)
        .group_by(t.jobs.c.status)
    )
    if since is not None:
        statement = statement.where(t.jobs.c.queued_at >= since)
    with database.reading() as connection:
        return {row.status: row.jobs for row in connection.execute(statement)}


@dataclass(frozen=True, slots=True)
class DueSite:
    """A watched site whose time has come."""

    id: int
    priority: int
    next_due_at: datetime
    schedule: Schedule


def count_enabled_sites(connection: Connection) -> int:
    """Of all workspaces."""
    enabled = t.watched_sites.c.enabled.is_(True)
    return connection.scalar(select(func.count()).select_from(t.watched_sites).where(enabled)) or 0


def jobs_queued_at(connection: Connection, moment: datetime) -> list[Job]:
    """Of all workspaces, in the order in which they were queued."""
    statement = _JOBS.where(t.jobs.c.queued_at == moment).order_by(t.jobs.c.id)
    return [_job(row) for row in connection.execute(statement)]


def due_sites(connection: Connection, now: datetime, limit: int) -> list[DueSite]:
    """In the order in which they are to be scanned."""
    table = t.watched_sites.c
    statement = (
        select(
            *(table.id, table.priority, table.next_due_at),
            *(table.interval_minutes, table.cron, table.timezone),
        )
        .where(table.enabled.is_(True), table.next_due_at <= now)
        .order_by(table.priority.desc(), table.last_scan_at.asc().nulls_first(), table.id)
        .limit(limit)
    )
    return [
        DueSite(
            *(row.id, row.priority, row.next_due_at),
            Schedule(row.interval_minutes, row.cron, row.timezone),
        )
        for row in connection.execute(statement)
    ]


@dataclass(frozen=True, slots=True)
class WaitingJob:
    """A job that the engine does not have yet."""

    id: int
    priority: int
    restarts: int
    last_scan_at: datetime | None
    is_urgent: bool
    """A person waits for it."""


def waiting_jobs(connection: Connection, now: datetime, limit: int) -> list[WaitingJob]:
    """The next ones to be handed over: by priority, then those that were not scanned longest."""
    table, site = t.jobs.c, t.watched_sites.c
    statement = (
        select(table.id, table.priority, table.restarts, table.trigger, site.last_scan_at)
        .join_from(t.jobs, t.watched_sites, table.watched_site_id == site.id)
        .where(
            table.status == JobStatus.QUEUED,
            table.workflow_id.is_(None),
            or_(table.not_before.is_(None), table.not_before <= now),
        )
        .order_by(table.priority.desc(), site.last_scan_at.asc().nulls_first(), table.id)
        .limit(limit)
    )
    return [
        WaitingJob(
            *(row.id, row.priority, row.restarts, row.last_scan_at),
            is_urgent=row.trigger == JobTrigger.PERSON,
        )
        for row in connection.execute(statement)
    ]


def handed_over_jobs(connection: Connection) -> dict[str, Job]:
    """The jobs that are queued or running and that the engine should have, by workflow."""
    is_it = t.jobs.c.status.in_(ACTIVE_JOBS) & t.jobs.c.workflow_id.is_not(None)
    return {row.workflow_id: _job(row) for row in connection.execute(_JOBS.where(is_it))}


def job_to_run(connection: Connection, job_id: int) -> Job | None:
    """A job of any workspace."""
    row = connection.execute(_JOBS.where(t.jobs.c.id == job_id)).first()
    return None if row is None else _job(row)


def is_cancel_requested(connection: Connection, job_id: int) -> bool:
    """Whether somebody wants it to stop, or it is not there any more."""
    row = connection.execute(
        select(t.jobs.c.cancel_requested_at).where(t.jobs.c.id == job_id)
    ).first()
    return row is None or row.cancel_requested_at is not None


def _job(row: Row[Any]) -> Job:
    values = row._asdict()
    values.pop("sort_value", None)
    return Job(**values)
