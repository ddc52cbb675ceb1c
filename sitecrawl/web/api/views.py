"""``/api/views``: saved filters."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import Field

from sitecrawl.services import views
from sitecrawl.services.callers import Caller
from sitecrawl.services.views import ViewKind
from sitecrawl.web.api.models import Body, Model, Moment, problems
from sitecrawl.web.auth import CurrentWeb, allowed
from sitecrawl.web.dependencies import Id

router = APIRouter(prefix="/views", tags=["views"])


class ViewRequest(Body):
    kind: ViewKind
    name: str = Field(min_length=1, max_length=100, examples=["Broken pages of the blog"])
    query: dict[str, Any] = Field(examples=[{"status": "broken", "contains": "/blog/"}])
    is_shared: bool = False


class ViewChange(Body):
    name: str | None = Field(default=None, min_length=1, max_length=100)
    query: dict[str, Any] | None = None
    is_shared: bool | None = None


class View(Model):
    id: int
    user_id: int
    kind: ViewKind
    name: str
    query: dict[str, Any]
    is_shared: bool
    created_at: Moment
    updated_at: Moment


class ViewList(Model):
    views: list[View]


@router.get("", operation_id="listViews")
def list_views(
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(views.list_views)],
    kind: ViewKind | None = None,
) -> ViewList:
    """One's own and the shared ones, by name."""
    found = views.list_views(web.database, caller, kind)
    return ViewList(views=[View.model_validate(each) for each in found])


@router.post("", operation_id="createView", status_code=201, responses=problems("conflict"))
def create_view(
    given: ViewRequest, web: CurrentWeb, caller: Annotated[Caller, allowed(views.create_view)]
) -> View:
    made = views.create_view(
        web.database, caller, given.kind, given.name, given.query, is_shared=given.is_shared
    )
    return View.model_validate(made)


@router.patch("/{view_id}", operation_id="updateView", responses=problems("conflict"))
def update_view(
    view_id: Id,
    given: ViewChange,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(views.change_view)],
) -> View:
    """One's own."""
    changed = views.change_view(
        web.database,
        caller,
        view_id,
        name=given.name,
        query=given.query,
        is_shared=given.is_shared,
    )
    return View.model_validate(changed)


@router.delete("/{view_id}", operation_id="deleteView", status_code=204)
def delete_view(
    view_id: Id, web: CurrentWeb, caller: Annotated[Caller, allowed(views.delete_view)]
) -> None:
    """One's own."""
    views.delete_view(web.database, caller, view_id)
