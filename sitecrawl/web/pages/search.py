"""Searching what the pages of a site say, and asking about it."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from sitecrawl.dive.answers import ask, configured_model
from sitecrawl.dive.dives import embedders_by_name
from sitecrawl.dive.search import search
from sitecrawl.errors import ExtraMissingError, InvalidInputError, NotFoundError
from sitecrawl.services import site_inventory, sites
from sitecrawl.services.callers import Caller
from sitecrawl.web.auth import CurrentWeb, allowed
from sitecrawl.web.templating import render

router = APIRouter(prefix="/sites/{site_id}/search")


@router.get("")
def search_page(
    request: Request,
    site_id: int,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(search)],
    q: Annotated[str, Query(max_length=500)] = "",
    mode: Annotated[str, Query(pattern="^(search|ask)$")] = "search",
) -> Response:
    values: dict[str, Any] = {
        "site": sites.get_site(web.database, caller.workspace_id, site_id),
        "q": q,
        "mode": mode,
        "hits": [],
        "answer": None,
        "problem": "",
    }
    if q.strip():
        try:
            inventory = site_inventory.scanned_site(web.database, caller.workspace_id, site_id)
            embedder_named = embedders_by_name(web.config)
            if mode == "ask":
                model = configured_model(web.database, inventory, web.config)
                values["answer"] = ask(
                    web.database,
                    inventory,
                    q,
                    model=model,
                    user_id=caller.user_id,
                    embedder_named=embedder_named,
                )
            else:
                values["hits"] = search(web.database, inventory, q, embedder_named=embedder_named)
        except (NotFoundError, InvalidInputError, ExtraMissingError) as error:
            values["problem"] = str(error)
    return render(request, "search.html", values)
