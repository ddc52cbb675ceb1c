"""What is going on at the moment: one job, or all of a workspace."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sitecrawl.services.jobs import get_job, list_jobs
from sitecrawl.services.permissions import Permission, requires
from sitecrawl.store.queries.jobs import JobFilter, job_counts
from sitecrawl.store.queries.scan_progress import stored_progress
from sitecrawl.store.vocabulary import ACTIVE_JOBS, JobStatus

if TYPE_CHECKING:
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.jobs import Job
    from sitecrawl.store.queries.scan_progress import StoredProgress

_MAX_SHOWN: Final = 50


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
