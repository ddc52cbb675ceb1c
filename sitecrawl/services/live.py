"""What is going on at the moment: one job, or all of a workspace."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, Final

from sitecrawl.services.jobs import get_job, list_jobs
from sitecrawl.services.permissions import Permission, requires
from sitecrawl.store.queries.jobs import JobFilter, job_counts
from sitecrawl.store.queries.scan_progress import recent_fetches, stored_progress
from sitecrawl.store.vocabulary import ACTIVE_JOBS, JobStatus

if TYPE_CHECKING:
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.jobs import Job
    from sitecrawl.store.queries.scan_progress import RecentFetch, StoredProgress

_MAX_SHOWN: Final = 50
_MAX_FETCHES: Final = 200
_SECONDS_SHOWN: Final = 60


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
