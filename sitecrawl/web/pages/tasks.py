"""Tasks: scans that are queued, running or done, with their log, retry and cancel."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from sitecrawl.services import jobs
from sitecrawl.services.callers import Caller
from sitecrawl.store.queries.jobs import JobFilter
from sitecrawl.store.vocabulary import ACTIVE_JOBS, JobStatus
from sitecrawl.web.auth import CurrentWeb, allowed
from sitecrawl.web.events import Snapshot, event, stream
from sitecrawl.web.flash import redirect_after
from sitecrawl.web.pages.forms import NumberText, number_or_none
from sitecrawl.web.templating import environment, render

router = APIRouter(prefix="/tasks")

_PER_PAGE = 50
_FETCHES_SHOWN = 30
_RUNNING_SHOWN = 500


@router.get("")
def task_list(
    request: Request,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(jobs.list_jobs)],
    status: Annotated[str, Query(max_length=20)] = "",
    site: NumberText = "",
    cursor: Annotated[str | None, Query(max_length=2_000)] = None,
) -> Response:
    wanted = JobFilter(
        watched_site_id=number_or_none(site),
        statuses=(JobStatus(status),) if status in set(JobStatus) else (),
    )
    page = jobs.list_jobs(web.database, caller.workspace_id, wanted, cursor=cursor, limit=_PER_PAGE)
    values = {
        "page": page,
        "monitor": jobs.monitor_status(web.database, caller.workspace_id),
        "statuses": list(JobStatus),
        "status": status,
        "site": site,
        "retryable": jobs.RETRYABLE,
        "active": set(ACTIVE_JOBS),
    }
    return render(request, "tasks.html", values)


@router.get("/workers")
def worker_list(
    request: Request, web: CurrentWeb, caller: Annotated[Caller, allowed(jobs.monitor_status)]
) -> Response:
    """The workers that are alive, with what they have and do."""
    running = JobFilter(statuses=(JobStatus.RUNNING,))
    page = jobs.list_jobs(web.database, caller.workspace_id, running, limit=_RUNNING_SHOWN)
    values = {
        "monitor": jobs.monitor_status(web.database, caller.workspace_id),
        "running": page.rows,
    }
    return render(request, "workers.html", values)


@router.get("/{job_id}")
def task(
    request: Request,
    job_id: int,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(jobs.live_scan)],
) -> Response:
    """One task; while it runs, its figures move and what it reads is shown."""
    found = jobs.live_scan(web.database, caller.workspace_id, job_id)
    values = {**_live_values(found), "retryable": jobs.RETRYABLE}
    return render(request, "task.html", values)


@router.get("/{job_id}/live")
async def follow_task(
    job_id: int,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(jobs.live_scan)],
    last_event_id: Annotated[str | None, Header(alias="Last-Event-ID", max_length=100)] = None,
) -> Response:
    """The part of the page that moves, whenever it changes; ``ended`` when the task has."""
    template = environment().get_template("task_live.html")

    def look() -> Snapshot:
        found = jobs.live_scan(web.database, caller.workspace_id, job_id)
        return Snapshot(template.render(_live_values(found)), found.live.has_ended)

    first = await run_in_threadpool(look)  # 404 before the stream begins

    async def events() -> AsyncGenerator[bytes]:
        if first.is_last:
            yield event("ended", "")
            return
        name = f"task page {caller.workspace_id} {job_id}"
        async for each in web.live.follow(name, look, last_event_id):
            yield event("ended" if each.is_last else "live", each.text, each.id)

    return stream(events())


def _live_values(found: jobs.LiveScan) -> dict[str, Any]:
    return {
        "job": found.live.job,
        "progress": found.live.progress,
        "is_active": not found.live.has_ended,
        "scan": found,
        "shown": found.fetches[:_FETCHES_SHOWN],
    }


@router.post("/{job_id}/cancel")
def cancel(
    job_id: int, web: CurrentWeb, caller: Annotated[Caller, allowed(jobs.cancel_job)]
) -> Response:
    def work() -> str:
        jobs.cancel_job(web.database, caller.workspace_id, job_id)
        return f"Task {job_id} is being cancelled; what it has found is kept"

    return redirect_after(f"/tasks/{job_id}", work)


@router.post("/{job_id}/retry")
def retry(
    job_id: int, web: CurrentWeb, caller: Annotated[Caller, allowed(jobs.retry_job)]
) -> Response:
    def work() -> str:
        return (
            f"Queued again as task {jobs.retry_job(web.database, caller.workspace_id, job_id).id}"
        )

    return redirect_after("/tasks", work)
