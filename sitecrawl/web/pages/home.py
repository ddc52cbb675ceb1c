"""The first page: how much is watched, what changed, what needs attention."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Request
from starlette.responses import Response

from sitecrawl.services.callers import Caller
from sitecrawl.services.workspace_overview import SHOWN_KINDS, workspace_overview
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
    return render(request, "home.html", {"now": now, "trend": trend, "kinds": SHOWN_KINDS})


@router.get("/dashboard")
def dashboard(_caller: Annotated[Caller, allowed(workspace_overview)]) -> Response:
    return go("/")
