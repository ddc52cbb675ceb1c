"""The users of the workspace, and what was done in it; for owners."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from sitecrawl.errors import ConflictError, InvalidInputError
from sitecrawl.services import audit, users
from sitecrawl.services.callers import Caller
from sitecrawl.services.permissions import Role
from sitecrawl.web.auth import CurrentWeb, allowed
from sitecrawl.web.dependencies import QueryId
from sitecrawl.web.flash import redirect, redirect_after
from sitecrawl.web.links import password_url
from sitecrawl.web.state import Web
from sitecrawl.web.templating import render

router = APIRouter(prefix="/users")
Text = Annotated[str, Form(max_length=1_000)]
_PATH = "/users"
_ENTRIES = 50


@router.get("")
def user_list(
    request: Request, web: CurrentWeb, caller: Annotated[Caller, allowed(users.list_users)]
) -> Response:
    return _page(request, web, caller)


def _page(request: Request, web: Web, caller: Caller, words: str = "", link: str = "") -> Response:
    values = {
        "users": users.list_users(web.database, caller.workspace_id),
        "roles": list(Role),
        "words": words,
        "link": link,
    }
    return render(request, "users.html", values)


@router.get("/audit")
def audit_log(
    request: Request,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(audit.list_audit_entries)],
    before: QueryId = None,
) -> Response:
    """Who did what, the newest first."""
    found = audit.list_audit_entries(
        web.database, caller.workspace_id, before_id=before, limit=_ENTRIES
    )
    values = {"entries": found, "next_before": found[-1].id if len(found) == _ENTRIES else None}
    return render(request, "audit.html", values)


@router.post("")
def add_user(
    request: Request,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(users.create_user, by_session=True)],
    email: Text = "",
    role: Role = Form(Role.MEMBER),  # noqa: B008
    name: Text = "",
) -> Response:
    """The link by which the user chooses a password is in this answer only."""
    try:
        made = users.create_user(web.database, caller.workspace_id, email, role, name=name)
    except (ConflictError, InvalidInputError) as error:
        return redirect(_PATH, str(error), is_error=True)
    if len(users.own_workspaces(web.database, made.id)) > 1:
        return redirect(_PATH, f"{made.email} is a user of this workspace now")
    return _with_link(request, web, caller, made.id, made.email)


@router.post("/{user_id}/link")
def password_link(
    request: Request,
    user_id: int,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(users.password_link, by_session=True)],
) -> Response:
    found = users.get_user(web.database, caller.workspace_id, user_id)
    try:
        return _with_link(request, web, caller, user_id, found.email)
    except ConflictError as error:
        return redirect(_PATH, str(error), is_error=True)


def _with_link(request: Request, web: Web, caller: Caller, user_id: int, email: str) -> Response:
    secret = users.password_link(web.database, caller.workspace_id, user_id)
    words = (
        f"Send this link to {email}: it lets them choose a password, once, within three days."
        " It is shown only now."
    )
    return _page(request, web, caller, words, password_url(web.config, request, secret))


@router.post("/{user_id}/role")
def change_role(
    user_id: int,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(users.change_user, by_session=True)],
    role: Annotated[Role, Form()],
) -> Response:
    def work() -> str:
        changed = users.change_user(web.database, caller.workspace_id, user_id, role=role)
        return f"{changed.email} is {role} now"

    return redirect_after(_PATH, work)


@router.post("/{user_id}/{action}")
def change_user(
    user_id: int,
    action: str,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(users.change_user, by_session=True)],
) -> Response:
    """Disable, enable or remove."""

    def work() -> str:
        match action:
            case "disable" | "enable":
                changed = users.change_user(
                    web.database, caller.workspace_id, user_id, disabled=action == "disable"
                )
                return f"{changed.email} is {action}d"
            case "remove":
                users.remove_user(web.database, caller.workspace_id, user_id)
                return "The user is no longer of this workspace"
        raise InvalidInputError("action", f"{action!r}: expected disable, enable or remove")

    return redirect_after(_PATH, work)
