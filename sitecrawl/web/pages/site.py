"""A watched site: overview, scans and what they changed, settings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from starlette.responses import Response

from sitecrawl.changes.kinds import ChangeKind
from sitecrawl.config.profiles import PROFILES
from sitecrawl.errors import ConflictError, InvalidInputError
from sitecrawl.services import (
    change_detection,
    changes,
    groups,
    inventory_comparison,
    jobs,
    overviews,
    sites,
)
from sitecrawl.services.callers import Caller
from sitecrawl.services.sites import SiteEdit
from sitecrawl.store.queries.changes import ChangeFilter, EventFact, IncidentFact
from sitecrawl.store.queries.scan_figures import ANSWERS
from sitecrawl.store.queries.watched_sites import WatchedSite
from sitecrawl.store.vocabulary import ENDED_WELL
from sitecrawl.web import charts
from sitecrawl.web.auth import CurrentWeb, allowed
from sitecrawl.web.dependencies import QueryId
from sitecrawl.web.flash import redirect
from sitecrawl.web.pages.forms import SiteForm, checked_number, number_or_none, split_tags
from sitecrawl.web.state import Web
from sitecrawl.web.templating import render

router = APIRouter(prefix="/sites/{site_id}")

_RECENT = 8
_SCANS = 50
_DIFFERENCES = 500


@router.get("")
def overview(
    request: Request,
    site_id: int,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(overviews.site_overview)],
) -> Response:
    found = overviews.site_overview(web.database, caller.workspace_id, site_id)
    events: Sequence[EventFact] = ()
    incidents: Sequence[IncidentFact] = ()
    if found.site.site_id:
        inventory = sites.scanned_site(web.database, caller.workspace_id, site_id)
        change_detection.catch_up(web.database, inventory)
        events = changes.list_events(web.database, inventory, limit=_RECENT).rows
        wanted = ChangeFilter(status="open")
        incidents = changes.list_incidents(web.database, inventory, wanted, limit=_RECENT).rows
    ended = [
        each
        for each in reversed(found.recent_scans)
        if each.status in ENDED_WELL and not each.is_dive
    ]
    named = [(f"scan {each.id}", each) for each in ended]
    values = {
        "site": found.site,
        "urls": found.urls,
        "sitemaps": found.sitemaps,
        "scans": found.recent_scans,
        "events": events,
        "incidents": incidents,
        "statuses": [each.status for each in found.recent_scans],
        "trend": [(name, {"pages": (each.summary or {}).get("pages", 0)}) for name, each in named],
        "changed": [
            (name, charts.by_kind(found.scan_counts.get(each.id, {}))) for name, each in named
        ],
        "kinds": charts.KINDS,
    }
    return render(request, "site.html", values)


@router.post("/scan")
def scan_now(
    site_id: int, web: CurrentWeb, caller: Annotated[Caller, allowed(jobs.scan_site)]
) -> Response:
    try:
        job = jobs.scan_site(web.database, caller.workspace_id, site_id)
    except ConflictError as error:
        return redirect(f"/sites/{site_id}", str(error), is_error=True)
    return redirect(f"/tasks/{job.id}", "The scan is queued")


@router.get("/scans")
def scan_list(
    request: Request,
    site_id: int,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(overviews.site_trends)],
) -> Response:
    """The newest scans, and how the site developed over them."""
    found = overviews.site_trends(web.database, caller.workspace_id, site_id)
    named = [(f"scan {each.scan.id}", each) for each in reversed(found)]
    looked = [(name, each) for name, each in named if not each.scan.is_dive]
    values = {
        "site": sites.get_site(web.database, caller.workspace_id, site_id),
        "scans": found,
        "changed": [(name, charts.by_kind(each.changes)) for name, each in looked],
        "kinds": charts.KINDS,
        "pages": [(name, {"pages": each.pages}) for name, each in looked],
        "answers": [(name, each.figures.answers) for name, each in named],
        "answer_kinds": [(kind, f"answer-{n}") for n, kind in enumerate(ANSWERS)],
        "times": [
            (
                name,
                {
                    "half of them within": each.figures.percentile_ms(0.5),
                    "95 % within": each.figures.percentile_ms(0.95),
                },
            )
            for name, each in named
        ],
    }
    return render(request, "scans.html", values)


@router.get("/scans/{scan_id}")
def scan_detail(
    request: Request,
    site_id: int,
    scan_id: int,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(inventory_comparison.diff)],
    before: QueryId = None,
    kind: Annotated[str, Query(max_length=20)] = "",
) -> Response:
    """What a scan found, and how the inventory differs from that of any other scan."""
    site = sites.get_site(web.database, caller.workspace_id, site_id)
    asked = sites.asked_scan(web.database, caller.workspace_id, site_id, scan_id)
    scans = sites.site_scans(web.database, caller.workspace_id, site_id, _SCANS)
    older = [each for each in scans if each.id < scan_id and each.site_id == asked.site.id]
    diff = None
    if older and before != scan_id:
        diff = inventory_comparison.diff(web.database, asked.site, before, scan_id)
    pages = [each for each in diff.pages if not kind or each.kind == kind] if diff else []
    values = {
        "site": site,
        "scan": asked.scan,
        "counts": {
            kind: count
            for kind, count in changes.scan_counts(web.database, asked.scan).items()
            if kind in set(ChangeKind) and count
        },
        "is_first": not older,
        "older": older,
        "diff": diff,
        "pages": pages[:_DIFFERENCES],
        "found": len(pages),
        "kind": kind,
    }
    return render(request, "scan.html", values)


@router.get("/settings")
def settings_page(
    request: Request,
    site_id: int,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(sites.get_site)],
) -> Response:
    return _settings_page(request, web, caller, site_id)


@router.post("/settings")
def save_settings(
    request: Request,
    site_id: int,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(sites.edit_site)],
    given: Annotated[SiteForm, Form()],
) -> Response:
    try:
        edit = SiteEdit(
            root_url=given.root_url,
            name=given.name,
            tags=split_tags(given.tags),
            group_id=number_or_none(given.group_id),
            profile=given.profile,
            priority=checked_number("priority", given.priority),
            interval_minutes=checked_number("interval_minutes", given.interval_minutes),
            cron=given.cron or None,
            timezone=given.timezone,
            owner=given.owner or None,
            worker_tags=split_tags(given.worker_tags),
            enabled=given.enabled,
        )
        sites.edit_site(
            *(web.database, caller.workspace_id, site_id, edit, given.version),
            address_allow=web.config.address_allow,
        )
    except InvalidInputError as error:
        words = str(error).removeprefix(f"{error.field}: ")
        wrong = {error.field: words}
        return _settings_page(request, web, caller, site_id, given, wrong, status=422)
    except ConflictError as error:
        return redirect(f"/sites/{site_id}/settings", str(error), is_error=True)
    return redirect(f"/sites/{site_id}", "Saved")


@router.post("/delete")
def delete_site(
    site_id: int, web: CurrentWeb, caller: Annotated[Caller, allowed(sites.remove_site)]
) -> Response:
    try:
        removed = sites.remove_site(web.database, caller.workspace_id, site_id)
    except ConflictError as error:
        return redirect(f"/sites/{site_id}/settings", str(error), is_error=True)
    return redirect("/sites", f"{removed.name} is deleted with its scans and changes")


def _settings_page(
    request: Request,
    web: Web,
    caller: Caller,
    site_id: int,
    given: SiteForm | None = None,
    errors: dict[str, str] | None = None,
    *,
    status: int = 200,
) -> Response:
    site = sites.get_site(web.database, caller.workspace_id, site_id)
    values = {
        "site": site,
        "given": given or _form_of(site),
        "errors": errors or {},
        "groups": groups.list_groups(web.database, caller.workspace_id),
        "profiles": sorted(PROFILES),
    }
    return render(request, "site_settings.html", values, status=status)


def _form_of(site: WatchedSite) -> SiteForm:
    return SiteForm(
        root_url=site.root_url,
        name=site.name,
        tags=", ".join(site.tags),
        worker_tags=", ".join(site.worker_tags),
        group_id=str(site.group_id or ""),
        profile=site.profile,
        interval_minutes=str(site.interval_minutes),
        priority=str(site.priority),
        cron=site.cron or "",
        timezone=site.timezone,
        owner=site.owner or "",
        enabled=site.enabled,
    )
