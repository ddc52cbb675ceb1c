"""``/api/jobs/{id}/events`` and ``/api/live``: progress as server-sent events."""

from __future__ import annotations

from collections.abc import AsyncIterable
from typing import Annotated

from fastapi import APIRouter, Depends
from fastapi.sse import EventSourceResponse, ServerSentEvent
from pydantic import Field

from sitecrawl.services import jobs
from sitecrawl.services.callers import Caller
from sitecrawl.services.jobs import LiveJob, LiveWorkspace
from sitecrawl.web.api.jobs import JobAnswer, job_answer
from sitecrawl.web.api.models import STREAM, LastId, Model, Moment
from sitecrawl.web.auth import CurrentWeb, allowed
from sitecrawl.web.dependencies import Id
from sitecrawl.web.events import Snapshot

router = APIRouter(tags=["live"])


class Progress(Model):
    scan_id: int
    status: str
    started_at: Moment
    heartbeat_at: Moment
    fetched: int = Field(description="Documents, pages included.")
    failed: int
    received_bytes: int
    known: int = Field(description="Pages that the crawl wants to visit, so far.")
    visited: int
    last_url: str | None


class JobProgress(Model):
    job: JobAnswer
    progress: Progress | None


class WorkspaceProgress(Model):
    counts: dict[str, int]
    jobs: list[JobProgress]


def _progress(found: LiveJob) -> JobProgress:
    progress = Progress.model_validate(found.progress) if found.progress else None
    return JobProgress(job=job_answer(found.job), progress=progress)


def _workspace(found: LiveWorkspace) -> WorkspaceProgress:
    return WorkspaceProgress(counts=found.counts, jobs=[_progress(each) for each in found.jobs])


@router.get("/jobs/{job_id}/progress", operation_id="getJobProgress")
def get_progress(
    job_id: Id, web: CurrentWeb, caller: Annotated[Caller, allowed(jobs.live_job)]
) -> JobProgress:
    """How far the scan of a job has come."""
    return _progress(jobs.live_job(web.database, caller.workspace_id, job_id))


def _known_job(
    job_id: Id, web: CurrentWeb, caller: Annotated[Caller, allowed(jobs.live_job)]
) -> tuple[int, int]:
    jobs.live_job(web.database, caller.workspace_id, job_id)  # 404 before the stream begins
    return caller.workspace_id, job_id


@router.get(
    "/jobs/{job_id}/events",
    operation_id="streamJob",
    response_class=EventSourceResponse,
    responses=STREAM,
)
async def stream_job(
    known: Annotated[tuple[int, int], Depends(_known_job)],
    web: CurrentWeb,
    last_event_id: LastId = None,
) -> AsyncIterable[ServerSentEvent]:
    """The same whenever it changes, at most once a second; the stream ends with the job."""
    workspace_id, job_id = known

    def look() -> Snapshot:
        found = jobs.live_job(web.database, workspace_id, job_id)
        return Snapshot(_progress(found).model_dump_json(by_alias=True), found.has_ended)

    async for each in web.live.follow(f"job {workspace_id} {job_id}", look, last_event_id):
        name = "ended" if each.is_last else "progress"
        yield ServerSentEvent(raw_data=each.text, event=name, id=each.id)


@router.get("/live", operation_id="getLive")
def get_live(
    web: CurrentWeb, caller: Annotated[Caller, allowed(jobs.live_workspace)]
) -> WorkspaceProgress:
    """What is going on in the workspace."""
    return _workspace(jobs.live_workspace(web.database, caller.workspace_id))


@router.get(
    "/live/events",
    operation_id="streamLive",
    response_class=EventSourceResponse,
    responses=STREAM,
)
async def stream_live(
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(jobs.live_workspace)],
    last_event_id: LastId = None,
) -> AsyncIterable[ServerSentEvent]:
    """The same whenever it changes, at most once a second."""

    def look() -> Snapshot:
        found = jobs.live_workspace(web.database, caller.workspace_id)
        return Snapshot(_workspace(found).model_dump_json(by_alias=True))

    async for each in web.live.follow(f"workspace {caller.workspace_id}", look, last_event_id):
        yield ServerSentEvent(raw_data=each.text, event="live", id=each.id)
