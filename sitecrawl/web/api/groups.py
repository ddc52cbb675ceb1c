"""``/api/groups``: sites that belong together."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Response
from pydantic import Field

from sitecrawl.services import groups
from sitecrawl.services.callers import Caller
from sitecrawl.services.groups import DEFAULT_COLOUR, GroupInput
from sitecrawl.web.api.models import Body, Model, Moment, problems
from sitecrawl.web.auth import CurrentWeb, allowed
from sitecrawl.web.dependencies import Id

router = APIRouter(prefix="/groups", tags=["groups"])


class GroupRequest(Body):
    name: str = Field(min_length=1, max_length=100, examples=["Shops"])
    color: str = Field(default=DEFAULT_COLOUR, max_length=20, examples=["#2f6f4e"])
    description: str = Field(default="", max_length=2_000)


class GroupChange(Body):
    name: str | None = Field(default=None, min_length=1, max_length=100)
    color: str | None = Field(default=None, max_length=20)
    description: str | None = Field(default=None, max_length=2_000)


class Group(Model):
    id: int
    name: str
    color: str = Field(validation_alias="colour")
    description: str
    sites: int
    created_at: Moment
    updated_at: Moment


class GroupList(Model):
    groups: list[Group]


@router.get("", operation_id="listGroups")
def list_groups(
    web: CurrentWeb, caller: Annotated[Caller, allowed(groups.list_groups)]
) -> GroupList:
    """By name, each with the number of its sites."""
    found = groups.list_groups(web.database, caller.workspace_id)
    return GroupList(groups=[Group.model_validate(each) for each in found])


@router.post("", operation_id="createGroup", status_code=201, responses=problems("conflict"))
def create_group(
    response: Response,
    given: GroupRequest,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(groups.add_group)],
) -> Group:
    new = GroupInput(given.name, given.color, given.description)
    made = groups.add_group(web.database, caller.workspace_id, new)
    response.headers["Location"] = f"/api/groups/{made.id}"
    return Group.model_validate(made)


@router.get("/{group_id}", operation_id="getGroup")
def get_group(
    group_id: Id, web: CurrentWeb, caller: Annotated[Caller, allowed(groups.get_group)]
) -> Group:
    return Group.model_validate(groups.get_group(web.database, caller.workspace_id, group_id))


@router.patch("/{group_id}", operation_id="updateGroup", responses=problems("conflict"))
def update_group(
    group_id: Id,
    given: GroupChange,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(groups.edit_group)],
) -> Group:
    changed = groups.edit_group(
        web.database,
        caller.workspace_id,
        group_id,
        name=given.name,
        colour=given.color,
        description=given.description,
    )
    return Group.model_validate(changed)


@router.delete("/{group_id}", operation_id="deleteGroup", status_code=204)
def delete_group(
    group_id: Id, web: CurrentWeb, caller: Annotated[Caller, allowed(groups.remove_group)]
) -> None:
    """Its sites stay, without a group."""
    groups.remove_group(web.database, caller.workspace_id, group_id)
