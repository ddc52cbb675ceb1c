"""The first page: how much is watched, what changed, what needs attention."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Request
from starlette.responses import Response

from sitecrawl.services import sites
from sitecrawl.services.callers import Caller
from sitecrawl.services.jobs import live_workspace
from sitecrawl.services.overviews import SHOWN_KINDS, scan_beats, workspace_overview
from sitecrawl.store.queries.watched_sites import SiteFilter
from sitecrawl.web.auth import CurrentWeb, allowed
from sitecrawl.web.flash import go
from sitecrawl.web.templating import render

router = APIRouter()


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
        "beats_of": scan_beats(web.database, shown),
    }
    return render(request, "home.html", values)


@router.get("/dashboard")
def dashboard(_caller: Annotated[Caller, allowed(workspace_overview)]) -> Response:
    return go("/")
