"""Writes jobs, within the caller's transaction: queued, claimed, ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, func, insert, literal, select, update

from sitecrawl.scheduling.worker_tags import joined
from sitecrawl.store import schema as t
from sitecrawl.store.vocabulary import ACTIVE_JOBS, DiveStatus, JobKind, JobStatus, JobTrigger
from sitecrawl.store.writers.bulk import upserting_insert
from sitecrawl.store.writers.dives import abandon_dive, move_dive
from sitecrawl.store.writers.watched_sites import link_inventory

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from sqlalchemy import ColumnElement
    from sqlalchemy.engine import Connection


def queue_job(  # noqa: PLR0913  the columns of a job
    connection: Connection,
    watched_site_id: int,
    kind: JobKind,
    trigger: JobTrigger,
    priority: int,
    now: datetime,
    *,
    retry_of: int | None = None,
    attempt: int = 1,
    not_before: datetime | None = None,
) -> int | None:
    """The number of the new job; None: the site has one that is queued or running."""
    statement = upserting_insert(connection.dialect)(t.jobs).values(
        watched_site_id=watched_site_id,
        kind=kind,
        trigger=trigger,
        status=JobStatus.QUEUED,
        priority=priority,
        attempt=attempt,
        restarts=0,
        retry_of=retry_of,
        queued_at=now,
        not_before=not_before,
    )
    # The only unique index that can be hit is that of active jobs.
    number: int | None = connection.scalar(
        statement.on_conflict_do_nothing().returning(t.jobs.c.id)
    )
    if number is not None and retry_of is not None and kind == JobKind.DIVE:
        move_dive(connection, retry_of, number)
    return number


def record_skipped_job(
    connection: Connection,
    watched_site_id: int,
    trigger: JobTrigger,
    priority: int,
    reason: str,
    now: datetime,
) -> int:
    """Note that a scan was due and is left out."""
    statement = insert(t.jobs).values(
        watched_site_id=watched_site_id,
        kind=JobKind.SCAN,
        trigger=trigger,
        status=JobStatus.SKIPPED,
        reason=reason,
        priority=priority,
        attempt=1,
        restarts=0,
        queued_at=now,
        finished_at=now,
    )
    number: int = connection.execute(statement.returning(t.jobs.c.id)).scalar_one()
    return number


def request_cancel(connection: Connection, job_id: int, now: datetime) -> JobStatus | None:
    """Cancel a job: at once if it waits, else its worker is asked. None: it has ended."""
    is_it = t.jobs.c.id == job_id
    waiting = is_it & (t.jobs.c.status == JobStatus.QUEUED)
    ended: dict[str, Any] = {
        "status": JobStatus.CANCELLED,
        "reason": "cancelled before it started",
        "finished_at": now,
        "cancel_requested_at": now,
    }
    if connection.execute(update(t.jobs).where(waiting).values(ended)).rowcount:
        abandon_dive(connection, job_id, DiveStatus.CANCELLED, ended["reason"])
        return JobStatus.CANCELLED
    running = is_it & (t.jobs.c.status == JobStatus.RUNNING)
    asked = update(t.jobs).where(running).values(cancel_requested_at=now)
    return JobStatus.RUNNING if connection.execute(asked).rowcount else None


def hand_over(connection: Connection, job_id: int, workflow_id: str) -> None:
    """Note that the job engine has the job."""
    waiting = (t.jobs.c.id == job_id) & (t.jobs.c.status == JobStatus.QUEUED)
    connection.execute(update(t.jobs).where(waiting).values(workflow_id=workflow_id, reason=None))


def note_waiting(connection: Connection, needed_tags: tuple[str, ...], reason: str | None) -> None:
    """Note why jobs that need these tags cannot be handed over; None: they can."""
    of_sites = select(t.watched_sites.c.id).where(
        t.watched_sites.c.needed_tags == joined(needed_tags)
    )
    waiting = (t.jobs.c.status == JobStatus.QUEUED) & t.jobs.c.workflow_id.is_(None)
    connection.execute(
        update(t.jobs).where(waiting, t.jobs.c.watched_site_id.in_(of_sites)).values(reason=reason)
    )


def claim_job(
    connection: Connection, job_id: int, worker: str, held_by: str | None, now: datetime
) -> bool:
    """Whether the worker has the job now: one that waits, or that *held_by* had and is dead."""
    is_free = (
        t.jobs.c.status == JobStatus.QUEUED
        if held_by is None
        else (t.jobs.c.status == JobStatus.RUNNING) & (t.jobs.c.worker == held_by)
    )
    values: dict[str, Any] = {
        "status": JobStatus.RUNNING,
        "worker": worker,
        "started_at": func.coalesce(t.jobs.c.started_at, literal(now, t.UtcDateTime())),
        "restarts": t.jobs.c.restarts + (0 if held_by is None else 1),
    }
    claimed = connection.execute(
        update(t.jobs).where(t.jobs.c.id == job_id, is_free).values(values)
    )
    return claimed.rowcount == 1


def note_restart(connection: Connection, job_id: int) -> None:
    """The process of its scan has died, and it goes on."""
    connection.execute(
        update(t.jobs).where(t.jobs.c.id == job_id).values(restarts=t.jobs.c.restarts + 1)
    )


def note_scan(connection: Connection, job_id: int, scan_id: int, now: datetime) -> None:
    """Note which scan the job runs, and which inventory its site has by that."""
    connection.execute(update(t.jobs).where(t.jobs.c.id == job_id).values(scan_id=scan_id))
    number = connection.scalar(select(t.jobs.c.watched_site_id).where(t.jobs.c.id == job_id))
    site_id = connection.scalar(select(t.scans.c.site_id).where(t.scans.c.id == scan_id))
    if number is None or site_id is None:
        return
    connection.execute(
        update(t.watched_sites).where(t.watched_sites.c.id == number).values(site_id=site_id)
    )
    link_inventory(connection, number, site_id, now)


def note_facts(connection: Connection, job_id: int, **facts: Any) -> None:
    """Note how the process of its scan ended."""
    connection.execute(update(t.jobs).where(t.jobs.c.id == job_id).values(facts))


def note_log(connection: Connection, job_id: int, worker: str, text: str) -> None:
    """Keep the end of the log while the job runs, unless the worker has lost it."""
    own = (t.jobs.c.id == job_id) & (t.jobs.c.worker == worker)
    running = own & (t.jobs.c.status == JobStatus.RUNNING)
    connection.execute(update(t.jobs).where(running).values(log_tail=text))


def end_job(
    connection: Connection,
    job_id: int,
    worker: str,
    status: JobStatus,
    now: datetime,
    **facts: Any,
) -> bool:
    """Whether the job has ended now; not, if the worker has lost it to another one."""
    own = (t.jobs.c.id == job_id) & (t.jobs.c.worker == worker)
    running = own & (t.jobs.c.status == JobStatus.RUNNING)
    ended = connection.execute(
        update(t.jobs).where(running).values(status=status, finished_at=now, **facts)
    )
    if ended.rowcount != 1:
        return False
    row = connection.execute(
        select(t.jobs.c.watched_site_id, t.jobs.c.scan_id).where(t.jobs.c.id == job_id)
    ).one()
    if row.scan_id is not None:
        connection.execute(
            update(t.watched_sites)
            .where(t.watched_sites.c.id == row.watched_site_id)
            .values(last_scan_id=row.scan_id, last_scan_at=now)
        )
    return True


def queue_again(connection: Connection, job_id: int, workflow_id: str) -> bool:
    """Give a job back that the engine has lost; *workflow_id* is what the caller knows of it."""
    is_it = (t.jobs.c.id == job_id) & (t.jobs.c.workflow_id == workflow_id)
    return _queue_again(connection, is_it & t.jobs.c.status.in_(ACTIVE_JOBS)) == 1


def queue_jobs_of(connection: Connection, worker: str) -> int:
    """Give back what a worker runs that is dead; return how many jobs."""
    is_own = (t.jobs.c.worker == worker) & (t.jobs.c.status == JobStatus.RUNNING)
    return _queue_again(connection, is_own)


def _queue_again(connection: Connection, which: ColumnElement[bool]) -> int:
    values: dict[str, Any] = {
        "status": JobStatus.QUEUED,
        "workflow_id": None,
        "worker": None,
        "restarts": t.jobs.c.restarts + 1,
    }
    return connection.execute(update(t.jobs).where(which).values(values)).rowcount


def move_due(connection: Connection, number: int, due: datetime, following: datetime) -> bool:
    """Whether the site was due at *due* until now: of several schedulers one makes the job."""
    is_it = (t.watched_sites.c.id == number) & (t.watched_sites.c.next_due_at == due)
    moved = connection.execute(update(t.watched_sites).where(is_it).values(next_due_at=following))
    return moved.rowcount == 1


def delete_old_jobs(connection: Connection, before: datetime) -> int:
    """Forget jobs that ended before, but of every site the newest."""
    newest = select(func.max(t.jobs.c.id)).group_by(t.jobs.c.watched_site_id)
    is_old = (t.jobs.c.finished_at < before) & t.jobs.c.id.not_in(newest)
    old = select(t.jobs.c.id).where(is_old)
    connection.execute(update(t.jobs).where(t.jobs.c.retry_of.in_(old)).values(retry_of=None))
    return connection.execute(delete(t.jobs).where(is_old)).rowcount


def register_worker(connection: Connection, values: Mapping[str, Any], now: datetime) -> None:
    connection.execute(insert(t.workers).values(**values, started_at=now, heartbeat_at=now))


def update_worker(connection: Connection, name: str, **values: Any) -> bool:
    """Whether the worker is still known."""
    changed = connection.execute(update(t.workers).where(t.workers.c.name == name).values(values))
    return changed.rowcount == 1


def remove_worker(connection: Connection, name: str) -> None:
    connection.execute(delete(t.workers).where(t.workers.c.name == name))
