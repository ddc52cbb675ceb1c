"""Groups of sites."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from sitecrawl.services import groups
from sitecrawl.services.callers import Caller
from sitecrawl.services.groups import GroupInput
from sitecrawl.web.auth import CurrentWeb, allowed
from sitecrawl.web.flash import redirect_after
from sitecrawl.web.templating import render

router = APIRouter(prefix="/groups")

Text = Annotated[str, Form(max_length=2_000)]


@router.get("")
def group_list(
    request: Request, web: CurrentWeb, caller: Annotated[Caller, allowed(groups.list_groups)]
) -> Response:
    found = groups.list_groups(web.database, caller.workspace_id)
    return render(request, "groups.html", {"groups": found, "colour": groups.DEFAULT_COLOUR})


@router.post("")
def add_group(
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(groups.add_group)],
    name: Text = "",
    colour: Text = groups.DEFAULT_COLOUR,
    description: Text = "",
) -> Response:
    def work() -> str:
        new = GroupInput(name, colour, description)
        return f"Group {groups.add_group(web.database, caller.workspace_id, new).name} is there"

    return redirect_after("/groups", work)


@router.post("/{group_id}")
def edit_group(
    group_id: int,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(groups.edit_group)],
    name: Text = "",
    colour: Text = "",
    description: Text = "",
) -> Response:
    def work() -> str:
        groups.edit_group(
            web.database,
            caller.workspace_id,
            group_id,
            name=name,
            colour=colour,
            description=description,
        )
        return "Saved"

    return redirect_after("/groups", work)


@router.post("/{group_id}/delete")
def remove_group(
    group_id: int, web: CurrentWeb, caller: Annotated[Caller, allowed(groups.remove_group)]
) -> Response:
    def work() -> str:
        removed = groups.remove_group(web.database, caller.workspace_id, group_id)
        return f"Group {removed.name} is deleted; its sites stay"

    return redirect_after("/groups", work)
