"""``/api/session``, ``/api/sessions`` and ``/api/workspaces``: signing in and out, by program."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Request, Response
from pydantic import Field

from sitecrawl.errors import SignInRefusedError
from sitecrawl.services import sessions, users
from sitecrawl.services.callers import Caller
from sitecrawl.services.permissions import Permission, Role
from sitecrawl.web.api.models import Body, Model, Moment, problems
from sitecrawl.web.auth import (
    CurrentWeb,
    allowed,
    client_of,
    delete_session_cookie,
    set_session_cookie,
    sign_in_by_password,
)
from sitecrawl.web.dependencies import BodyId, Id

router = APIRouter(tags=["session"])


class Credentials(Body):
    email: str = Field(max_length=254, examples=["ada@example.com"])
    password: str = Field(max_length=1_000)


class CurrentUser(Model):
    """Who is calling, and what they may do."""

    id: int
    email: str
    name: str
    workspace_id: int
    role: Role
    permissions: list[Permission]
    session_id: int | None
    token_id: int | None


class SessionAnswer(Model):
    """One browser that is signed in."""

    id: int
    address: str
    user_agent: str
    created_at: Moment
    last_used_at: Moment
    expires_at: Moment
    is_current: bool


class SessionList(Model):
    sessions: list[SessionAnswer]


class WorkspaceAnswer(Model):
    id: int
    name: str
    role: Role


class WorkspaceList(Model):
    workspaces: list[WorkspaceAnswer]


class ChosenWorkspace(Body):
    workspace_id: BodyId


class NewPassword(Body):
    current_password: str = Field(max_length=1_000)
    new_password: str = Field(max_length=1_000)


def _answer(caller: Caller) -> CurrentUser:
    return CurrentUser(
        id=caller.user_id,
        email=caller.email,
        name=caller.name,
        workspace_id=caller.workspace_id,
        role=caller.role,
        permissions=sorted(caller.permissions),
        session_id=caller.session_id,
        token_id=caller.token_id,
    )


@router.post(
    "/session",
    operation_id="signIn",
    status_code=204,
    responses=problems("sign-in-refused", "cross-site", "throttled"),
    openapi_extra={"security": []},
)
async def sign_in(request: Request, response: Response, given: Credentials) -> None:
    """Sign in by email and password; the session is a cookie."""
    signed_in = await sign_in_by_password(request, given.email, given.password)
    set_session_cookie(request, response, signed_in)


@router.get("/session", operation_id="getSession")
def get_session(caller: Annotated[Caller, allowed(users.own_workspaces)]) -> CurrentUser:
    """Who is calling."""
    return _answer(caller)


@router.delete("/session", operation_id="signOut", status_code=204)
def sign_out(
    request: Request,
    response: Response,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(sessions.revoke_session, by_session=True)],
) -> None:
    """End this session."""
    assert caller.session_id is not None
    sessions.revoke_session(web.database, caller.user_id, caller.session_id)
    delete_session_cookie(request, response)


@router.put("/session/workspace", operation_id="chooseWorkspace", status_code=204)
def choose_workspace(
    given: ChosenWorkspace,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(sessions.choose_workspace, by_session=True)],
) -> None:
    """Look at another workspace from now on."""
    assert caller.session_id is not None
    sessions.choose_workspace(web.database, caller.user_id, caller.session_id, given.workspace_id)


@router.put(
    "/session/password",
    operation_id="changePassword",
    status_code=204,
    responses=problems("sign-in-refused", "throttled"),
)
async def change_password(
    request: Request,
    given: NewPassword,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(users.change_own_password, by_session=True)],
) -> None:
    """Choose another password; all other sessions of the user end."""

    def work() -> None:
        client = client_of(request)
        if not sessions.is_own_password(
            web.database, caller.user_id, given.current_password, client
        ):
            raise SignInRefusedError("the current password is wrong")
        users.change_own_password(
            web.database, caller.user_id, given.new_password, keep_session=caller.session_id
        )

    await web.passwords.run(work)


@router.get("/sessions", operation_id="listSessions")
def list_sessions(
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(sessions.list_sessions, by_session=True)],
) -> SessionList:
    """Where the user is signed in."""
    found = sessions.list_sessions(web.database, caller.user_id, web.session_rules)
    return SessionList(
        sessions=[
            SessionAnswer(
                id=each.id,
                address=each.address,
                user_agent=each.user_agent,
                created_at=each.created_at,
                last_used_at=each.last_used_at,
                expires_at=each.expires_at,
                is_current=each.id == caller.session_id,
            )
            for each in found
        ]
    )


@router.delete("/sessions", operation_id="revokeOtherSessions", status_code=204)
def revoke_other_sessions(
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(sessions.revoke_other_sessions, by_session=True)],
) -> None:
    """Sign out everywhere but here."""
    assert caller.session_id is not None
    sessions.revoke_other_sessions(web.database, caller.user_id, caller.session_id)


@router.delete("/sessions/{session_id}", operation_id="revokeSession", status_code=204)
def revoke_session(
    session_id: Id,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(sessions.revoke_session, by_session=True)],
) -> None:
    """Sign out somewhere else."""
    sessions.revoke_session(web.database, caller.user_id, session_id)


@router.get("/workspaces", operation_id="listWorkspaces")
def list_workspaces(
    web: CurrentWeb, caller: Annotated[Caller, allowed(users.own_workspaces)]
) -> WorkspaceList:
    """Those that the user belongs to."""
    own = users.own_workspaces(web.database, caller.user_id)
    return WorkspaceList(workspaces=[WorkspaceAnswer.model_validate(each) for each in own])
