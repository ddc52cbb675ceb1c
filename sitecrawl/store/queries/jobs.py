"""Reads jobs (one, a page of the list, how many of each status) and the workers that run them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import and_, func, or_, select

from sitecrawl.scheduling.schedule import Schedule
from sitecrawl.scheduling.worker_tags import WorkerKind, joined, split
from sitecrawl.store import schema as t
from sitecrawl.store.processes import is_alive
from sitecrawl.store.queries.cursors import ListPage, Order, list_page, page_of
from sitecrawl.store.vocabulary import ACTIVE_JOBS, JobStatus, JobTrigger

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement
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
    needed_tags: tuple[str, ...]
    trigger: str

    @property
    def has_begun(self) -> bool:
        return self.restarts > 0

    @property
    def is_urgent(self) -> bool:
        """A person waits for it, or it had begun before its worker died."""
        return self.has_begun or self.trigger == JobTrigger.PERSON

    @property
    def order(self) -> tuple[bool, int, float, int]:
        """What had begun already, then by priority, then those that were not scanned longest."""
        scanned = self.last_scan_at.timestamp() if self.last_scan_at else 0.0
        return not self.has_begun, -self.priority, scanned, self.id


def _waiting(now: datetime) -> ColumnElement[bool]:
    is_due = or_(t.jobs.c.not_before.is_(None), t.jobs.c.not_before <= now)
    return and_(t.jobs.c.status == JobStatus.QUEUED, t.jobs.c.workflow_id.is_(None), is_due)


def waiting_needs(connection: Connection, now: datetime) -> dict[tuple[str, ...], set[str | None]]:
    """The tags that waiting jobs need of a worker, and what is noted as their reason to wait."""
    statement = (
        select(t.watched_sites.c.needed_tags, t.jobs.c.reason)
        .join_from(t.jobs, t.watched_sites, t.jobs.c.watched_site_id == t.watched_sites.c.id)
        .where(_waiting(now))
        .distinct()
    )
    found: dict[tuple[str, ...], set[str | None]] = {}
    for row in connection.execute(statement):
        found.setdefault(split(row.needed_tags), set()).add(row.reason)
    return found


def waiting_jobs(
    connection: Connection, now: datetime, needed_tags: tuple[str, ...], limit: int
) -> list[WaitingJob]:
    """The next ones of those that need these tags, in their order."""
    table, site = t.jobs.c, t.watched_sites.c
    statement = (
        select(table.id, table.priority, table.restarts, site.last_scan_at, table.trigger)
        .join_from(t.jobs, t.watched_sites, table.watched_site_id == site.id)
        .where(_waiting(now), site.needed_tags == joined(needed_tags))
        .order_by(
            (table.restarts > 0).desc(),
            *(table.priority.desc(), site.last_scan_at.asc().nulls_first(), table.id),
        )
        .limit(limit)
    )
    return [
        WaitingJob(**row._asdict(), needed_tags=needed_tags)
        for row in connection.execute(statement)
    ]


def waiting_reasons(database: Database, workspace_id: int | None = None) -> dict[str, int]:
    """Why jobs cannot be given to any worker, with how many there are; None: of all workspaces."""
    statement = (
        select(t.jobs.c.reason, func.count().label("jobs"))
        .join_from(t.jobs, t.watched_sites, t.jobs.c.watched_site_id == t.watched_sites.c.id)
        .where(
            t.jobs.c.status == JobStatus.QUEUED,
            t.jobs.c.workflow_id.is_(None),
            t.watched_sites.c.needed_tags != "",
            t.jobs.c.reason.is_not(None),
        )
        .group_by(t.jobs.c.reason)
        .order_by(t.jobs.c.reason)
    )
    if workspace_id is not None:
        statement = statement.where(t.watched_sites.c.workspace_id == workspace_id)
    with database.reading() as connection:
        return {row.reason: row.jobs for row in connection.execute(statement)}


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


# A worker says that it is there every five seconds; on another host only that tells. Its scans are
# to go on within a minute, and somebody has to be free for them.
WORKER_DEAD_AFTER_SECONDS = 25


@dataclass(frozen=True, slots=True)
class Worker:
    """A process that runs jobs."""

    name: str
    hostname: str
    pid: int
    process_token: str
    is_scheduler: bool
    capacity: int
    """Scans at once."""
    tags: tuple[str, ...]
    is_draining: bool
    started_at: datetime
    heartbeat_at: datetime
    last_tick_at: datetime | None
    running: int
    """Jobs that it runs now."""

    @property
    def is_alive(self) -> bool:
        return is_alive(self, datetime.now(UTC), WORKER_DEAD_AFTER_SECONDS)

    @property
    def kind(self) -> WorkerKind:
        return WorkerKind(self.capacity, self.tags)


_RUNNING = (
    select(func.count())
    .where(t.jobs.c.worker == t.workers.c.name, t.jobs.c.status == JobStatus.RUNNING)
    .scalar_subquery()
)


def workers(database: Database) -> list[Worker]:
    """Also those that have died and that nobody has noticed yet."""
    statement = select(t.workers, _RUNNING.label("running")).order_by(t.workers.c.started_at)
    with database.reading() as connection:
        rows = connection.execute(statement).all()
    return [Worker(**row._asdict() | {"tags": tuple(row.tags)}) for row in rows]


def worker_is_alive(connection: Connection, name: str) -> bool:
    """Whether the worker with this name is known, and its process there."""
    row = connection.execute(select(t.workers).where(t.workers.c.name == name)).first()
    return row is not None and is_alive(row, datetime.now(UTC), WORKER_DEAD_AFTER_SECONDS)


def running_workers(connection: Connection) -> set[str]:
    """The workers that have a job, whether they are known or not."""
    is_running = t.jobs.c.status == JobStatus.RUNNING
    found = connection.scalars(select(t.jobs.c.worker).where(is_running).distinct())
    return {name for name in found if name is not None}
