"""``/api/jobs``: scans that are queued, running or done, and ``/api/monitor``."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response
from pydantic import Field

from sitecrawl.services import jobs
from sitecrawl.services.callers import Caller
from sitecrawl.store.queries.jobs import Job, JobFilter
from sitecrawl.store.vocabulary import JobKind, JobStatus, JobTrigger
from sitecrawl.web.api.models import Cursor, Limit, Model, Moment, problems
from sitecrawl.web.auth import CurrentWeb, allowed
from sitecrawl.web.dependencies import Id, QueryId

router = APIRouter(tags=["jobs"])


class JobAnswer(Model):
    id: int
    site_id: int
    site_name: str
    root_url: str
    kind: JobKind
    trigger: JobTrigger
    status: JobStatus
    reason: str | None
    priority: int
    attempt: int
    retry_of: int | None
    scan_id: int | None
    worker: str | None
    queued_at: Moment
    not_before: Moment | None
    started_at: Moment | None
    finished_at: Moment | None
    cancel_requested_at: Moment | None
    exit_code: int | None


class JobDetail(JobAnswer):
    log_tail: str | None


class JobList(Model):
    jobs: list[JobAnswer]
    next_cursor: str | None


class WorkerAnswer(Model):
    name: str
    hostname: str
    is_scheduler: bool
    capacity: int
    tags: list[str]
    running: int
    is_draining: bool
    started_at: Moment
    heartbeat_at: Moment


class MonitorAnswer(Model):
    workers: list[WorkerAnswer]
    is_scheduling: bool
    jobs: dict[str, int]
    waiting: dict[str, int] = Field(
        description="Why jobs wait that no worker can run, with how many there are."
    )


def job_answer(job: Job) -> JobAnswer:
    values = {name: getattr(job, name) for name in Job.__slots__}
    return JobAnswer(**values, site_id=job.watched_site_id)


def job_detail(job: Job) -> JobDetail:
    return JobDetail(**job_answer(job).model_dump(), log_tail=job.log_tail)


@router.get("/jobs", operation_id="listJobs")
def list_jobs(
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(jobs.list_jobs)],
    status: Annotated[list[JobStatus], Query(max_length=20)] = [],  # noqa: B006
    site: QueryId = None,
    since: Moment | None = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> JobList:
    """The newest first."""
    wanted = JobFilter(watched_site_id=site, statuses=tuple(status), since=since)
    page = jobs.list_jobs(web.database, caller.workspace_id, wanted, cursor=cursor, limit=limit)
    return JobList(jobs=[job_answer(each) for each in page.rows], next_cursor=page.next_cursor)


@router.get("/jobs/{job_id}", operation_id="getJob")
def get_job(
    job_id: Id, web: CurrentWeb, caller: Annotated[Caller, allowed(jobs.get_job)]
) -> JobDetail:
    """With the end of its log."""
    return job_detail(jobs.get_job(web.database, caller.workspace_id, job_id))


@router.post(
    "/jobs/{job_id}/cancel",
    operation_id="cancelJob",
    status_code=202,
    responses=problems("conflict"),
)
def cancel_job(
    job_id: Id, web: CurrentWeb, caller: Annotated[Caller, allowed(jobs.cancel_job)]
) -> JobDetail:
    """One that runs ends within seconds, and what it has found is kept."""
    return job_detail(jobs.cancel_job(web.database, caller.workspace_id, job_id))


@router.post(
    "/jobs/{job_id}/retry",
    operation_id="retryJob",
    status_code=202,
    responses=problems("conflict"),
)
def retry_job(
    job_id: Id,
    response: Response,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(jobs.retry_job)],
) -> JobDetail:
    """Queue it again; `Location` is the new job."""
    job = jobs.retry_job(web.database, caller.workspace_id, job_id)
    response.headers["Location"] = f"/api/jobs/{job.id}"
    return job_detail(job)


@router.get("/monitor", operation_id="getMonitor")
def get_monitor(
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(jobs.monitor_status)],
    since: Moment | None = None,
) -> MonitorAnswer:
    """The workers that are alive, and how many jobs there are by status."""
    status = jobs.monitor_status(web.database, caller.workspace_id, since)
    return MonitorAnswer(
        workers=[WorkerAnswer.model_validate(each) for each in status.workers],
        is_scheduling=status.is_scheduling,
        jobs=status.jobs,
        waiting=status.waiting,
    )
