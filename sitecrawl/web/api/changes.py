"""``/api/sites/{id}/changes``, ``events``, ``incidents``: what happened, who deals with it."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import IO, Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query
from pydantic import Field
from starlette.responses import Response

from sitecrawl.changes.kinds import ChangeKind, EventKind, Severity
from sitecrawl.exporters.csv_rows import write_csv_rows
from sitecrawl.services import (
    change_detection,
    changes,
    inventory_comparison,
    inventory_lists,
    sites,
)
from sitecrawl.services.callers import Caller
from sitecrawl.store.queries.changes import ChangeFact, ChangeFilter, IncidentFact
from sitecrawl.store.queries.scans import Site
from sitecrawl.web.api.models import (
    Body,
    Cursor,
    Limit,
    Model,
    Moment,
    ScanSummary,
    download_answer,
    problems,
)
from sitecrawl.web.api.pages import PageId, page_number
from sitecrawl.web.auth import CurrentWeb, allowed
from sitecrawl.web.dependencies import MAX_ID, BodyId, Id, QueryId
from sitecrawl.web.downloads import download
from sitecrawl.web.state import Web

router = APIRouter(prefix="/sites/{site_id}", tags=["changes"])

_MAX_DIFF = 10_000


def _site(
    site_id: Id, web: CurrentWeb, caller: Annotated[Caller, allowed(changes.list_changes)]
) -> Site:
    return _caught_up(web, caller, site_id)


def _site_to_edit(
    site_id: Id, web: CurrentWeb, caller: Annotated[Caller, allowed(changes.edit_change)]
) -> Site:
    return sites.scanned_site(web.database, caller.workspace_id, site_id)


def _caught_up(web: Web, caller: Caller, site_id: int) -> Site:
    """The site's inventory; scans from the command line are compared now."""
    site = sites.scanned_site(web.database, caller.workspace_id, site_id)
    change_detection.catch_up(web.database, site)
    return site


ReadSite = Annotated[Site, Depends(_site)]
EditedSite = Annotated[Site, Depends(_site_to_edit)]


def _moment(given: datetime | date | None, *, is_end: bool = False) -> datetime | None:
    """A date as an end is a whole day."""
    if given is None:
        return None
    if not isinstance(given, datetime):
        day = given + timedelta(days=1) if is_end and given < date.max else given
        return datetime.combine(day, time(), UTC)
    return given if given.tzinfo else given.replace(tzinfo=UTC)


def _filter(
    type_: Annotated[list[ChangeKind | EventKind], Query(alias="type", max_length=30)] = [],  # noqa: B006
    since: Annotated[datetime | date | None, Query(alias="from")] = None,
    until: Annotated[
        datetime | date | None, Query(alias="to", description="A date is the whole day.")
    ] = None,
    scan: QueryId = None,
    severity: Annotated[Severity | None, Query(description="At least.")] = None,
    status: Literal["open", "closed"] | None = None,
    event: QueryId = None,
    silent: Annotated[bool, Query(description="Also what nobody is told.")] = True,
) -> ChangeFilter:
    return ChangeFilter(
        kinds=tuple(str(each) for each in type_),
        since=_moment(since),
        until=_moment(until, is_end=True),
        scan_id=scan,
        min_severity=severity,
        status=status or "",
        event_id=event,
        with_silent=silent,
    )


Wanted = Annotated[ChangeFilter, Depends(_filter)]


class Change(Model):
    """One difference between two scans."""

    id: int
    scan_id: int
    event_id: int | None
    type: ChangeKind
    detail: str = Field(examples=["https://example.com/page | lastmod 2024-01-01 → 2024-01-15"])
    page_id: str | None
    url: str | None
    other_url: str | None = Field(description="Where a moved page went to.")
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    evidence: dict[str, Any] = Field(description="Why this is believed.")
    confidence: float
    severity: Severity
    is_silent: bool
    status: str
    assignee: str | None
    note: str | None
    source: str = "scanner"
    occurred_at: Moment


class ChangeList(Model):
    changes: list[Change]
    next_cursor: str | None


class Event(Model):
    """Changes that belong together, as a person would tell them."""

    id: int
    scan_id: int
    incident_id: int | None
    kind: EventKind
    severity: Severity
    title: str
    pages: int
    important_pages: int
    detail: dict[str, Any]
    is_silent: bool
    occurred_at: Moment


class EventList(Model):
    events: list[Event]
    next_cursor: str | None


class Incident(Model):
    """An event that needs attention until it is closed."""

    id: int
    kind: EventKind
    severity: Severity
    title: str
    status: str
    opened_scan_id: int
    last_scan_id: int
    closed_scan_id: int | None
    opened_at: Moment
    closed_at: Moment | None
    snoozed_until: Moment | None
    assignee: str | None
    note: str | None


class IncidentList(Model):
    incidents: list[Incident]
    next_cursor: str | None


class ChangeEdit(Body):
    status: Literal["open", "closed"] | None = None
    assignee: str | None = Field(default=None, max_length=200)
    note: str | None = Field(default=None, max_length=10_000)


class ChangesEdit(ChangeEdit):
    ids: list[BodyId] = Field(min_length=1, max_length=1_000)


class IncidentEdit(Body):
    assignee: str | None = Field(default=None, max_length=200)
    note: str | None = Field(default=None, max_length=10_000)


class Closing(Body):
    note: str | None = Field(default=None, max_length=10_000)


class Snooze(Body):
    until: Moment | None = Field(description="Null ends the snooze.")


class ConfirmedRemovals(Model):
    pages: int


class Removals(Body):
    scan_id: BodyId = Field(description="The newest comparison that you have seen.")


class ChangeCounts(Model):
    added: int
    removed: int
    updated: int


class DiffItem(Model):
    type: str
    detail: str
    occurred_at: Moment


class ScanDiff(Model):
    scan_id: int
    summary: ChangeCounts
    items: list[DiffItem]
    is_truncated: bool = Field(description="Whether there are more; see changes.csv.")
    started_at: Moment
    finished_at: Moment | None


class PageDifference(Model):
    kind: str
    url: str
    before: dict[str, Any]
    after: dict[str, Any]


class Diff(Model):
    before: ScanSummary
    after: ScanSummary
    summary: ChangeCounts
    pages: list[PageDifference]
    is_truncated: bool


def detail_of(change: ChangeFact) -> str:
    """A line for people; for updates what changed, as `url | field before → after; ...`."""
    url = change.url or ""
    if change.other_url:
        return f"{url} → {change.other_url}"
    before, after = change.before or {}, change.after or {}
    fields = [
        f"{name} {_shown(before.get(name))} → {_shown(after.get(name))}"
        for name in dict.fromkeys([*before, *after])
    ]
    return f"{url} | {'; '.join(fields)}" if fields else url


def _shown(value: object) -> str:
    return "none" if value is None else str(value)[:200]


def change_answer(fact: ChangeFact) -> Change:
    values = {name: getattr(fact, name) for name in ChangeFact.__slots__}
    page_id = values.pop("page_id")
    return Change(
        **values,
        type=fact.kind,
        detail=detail_of(fact),
        page_id=None if page_id is None else str(page_id),
    )


@router.get("/changes", operation_id="listChanges")
def list_changes(
    site: ReadSite, web: CurrentWeb, wanted: Wanted, cursor: Cursor = None, limit: Limit = 100
) -> ChangeList:
    """The newest first."""
    page = changes.list_changes(web.database, site, wanted, cursor, limit)
    return ChangeList(
        changes=[change_answer(each) for each in page.rows], next_cursor=page.next_cursor
    )


@router.get("/changes.csv", operation_id="downloadChanges", **download_answer("text/csv"))
def download_changes(site: ReadSite, web: CurrentWeb, wanted: Wanted) -> Response:
    """Type, detail and time of every change, the oldest first."""

    def write(file: IO[bytes]) -> None:
        rows = (
            (each.kind.value, detail_of(each), each.occurred_at.isoformat())
            for each in changes.iter_changes(web.database, site, wanted)
        )
        write_csv_rows(("type", "detail", "occurredAt"), rows, file, quotes_all=True)

    return download(write, name=f"{site.key}-changes.csv", media_type="text/csv; charset=utf-8")


@router.patch("/changes/{change_id}", operation_id="updateChange")
def update_change(site: EditedSite, change_id: Id, given: ChangeEdit, web: CurrentWeb) -> Change:
    """Assign it, note something, close it or open it again."""
    values = given.model_dump(exclude_unset=True)
    return change_answer(changes.edit_change(web.database, site, change_id, **values))


@router.post("/changes/bulk", operation_id="updateChanges")
def update_changes(site: EditedSite, given: ChangesEdit, web: CurrentWeb) -> ChangeList:
    """The same for several at once: all of them or none."""
    values = given.model_dump(exclude_unset=True, exclude={"ids"})
    edited = changes.edit_changes(web.database, site, given.ids, **values)
    return ChangeList(changes=[change_answer(each) for each in edited], next_cursor=None)


@router.get("/scan-diff", operation_id="getScanDiff")
def get_scan_diff(
    site_id: Id,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(changes.list_changes)],
    scan_id: Annotated[int, Query(alias="scanId", ge=1, le=MAX_ID)],
) -> ScanDiff:
    """What one scan has changed."""
    asked = sites.asked_scan(web.database, caller.workspace_id, site_id, scan_id)
    change_detection.catch_up(web.database, asked.site)
    counts = changes.scan_counts(web.database, asked.scan)
    page = changes.list_changes(web.database, asked.site, ChangeFilter(scan_id=scan_id), None, 500)
    return ScanDiff(
        scan_id=scan_id,
        summary=ChangeCounts(**{name: counts.get(name, 0) for name in ChangeCounts.model_fields}),
        items=[
            DiffItem(type=each.kind, detail=detail_of(each), occurred_at=each.occurred_at)
            for each in page.rows
        ],
        is_truncated=page.next_cursor is not None,
        started_at=asked.scan.started_at,
        finished_at=asked.scan.finished_at,
    )


@router.get("/diff", operation_id="compareScans")
def compare_scans(
    site: ReadSite,
    web: CurrentWeb,
    before: QueryId = None,
    after: QueryId = None,
) -> Diff:
    """The inventories as of any two scans; by default the newest and the one before."""
    found = inventory_comparison.diff(web.database, site, before, after)
    return Diff(
        before=ScanSummary.of(found.before, changes.scan_counts(web.database, found.before)),
        after=ScanSummary.of(found.after, changes.scan_counts(web.database, found.after)),
        summary=ChangeCounts(**{name: found.count(name) for name in ChangeCounts.model_fields}),
        pages=[PageDifference.model_validate(each) for each in found.pages[:_MAX_DIFF]],
        is_truncated=len(found.pages) > _MAX_DIFF,
    )


@router.get("/pages/{page_id}/history", operation_id="listPageHistory")
def list_page_history(site: ReadSite, page_id: PageId, web: CurrentWeb) -> ChangeList:
    """What happened to a page, the newest first."""
    inventory_lists.check_page(web.database, site, page_number(page_id))
    found = changes.page_history(web.database, site, page_number(page_id))
    return ChangeList(changes=[change_answer(each) for each in found], next_cursor=None)


@router.get("/events", operation_id="listEvents")
def list_events(
    site: ReadSite, web: CurrentWeb, wanted: Wanted, cursor: Cursor = None, limit: Limit = 100
) -> EventList:
    """The newest first."""
    page = changes.list_events(web.database, site, wanted, cursor, limit)
    return EventList(
        events=[Event.model_validate(each) for each in page.rows], next_cursor=page.next_cursor
    )


@router.get("/incidents", operation_id="listIncidents")
def list_incidents(
    site: ReadSite, web: CurrentWeb, wanted: Wanted, cursor: Cursor = None, limit: Limit = 100
) -> IncidentList:
    """The newest first."""
    page = changes.list_incidents(web.database, site, wanted, cursor, limit)
    return IncidentList(
        incidents=[_incident(each) for each in page.rows], next_cursor=page.next_cursor
    )


def _incident(fact: IncidentFact) -> Incident:
    return Incident.model_validate(fact)


@router.patch("/incidents/{incident_id}", operation_id="updateIncident")
def update_incident(
    site: EditedSite, incident_id: Id, given: IncidentEdit, web: CurrentWeb
) -> Incident:
    """Assign it, or note something."""
    values = given.model_dump(exclude_unset=True)
    return _incident(changes.edit_incident(web.database, site, incident_id, **values))


@router.post(
    "/incidents/{incident_id}/close", operation_id="closeIncident", responses=problems("conflict")
)
def close_incident(site: EditedSite, incident_id: Id, given: Closing, web: CurrentWeb) -> Incident:
    """Should the trouble come again, that is a new incident."""
    values = given.model_dump(exclude_unset=True)
    return _incident(changes.close_incident(web.database, site, incident_id, **values))


@router.post("/incidents/{incident_id}/snooze", operation_id="snoozeIncident")
def snooze_incident(site: EditedSite, incident_id: Id, given: Snooze, web: CurrentWeb) -> Incident:
    """Say nothing of it until then."""
    return _incident(changes.snooze_incident(web.database, site, incident_id, given.until))


@router.post("/removals/confirm", operation_id="confirmRemovals", responses=problems("conflict"))
def confirm_removals(site: EditedSite, given: Removals, web: CurrentWeb) -> ConfirmedRemovals:
    """Pages that went missing are gone indeed."""
    number = changes.confirm_removals(web.database, site, given.scan_id)
    return ConfirmedRemovals(pages=number)
