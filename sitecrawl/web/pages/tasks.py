"""Tasks: scans that are queued, running or done, with their log, retry and cancel."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from sitecrawl.errors import NotFoundError
from sitecrawl.services import jobs, live, site_inventory
from sitecrawl.services.callers import Caller
from sitecrawl.store.queries.jobs import JobFilter
from sitecrawl.store.vocabulary import ACTIVE_JOBS, JobStatus
from sitecrawl.web.auth import CurrentWeb, allowed
from sitecrawl.web.flash import act
from sitecrawl.web.templating import render

router = APIRouter(prefix="/tasks")

_PER_PAGE = 50
_RETRYABLE = {"failed", "interrupted", "cancelled", "partial", "skipped"}


@router.get("")
def task_list(
    request: Request,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(jobs.list_jobs)],
    status: Annotated[str, Query(max_length=20)] = "",
    site: Annotated[str, Query(pattern=r"^[0-9]{0,18}$")] = "",
    cursor: Annotated[str | None, Query(max_length=2_000)] = None,
) -> Response:
    wanted = JobFilter(
        watched_site_id=int(site) if site else None,
        statuses=(JobStatus(status),) if status in set(JobStatus) else (),
    )
    page = jobs.list_jobs(web.database, caller.workspace_id, wanted, cursor=cursor, limit=_PER_PAGE)
    values = {
        "page": page,
        "monitor": jobs.monitor_status(web.database, caller.workspace_id),
        "statuses": list(JobStatus),
        "status": status,
        "site": site,
        "retryable": _RETRYABLE,
        "active": set(ACTIVE_JOBS),
    }
    return render(request, "tasks.html", values)


@router.get("/{job_id}")
def task(
    request: Request,
    job_id: int,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(live.live_job)],
) -> Response:
    """One task; while it runs, its figures move and what it reads is shown."""
    found = live.live_job(web.database, caller.workspace_id, job_id)
    documents = []
    if found.job.scan_id:
        try:
            asked = site_inventory.asked_scan(
                web.database, caller.workspace_id, found.job.watched_site_id, found.job.scan_id
            )
            documents = list(site_inventory.list_documents(asked, limit=20).rows)
        except NotFoundError:
            documents = []
    values = {
        "job": found.job,
        "progress": found.progress,
        "is_active": not found.has_ended,
        "documents": documents,
        "retryable": _RETRYABLE,
    }
    return render(request, "task.html", values)


@router.post("/{job_id}/cancel")
def cancel(
    job_id: int, web: CurrentWeb, caller: Annotated[Caller, allowed(jobs.cancel_job)]
) -> Response:
    def work() -> str:
        jobs.cancel_job(web.database, caller.workspace_id, job_id)
        return f"Task {job_id} is being cancelled; what it has found is kept"

    return act(f"/tasks/{job_id}", work)


@router.post("/{job_id}/retry")
def retry(
    job_id: int, web: CurrentWeb, caller: Annotated[Caller, allowed(jobs.retry_job)]
) -> Response:
    def work() -> str:
        return (
            f"Queued again as task {jobs.retry_job(web.database, caller.workspace_id, job_id).id}"
        )

    return act("/tasks", work)
