"""Finding things: the command palette, help, and the style guide."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Final

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from sitecrawl.config.profiles import PROFILES
from sitecrawl.services import sites, users
from sitecrawl.services.callers import Caller
from sitecrawl.services.permissions import Permission
from sitecrawl.store.queries.watched_sites import SiteFilter
from sitecrawl.web.auth import CurrentWeb, allowed
from sitecrawl.web.templating import render

router = APIRouter()

_MAX_SITES: Final = 8


@dataclass(frozen=True, slots=True)
class Place:
    path: str
    name: str
    kind: str = "page"


_PLACES: Final = (
    Place("/", "Dashboard"),
    Place("/sites", "Sites"),
    Place("/sites/new", "Watch a site"),
    Place("/sites/import", "Import sites"),
    Place("/groups", "Groups"),
    Place("/incidents", "Incidents"),
    Place("/compare", "Compare two sites"),
    Place("/tasks", "Tasks"),
    Place("/tasks?status=failed", "Failed tasks"),
    Place("/sites?state=failing", "Failing sites"),
    Place("/account", "Your account: password, sessions, tokens"),
    Place("/help", "Help"),
    Place("/styleguide", "Style guide"),
)
_OWNER_PLACES: Final = (Place("/users", "Users"), Place("/users/audit", "Audit log"))


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
    places = (*_PLACES, *_OWNER_PLACES) if Permission.MANAGE in caller.permissions else _PLACES
    found = [place for place in places if text.lower() in place.name.lower()]
    if text:
        wanted = SiteFilter(text=text)
        page = sites.list_sites(web.database, caller.workspace_id, wanted, limit=_MAX_SITES)
        found += [Place(f"/sites/{each.id}", each.name, "site") for each in page.rows]
        found += [
            Place(f"/sites/{each.id}/pages", f"{each.name}: pages", "inventory")
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
