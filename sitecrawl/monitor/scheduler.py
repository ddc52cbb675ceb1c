"""Makes jobs for sites that are due, hands them to the engine, and queues lost ones again.

Each function can be repeated at any time, also by several schedulers at once.
"""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from sitecrawl.monitor.jobs import WorkflowState, queue_number
from sitecrawl.monitor.runner import OVERLAP
from sitecrawl.scheduling.worker_tags import WorkerKind, missing_words
from sitecrawl.services.jobs import PERSON_PRIORITY
from sitecrawl.store.queries.jobs import (
    Job,
    Worker,
    count_enabled_sites,
    due_sites,
    handed_over_jobs,
    jobs_queued_at,
    running_workers,
    waiting_jobs,
    waiting_needs,
    worker_is_alive,
    workers,
)
from sitecrawl.store.vocabulary import JobKind, JobStatus, JobTrigger
from sitecrawl.store.writers.jobs import (
    delete_old_jobs,
    hand_over,
    move_due,
    note_waiting,
    queue_again,
    queue_job,
    queue_jobs_of,
    record_skipped_job,
    remove_worker,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sitecrawl.monitor.jobs import JobEngine
    from sitecrawl.store.engine import Database

logger = logging.getLogger(__name__)

_DUE_AT_ONCE: Final = 500


def queue_due(database: Database, now: datetime) -> int:
    """Queue a scan of every site that is due; return how many jobs are new.

    However many times of a site were missed, it is scanned once. A site that still has a job is
    left out, which is recorded.
    """
    queued = 0
    while True:
        with database.writing() as connection:
            due = due_sites(connection, now, _DUE_AT_ONCE)
            for site in due:
                following = site.schedule.following(site.next_due_at, now)
                if not move_due(connection, site.id, site.next_due_at, following):
                    continue  # another scheduler was faster
                kind, trigger = JobKind.SCAN, JobTrigger.SCHEDULE
                if queue_job(connection, site.id, kind, trigger, site.priority, now) is not None:
                    queued += 1
                else:
                    record_skipped_job(connection, site.id, trigger, site.priority, OVERLAP, now)
        if len(due) < _DUE_AT_ONCE:
            return queued


@dataclass(frozen=True, slots=True)
class QueuedScans:
    """The jobs that one run of the schedule has queued."""

    sites: int
    """Sites that are watched and switched on, due or not."""
    jobs: list[Job]


def queue_due_now(database: Database) -> QueuedScans:
    """What the scheduler does every minute, for callers with a clock of their own (cron)."""
    now = datetime.now(UTC)
    # The jobs are found by this time again: both databases keep it to the millisecond.
    now = now.replace(microsecond=now.microsecond // 1000 * 1000)
    queue_due(database, now)
    with database.reading() as connection:
        return QueuedScans(count_enabled_sites(connection), jobs_queued_at(connection, now))


def hand_over_waiting(database: Database, engine: JobEngine, now: datetime) -> int:
    """Give the engine the next jobs; return how many.

    The engine gets what workers can start now and as many again, not the whole backlog: otherwise
    an urgent job would wait behind it. A job goes to workers that have the tags it needs; of these
    to those with room and with as few other tags as possible, so that workers with rare tags stay
    free. A job that no worker can run gets that as its reason.
    """
    taking = [worker for worker in workers(database) if worker.is_alive and not worker.is_draining]
    if not taking:
        return 0
    with database.reading() as connection:
        handed_over = handed_over_jobs(connection)
        needs = waiting_needs(connection, now)
    room = _room(taking, handed_over)
    fitting = {tags: [kind for kind in room if kind.can_run(tags)] for tags in needs}
    for tags, reasons in needs.items():
        words = None if fitting[tags] else missing_words(tags, (each.tags for each in taking))
        if reasons != {words}:
            with database.writing() as connection:
                note_waiting(connection, tags, words)
    with database.reading() as connection:
        waiting = [
            job
            for tags, kinds in fitting.items()
            if kinds
            for job in waiting_jobs(connection, now, tags, _DUE_AT_ONCE)
        ]
    given = 0
    for job in sorted(waiting, key=lambda each: each.order):
        kind = max(
            fitting[job.needed_tags],
            key=lambda each: (room[each] > 0, -len(each.tags), room[each]),
        )
        if room[kind] <= 0 and not job.is_urgent:
            continue
        # The engine first: if this process dies in between, the same is done again.
        workflow_id = f"job-{job.id}-{job.restarts}-{kind}"
        priority = PERSON_PRIORITY if job.is_urgent else job.priority
        number = queue_number(priority, job.last_scan_at)
        if not engine.hand_over(workflow_id, job.id, number, kind):
            continue
        with database.writing() as connection:
            hand_over(connection, job.id, workflow_id)
        room[kind] -= 1
        given += 1
    return given


def _room(taking: Iterable[Worker], handed_over: Mapping[str, Job]) -> Counter[WorkerKind]:
    """How many more jobs each kind of workers may be given."""
    room: Counter[WorkerKind] = Counter()
    for worker in taking:
        room[worker.kind] += 2 * worker.capacity - worker.running
    for workflow_id, job in handed_over.items():
        if job.status == JobStatus.QUEUED and (kind := _kind(workflow_id)) in room:
            room[kind] -= 1
    return room


def _kind(workflow_id: str) -> WorkerKind:
    """The kind of workers that a job was handed over to, from the id of its workflow.

    >>> _kind("job-7-0-4"), _kind("job-7-0-4+eu-west").tags
    (WorkerKind(scans_at_once=4, tags=()), ('eu-west',))
    """
    return WorkerKind.parse(workflow_id.split("-", 3)[3])


def recover_dead(database: Database, engine: JobEngine) -> list[str]:
    """Queue the jobs of workers that died again; return the names of the dead."""
    known = workers(database)
    alive = {worker.name for worker in known if worker.is_alive}
    with database.reading() as connection:
        holding = running_workers(connection)
    dead = sorted(({worker.name for worker in known} | holding) - alive)
    for name in dead:
        engine.give_up_all(name)
        with database.writing() as connection:
            number = queue_jobs_of(connection, name)
            remove_worker(connection, name)
        logger.warning("worker %s has died; %d jobs of it go on", name, number)
    return dead


def queue_lost(database: Database, engine: JobEngine) -> int:
    """Queue the jobs again that the engine has lost or given up; return how many.

    The engine loses jobs when its database is replaced or could not be written. Jobs are also
    queued again when no worker is left of the kind that they were handed over to.
    """
    kinds = {each.kind for each in workers(database) if each.is_alive and not each.is_draining}
    with database.reading() as connection:
        jobs = handed_over_jobs(connection)
        held = {
            workflow_id
            for workflow_id, job in jobs.items()
            if job.worker is not None and worker_is_alive(connection, job.worker)
        }
    states = engine.states(list(jobs))
    found = 0
    for workflow_id, job in jobs.items():
        state = states[workflow_id]
        is_stranded = (
            state is WorkflowState.ACTIVE
            and workflow_id not in held
            and _kind(workflow_id) not in kinds
        )
        if is_stranded and kinds:
            engine.give_up(workflow_id)
        is_lost = state is WorkflowState.ENDED or (
            state is WorkflowState.UNKNOWN and workflow_id not in held
        )
        if is_lost or (is_stranded and kinds):
            with database.writing() as connection:
                found += queue_again(connection, job.id, workflow_id)
    return found


def queue_forgotten(database: Database, engine: JobEngine, worker: str) -> int:
    """Queue the jobs again that this worker holds and no longer runs; return how many.

    That happens when the databases were away for so long that the engine gave up a workflow and
    could not record it. Nobody else may take such a job as long as this worker is alive.
    """
    with database.reading() as connection:
        jobs = handed_over_jobs(connection)
    found = 0
    for workflow_id, job in jobs.items():
        is_own = job.worker == worker and job.status == JobStatus.RUNNING
        if is_own and not engine.runs(job.id):
            engine.give_up(workflow_id)
            with database.writing() as connection:
                found += queue_again(connection, job.id, workflow_id)
    if found:
        logger.warning("%d jobs that this worker had lost are queued again", found)
    return found


def forget_old(database: Database, before: datetime) -> int:
    """Delete the jobs that ended before, except the newest of each site; return how many."""
    with database.writing() as connection:
        return delete_old_jobs(connection, before)
