"""PageComparison two sites; two scans of one site are compared on the page of a scan."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from sitecrawl.errors import NotFoundError
from sitecrawl.services import inventory_comparison, sites
from sitecrawl.services.callers import Caller
from sitecrawl.store.queries.watched_sites import SiteSort
from sitecrawl.web.auth import CurrentWeb, allowed
from sitecrawl.web.pages.forms import number_or_none
from sitecrawl.web.templating import render

router = APIRouter()

_MAX_CHOICES = 500
Number = Annotated[str, Query(pattern=r"^[0-9]{0,18}$")]


@router.get("/compare")
def compare(
    request: Request,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(inventory_comparison.compare_sites)],
    left: Number = "",
    right: Number = "",
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
