"""What changed: the timeline of a site, events with their evidence, incidents of all sites."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Form, Query, Request
from starlette.responses import Response

from sitecrawl.changes.kinds import ChangeKind, EventKind, Severity
from sitecrawl.errors import NotFoundError
from sitecrawl.services import change_detection, changes, sites
from sitecrawl.services.callers import Caller
from sitecrawl.services.overviews import list_workspace_incidents
from sitecrawl.store.queries.changes import ChangeFilter
from sitecrawl.store.queries.scans import Site
from sitecrawl.web.auth import CurrentWeb, allowed
from sitecrawl.web.flash import redirect_after
from sitecrawl.web.pages.forms import ChangeListQuery, number_or_none
from sitecrawl.web.state import Web
from sitecrawl.web.templating import render

router = APIRouter()

Cursor = Annotated[str | None, Query(max_length=2_000)]
Text = Annotated[str, Form(max_length=10_000)]
_PER_PAGE = 50
_SNOOZES = {"1": "a day", "7": "a week", "30": "a month"}


@router.get("/incidents")
def incident_list(
    request: Request,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(list_workspace_incidents)],
    status: Annotated[str, Query(pattern="^(open|closed|)$")] = "open",
    snoozed: bool = False,
    cursor: Cursor = None,
) -> Response:
    page = list_workspace_incidents(
        web.database,
        caller.workspace_id,
        status=status,
        with_snoozed=snoozed or status != "open",
        cursor=cursor,
        limit=_PER_PAGE,
    )
    values = {"page": page, "status": status, "snoozed": snoozed}
    return render(request, "incidents.html", values)


@router.get("/sites/{site_id}/changes")
def change_list(
    request: Request,
    site_id: int,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(changes.list_changes)],
    query: Annotated[ChangeListQuery, Query()],
) -> Response:
    site = sites.get_site(web.database, caller.workspace_id, site_id)
    values: dict[str, Any] = {
        "site": site,
        "page": None,
        "documents": {},
        "kinds": list(ChangeKind),
        "severities": list(Severity),
        "chosen": query,
        "export": query.export_query(),
    }
    if site.site_id:
        inventory = _inventory(web, caller, site_id)
        wanted = _wanted(query)
        page = changes.list_changes(web.database, inventory, wanted, query.cursor, _PER_PAGE)
        values["page"] = page
        values["documents"] = changes.documents_named_by(web.database, page.rows)
    return render(request, "changes.html", values)


@router.get("/sites/{site_id}/events")
def event_list(
    request: Request,
    site_id: int,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(changes.list_events)],
    query: Annotated[ChangeListQuery, Query()],
) -> Response:
    site = sites.get_site(web.database, caller.workspace_id, site_id)
    values: dict[str, Any] = {
        "site": site,
        "page": None,
        "kinds": list(EventKind),
        "severities": list(Severity),
        "chosen": query,
    }
    if site.site_id:
        inventory = _inventory(web, caller, site_id)
        wanted = _wanted(query)
        values["page"] = changes.list_events(
            web.database, inventory, wanted, query.cursor, _PER_PAGE
        )
    return render(request, "events.html", values)


@router.get("/sites/{site_id}/events/{event_id}")
def event_detail(
    request: Request,
    site_id: int,
    event_id: int,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(changes.get_event)],
    cursor: Cursor = None,
) -> Response:
    inventory = _inventory(web, caller, site_id)
    wanted = ChangeFilter(event_id=event_id)
    page = changes.list_changes(web.database, inventory, wanted, cursor, _PER_PAGE)
    values = {
        "site": sites.get_site(web.database, caller.workspace_id, site_id),
        "event": changes.get_event(web.database, inventory, event_id),
        "page": page,
        "documents": changes.documents_named_by(web.database, page.rows),
    }
    return render(request, "event.html", values)


@router.get("/sites/{site_id}/incidents/{incident_id}")
def incident_detail(
    request: Request,
    site_id: int,
    incident_id: int,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(changes.get_incident)],
) -> Response:
    inventory = _inventory(web, caller, site_id)
    incident, events = changes.get_incident(web.database, inventory, incident_id)
    is_snoozed = incident.snoozed_until is not None and incident.snoozed_until > datetime.now(UTC)
    values = {
        "site": sites.get_site(web.database, caller.workspace_id, site_id),
        "incident": incident,
        "events": events,
        "is_snoozed": is_snoozed,
        "snoozes": _SNOOZES,
        "waiting": incident.status == "open" and incident.kind == EventKind.INVENTORY_COLLAPSED,
    }
    return render(request, "incident.html", values)


@router.post("/sites/{site_id}/incidents/{incident_id}")
def change_incident(
    site_id: int,
    incident_id: int,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(changes.edit_incident)],
    action: Annotated[str, Form(max_length=20)],
    assignee: Text = "",
    note: Text = "",
    days: Annotated[int, Form(ge=0, le=365)] = 0,
) -> Response:
    """Save who deals with it and a note, close it, or let it sleep."""
    site = sites.scanned_site(web.database, caller.workspace_id, site_id)

    def work() -> str:
        match action:
            case "close":
                changes.close_incident(web.database, site, incident_id, note or None)
                return "The incident is closed"
            case "snooze":
                until = datetime.now(UTC) + timedelta(days=days) if days else None
                changes.snooze_incident(web.database, site, incident_id, until)
                return "Snoozed" if days else "The snooze is over"
            case "confirm":
                last = change_detection.catch_up(web.database, site)
                if last is None:
                    raise NotFoundError("no scan has been compared yet")
                gone = changes.confirm_removals(web.database, site, last.scan_id)
                return f"{gone:,} pages are confirmed as removed"
        changes.edit_incident(
            web.database, site, incident_id, assignee=assignee or None, note=note or None
        )
        return "Saved"

    return redirect_after(f"/sites/{site_id}/incidents/{incident_id}", work)


@router.post("/sites/{site_id}/changes/{change_id}")
def change_change(
    site_id: int,
    change_id: int,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(changes.edit_change)],
    status: Annotated[str, Form(max_length=10)],
    back: Annotated[str, Form(max_length=2_000)] = "/",
) -> Response:
    site = sites.scanned_site(web.database, caller.workspace_id, site_id)

    def work() -> str:
        changes.edit_change(web.database, site, change_id, status=status)
        return f"Change {change_id} is {status}"

    return redirect_after(back, work)


def _inventory(web: Web, caller: Caller, site_id: int) -> Site:
    """The site's inventory; scans from the command line are compared now."""
    site = sites.scanned_site(web.database, caller.workspace_id, site_id)
    change_detection.catch_up(web.database, site)
    return site


def _wanted(query: ChangeListQuery) -> ChangeFilter:
    known = {*ChangeKind, *EventKind}
    try:
        since = datetime.combine(date.fromisoformat(query.since), time(), UTC)
    except ValueError:
        since = None
    return ChangeFilter(
        kinds=(query.type,) if query.type in known else (),
        min_severity=Severity(query.severity) if query.severity in set(Severity) else None,
        since=since,
        scan_id=number_or_none(query.scan),
    )
