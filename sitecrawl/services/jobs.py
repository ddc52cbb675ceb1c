"""Jobs: scans of watched sites that are queued, running or done, and how far the running ones are.

A job is a row; the workers of the monitor (:mod:`sitecrawl.monitor`) take it from there. So it can
be queued and cancelled wherever there is a connection to the database.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, Final

from sitecrawl.errors import ConflictError, NotFoundError
from sitecrawl.services.permissions import Permission, requires
from sitecrawl.store.queries.jobs import (
    Job,
    JobFilter,
    Worker,
    find_job,
    job_counts,
    jobs_page,
    waiting_reasons,
    workers,
)
from sitecrawl.store.queries.scan_figures import recent_fetches, stored_progress
from sitecrawl.store.queries.watched_sites import find_watched_site
from sitecrawl.store.vocabulary import ACTIVE_JOBS, JobKind, JobStatus, JobTrigger
from sitecrawl.store.writers.jobs import queue_job, request_cancel

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.cursors import ListPage
    from sitecrawl.store.queries.scan_figures import RecentFetch, StoredProgress
    from sitecrawl.store.queries.watched_sites import WatchedSite

# What a person asks for goes before what the schedule asks for (priorities 1 to 5).
PERSON_PRIORITY = 6
RETRYABLE = (
    JobStatus.FAILED,
    JobStatus.INTERRUPTED,
    JobStatus.CANCELLED,
    JobStatus.PARTIAL,
    JobStatus.SKIPPED,
)
_MAX_SHOWN: Final = 50
_MAX_FETCHES: Final = 200
_SECONDS_SHOWN: Final = 60


@dataclass(frozen=True, slots=True)
class MonitorStatus:
    """The workers that are alive, and the jobs by status."""

    workers: list[Worker]
    is_scheduling: bool
    """A process makes jobs of what is due."""
    jobs: dict[str, int]
    """Jobs by status, of those queued since *since*; queued and running ones whenever."""
    since: datetime | None
    waiting: dict[str, int]
    """Why jobs wait that no worker can run, with how many there are."""


@requires(Permission.READ)
def list_jobs(
    database: Database,
    workspace_id: int,
    wanted: JobFilter | None = None,
    *,
    cursor: str | None = None,
    limit: int = 50,
) -> ListPage[Job]:
    """The newest first."""
    return jobs_page(database, workspace_id, wanted or JobFilter(), cursor, limit)


@requires(Permission.READ)
def get_job(database: Database, workspace_id: int, job_id: int) -> Job:
    with database.reading() as connection:
        return _found(connection, workspace_id, job_id)


@requires(Permission.READ)
def monitor_status(
    database: Database, workspace_id: int, since: datetime | None = None
) -> MonitorStatus:
    """The workers that are alive, and how many jobs there are by status."""
    alive = [worker for worker in workers(database) if worker.is_alive]
    counts = job_counts(database, workspace_id, since)
    if since is not None:
        every = job_counts(database, workspace_id)
        counts |= {status: every[status] for status in ACTIVE_JOBS if status in every}
    is_scheduling = any(worker.is_scheduler for worker in alive)
    waiting = waiting_reasons(database, workspace_id)
    return MonitorStatus(alive, is_scheduling, counts, since, waiting)


@requires(Permission.SCAN)
def scan_site(database: Database, workspace_id: int, number: int) -> Job:
    """Queue a scan of the site ahead of scheduled ones, also if the site is disabled.

    ``ConflictError`` names the job that is queued or running already.
    """
    now = datetime.now(UTC)
    with database.writing() as connection:
        site = find_watched_site(connection, workspace_id, number)
        if site is None:
            raise NotFoundError(f"there is no site {number}; see: sitecrawl site list")
        return _found(connection, workspace_id, queue_scan(connection, site, now))


def queue_scan(connection: Connection, site: WatchedSite, now: datetime) -> int:
    """Within a transaction: the number of the job, or ``ConflictError``."""
    kind = JobKind.SCAN if site.last_scan_at else JobKind.DISCOVER
    job_id = queue_job(connection, site.id, kind, JobTrigger.PERSON, PERSON_PRIORITY, now)
    if job_id is None:
        raise ConflictError(
            f"{site.root_url}: job {site.active_job_id} is {site.active_job_status} already"
        )
    return job_id


@requires(Permission.SCAN)
def cancel_job(database: Database, workspace_id: int, job_id: int) -> Job:
    """Cancel a job; one that runs ends within seconds, and what it has found is kept."""
    with database.writing() as connection:
        job = _found(connection, workspace_id, job_id)
        if request_cancel(connection, job_id, datetime.now(UTC)) is None:
            raise ConflictError(f"job {job_id} has ended: {job.status}")
        return _found(connection, workspace_id, job_id)


@requires(Permission.SCAN)
def retry_job(database: Database, workspace_id: int, job_id: int) -> Job:
    """Queue the job again, as a new job that refers to it."""
    now = datetime.now(UTC)
    with database.writing() as connection:
        job = _found(connection, workspace_id, job_id)
        if job.status not in RETRYABLE:
            raise ConflictError(f"job {job_id} cannot be tried again: it is {job.status}")
        again = queue_job(
            connection,
            job.watched_site_id,
            JobKind(job.kind),
            JobTrigger.RETRY,
            PERSON_PRIORITY,
            now,
            retry_of=job_id,
            attempt=job.attempt + 1,
        )
        if again is None:
            raise ConflictError(f"{job.root_url} has a job that is queued or running already")
        return _found(connection, workspace_id, again)


def _found(connection: Connection, workspace_id: int, job_id: int) -> Job:
    job = find_job(connection, workspace_id, job_id)
    if job is None:
        raise NotFoundError(f"there is no job {job_id}; see: sitecrawl job list")
    return job


# --- progress -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LiveJob:
    """A job, and how far its scan has come."""

    job: Job
    progress: StoredProgress | None

    @property
    def has_ended(self) -> bool:
        return JobStatus(self.job.status) not in ACTIVE_JOBS


@dataclass(frozen=True, slots=True)
class LiveWorkspace:
    counts: dict[str, int]
    """Jobs by status."""
    jobs: list[LiveJob]
    """The newest that are queued or running."""


@dataclass(frozen=True, slots=True)
class LiveScan:
    """A job with what its scan has fetched last, and how fast."""

    live: LiveJob
    fetches: list[RecentFetch]
    """The newest first."""
    per_second: list[int]
    """Documents of each of the last seconds before the newest one, the oldest first."""
    median_gap_seconds: float | None
    """Between one answer and the next, lately."""
    median_ms: int | None
    """How long the site took to answer, lately."""

    @property
    def rate(self) -> float:
        """Documents per second, lately."""
        return sum(self.per_second) / len(self.per_second) if self.per_second else 0.0


@requires(Permission.READ)
def live_scan(database: Database, workspace_id: int, job_id: int) -> LiveScan:
    job = live_job(database, workspace_id, job_id)
    scan_id = job.job.scan_id
    fetches = recent_fetches(database, scan_id, _MAX_FETCHES) if scan_id else []
    return _scan_of(job, fetches)


def _scan_of(job: LiveJob, fetches: list[RecentFetch]) -> LiveScan:
    if not fetches:
        return LiveScan(job, [], [], None, None)
    newest = fetches[0].fetched_at
    ages = [(newest - each.fetched_at).total_seconds() for each in fetches]
    # Of many documents per second only the last seconds are known.
    seconds = min(_SECONDS_SHOWN, int(max(ages)) + 1)
    per_second = [0] * seconds
    for age in ages:
        if age < seconds:
            per_second[seconds - 1 - int(age)] += 1
    gaps = [older - newer for newer, older in pairwise(ages)]
    times = [each.elapsed_ms for each in fetches if each.elapsed_ms is not None]
    return LiveScan(
        job,
        fetches,
        per_second,
        median(gaps) if gaps else None,
        round(median(times)) if times else None,
    )


@requires(Permission.READ)
def live_job(database: Database, workspace_id: int, job_id: int) -> LiveJob:
    return _live(database, get_job(database, workspace_id, job_id))


@requires(Permission.READ)
def live_workspace(database: Database, workspace_id: int) -> LiveWorkspace:
    active = JobFilter(statuses=ACTIVE_JOBS)
    page = list_jobs(database, workspace_id, active, limit=_MAX_SHOWN)
    counts = job_counts(database, workspace_id)
    return LiveWorkspace(counts, [_live(database, job) for job in page.rows])


def _live(database: Database, job: Job) -> LiveJob:
    progress = stored_progress(database, job.scan_id) if job.scan_id else None
    return LiveJob(job, progress)
