"""``/api/sites/{id}/dives``: what makes the pages of a site searchable."""

from __future__ import annotations

from collections.abc import AsyncIterable
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Response
from fastapi.sse import EventSourceResponse, ServerSentEvent
from pydantic import Field

from sitecrawl.dive import dive_jobs
from sitecrawl.services.callers import Caller
from sitecrawl.store.queries.dives import Dive
from sitecrawl.store.queries.scans import Site
from sitecrawl.store.vocabulary import DiveStatus
from sitecrawl.web.api.models import STREAM, Cursor, LastId, Limit, Model, Moment, problems
from sitecrawl.web.api.page_filters import PageParameters
from sitecrawl.web.auth import CurrentWeb, allowed
from sitecrawl.web.dependencies import Id, ScannedSite
from sitecrawl.web.events import Snapshot

router = APIRouter(prefix="/sites/{site_id}/dives", tags=["dives"])


class DiveCounts(Model):
    pages: int = Field(default=0, description="Wanted.")
    to_fetch: int = Field(default=0, description="Whose body is not kept, or is too old.")
    fetched: int = 0
    read: int = 0
    unchanged: int = Field(default=0, description="Since they were last read.")
    without_body: int = 0
    without_text: int = 0
    other_language: int = 0
    files: int = Field(default=0, description="Wanted, of those that scans skip.")
    files_left_out: int = Field(default=0, description="PDF files that need the extra `files`.")
    files_encrypted: int = 0
    files_damaged: int = 0
    files_too_large: int = Field(default=0, description="When they are unpacked.")
    files_too_slow: int = 0
    passages: int = Field(default=0, description="New ones.")
    embedded: int = Field(default=0, description="Passages that can be searched now.")
    removed: int = Field(default=0, description="Pages that are no longer listed.")


class DiveAnswer(Model):
    id: int
    job_id: int | None = Field(description="The job that runs it; none: a command does.")
    scan_id: int | None = Field(description="The scan that fetched pages for it.")
    wanted: dict[str, Any] = Field(description="What was asked for, but for defaults.")
    status: DiveStatus
    reason: str | None
    counts: DiveCounts
    started_at: Moment
    finished_at: Moment | None


class DiveList(Model):
    dives: list[DiveAnswer]
    next_cursor: str | None
    searchable_pages: int
    searchable_passages: int


def dive_answer(dive: Dive) -> DiveAnswer:
    return DiveAnswer.model_validate(dive)


@router.get("", operation_id="listDives")
def list_dives(
    site: ScannedSite,
    web: CurrentWeb,
    _caller: Annotated[Caller, allowed(dive_jobs.list_dives)],
    cursor: Cursor = None,
    limit: Limit = 50,
) -> DiveList:
    """The newest first, and how much can be searched."""
    page = dive_jobs.list_dives(web.database, site, cursor=cursor, limit=limit)
    found = dive_jobs.searchable(web.database, site)
    return DiveList(
        dives=[dive_answer(each) for each in page.rows],
        next_cursor=page.next_cursor,
        searchable_pages=found.pages,
        searchable_passages=found.passages,
    )


@router.post("", operation_id="startDive", status_code=202, responses=problems("conflict"))
def start_dive(
    site_id: Id,
    wanted: PageParameters,
    response: Response,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(dive_jobs.start_dive)],
) -> DiveAnswer:
    """Queue a dive into the pages that the filters want, such as `cluster`; none: into all."""
    asked = wanted.filter_without()
    dive = dive_jobs.start_dive(web.database, caller.workspace_id, site_id, asked)
    response.headers["Location"] = f"/api/sites/{site_id}/dives/{dive.id}"
    return dive_answer(dive)


@router.get("/{dive_id}", operation_id="getDive")
def get_dive(
    site: ScannedSite,
    dive_id: Id,
    web: CurrentWeb,
    _caller: Annotated[Caller, allowed(dive_jobs.get_dive)],
) -> DiveAnswer:
    """How far it has come; cancel it by its job."""
    return dive_answer(dive_jobs.get_dive(web.database, site, dive_id))


def _known_dive(
    site: ScannedSite,
    dive_id: Id,
    web: CurrentWeb,
    _caller: Annotated[Caller, allowed(dive_jobs.get_dive)],
) -> tuple[Site, int]:
    dive_jobs.get_dive(web.database, site, dive_id)  # 404 before the stream begins
    return site, dive_id


@router.get(
    "/{dive_id}/events",
    operation_id="streamDive",
    response_class=EventSourceResponse,
    responses=STREAM,
)
async def stream_dive(
    known: Annotated[tuple[Site, int], Depends(_known_dive)],
    web: CurrentWeb,
    last_event_id: LastId = None,
) -> AsyncIterable[ServerSentEvent]:
    """The same whenever it changes, at most once a second; the stream ends with the dive."""
    site, dive_id = known

    def look() -> Snapshot:
        dive = dive_jobs.get_dive(web.database, site, dive_id)
        return Snapshot(dive_answer(dive).model_dump_json(by_alias=True), not dive.is_active)

    async for each in web.live.follow(f"dive {site.id} {dive_id}", look, last_event_id):
        name = "ended" if each.is_last else "progress"
        yield ServerSentEvent(raw_data=each.text, event=name, id=each.id)
