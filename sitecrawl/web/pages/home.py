"""Pages of no single site: the first page, two sites compared, the command palette, help."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from sitecrawl.config.profiles import PROFILES
from sitecrawl.errors import NotFoundError
from sitecrawl.services import inventory_comparison, sites, users
from sitecrawl.services.callers import Caller
from sitecrawl.services.jobs import live_workspace
from sitecrawl.services.overviews import SHOWN_KINDS, recent_scan_statuses, workspace_overview
from sitecrawl.services.permissions import Permission
from sitecrawl.store.queries.watched_sites import SiteFilter, SiteSort
from sitecrawl.web.auth import CurrentWeb, allowed
from sitecrawl.web.flash import redirect
from sitecrawl.web.pages.forms import NumberText, number_or_none
from sitecrawl.web.templating import render

router = APIRouter()
_MAX_SITES: Final = 8
_MAX_CHOICES = 500


@router.get("/")
def home(
    request: Request, web: CurrentWeb, caller: Annotated[Caller, allowed(workspace_overview)]
) -> Response:
    now = workspace_overview(web.database, caller.workspace_id)
    trend = [(f"{each.day.day} {each.day:%b}", each.counts) for each in now.trend]
    busiest = SiteFilter(ids=tuple(each.id for each in now.busiest))
    shown = sites.list_sites(web.database, caller.workspace_id, busiest).rows if busiest.ids else ()
    values = {
        "now": now,
        "live": live_workspace(web.database, caller.workspace_id),
        "trend": trend,
        "kinds": [(kind, f"kind-{kind}") for kind in SHOWN_KINDS],
        "statuses_of": recent_scan_statuses(web.database, shown),
    }
    return render(request, "home.html", values)


@router.get("/dashboard")
def dashboard(_caller: Annotated[Caller, allowed(workspace_overview)]) -> Response:
    return redirect("/")


@dataclass(frozen=True, slots=True)
class PaletteEntry:
    path: str
    name: str
    kind: str = "page"


_ENTRIES: Final = (
    PaletteEntry("/", "Dashboard"),
    PaletteEntry("/sites", "Sites"),
    PaletteEntry("/sites/new", "Watch a site"),
    PaletteEntry("/sites/import", "Import sites"),
    PaletteEntry("/groups", "Groups"),
    PaletteEntry("/incidents", "Incidents"),
    PaletteEntry("/compare", "Compare two sites"),
    PaletteEntry("/tasks", "Tasks"),
    PaletteEntry("/tasks?status=failed", "Failed tasks"),
    PaletteEntry("/sites?state=failing", "Failing sites"),
    PaletteEntry("/account", "Your account: password, sessions, tokens"),
    PaletteEntry("/help", "Help"),
    PaletteEntry("/styleguide", "Style guide"),
)


_OWNER_ENTRIES: Final = (PaletteEntry("/users", "Users"), PaletteEntry("/users/audit", "Audit log"))


@router.get("/find")
def find(
    request: Request,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(sites.list_sites)],
    q: Annotated[str, Query(max_length=200)] = "",
    part: bool = False,
) -> Response:
    """Pages and sites by a part of their name; ``part``: only the list."""
    text = q.strip()
    entries = (*_ENTRIES, *_OWNER_ENTRIES) if Permission.MANAGE in caller.permissions else _ENTRIES
    found = [entry for entry in entries if text.lower() in entry.name.lower()]
    if text:
        wanted = SiteFilter(text=text)
        page = sites.list_sites(web.database, caller.workspace_id, wanted, limit=_MAX_SITES)
        found += [PaletteEntry(f"/sites/{each.id}", each.name, "site") for each in page.rows]
        found += [
            PaletteEntry(f"/sites/{each.id}/pages", f"{each.name}: pages", "inventory")
            for each in page.rows[:3]
        ]
    values = {"found": found, "text": text}
    return render(request, "find_results.html" if part else "find.html", values)


@router.get("/help")
@router.get("/faq")
def help_page(
    request: Request, _caller: Annotated[Caller, allowed(users.own_workspaces)]
) -> Response:
    return render(request, "help.html", {"profiles": sorted(PROFILES)})


@router.get("/styleguide")
def style_guide(
    request: Request, _caller: Annotated[Caller, allowed(users.own_workspaces)]
) -> Response:
    """Every component once: the reference for how pages look."""
    return render(request, "styleguide.html", {"now": datetime.now(UTC)})


@router.get("/compare")
def compare_page(
    request: Request,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(inventory_comparison.compare_sites)],
    left: NumberText = "",
    right: NumberText = "",
) -> Response:
    choices = sites.list_sites(
        web.database, caller.workspace_id, sort=SiteSort.NAME, limit=_MAX_CHOICES
    )
    values: dict[str, Any] = {
        "sites": choices.rows,
        "left": left,
        "right": right,
        "found": None,
        "problem": "",
        "shown": inventory_comparison.MAX_SHOWN,
        "max_pages": inventory_comparison.MAX_PAGES,
    }
    first, second = number_or_none(left), number_or_none(right)
    if first and first == second:
        values["problem"] = "Choose two different sites."
    elif first and second:
        try:
            values["found"] = inventory_comparison.compare_sites(
                web.database, caller.workspace_id, first, second
            )
        except NotFoundError as error:
            values["problem"] = f"{error}"
    return render(request, "compare.html", values)
