"""One's own account: password, sessions, tokens for programs, and the workspace that is shown."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from sitecrawl.errors import InvalidInputError
from sitecrawl.services import sessions, tokens, users
from sitecrawl.services.callers import Caller
from sitecrawl.services.passwords import MIN_LENGTH
from sitecrawl.services.permissions import Permission
from sitecrawl.web.auth import CurrentWeb, allowed, client_of
from sitecrawl.web.dependencies import MAX_ID
from sitecrawl.web.flash import redirect, redirect_after
from sitecrawl.web.pages.forms import checked_number
from sitecrawl.web.state import Web
from sitecrawl.web.templating import render

router = APIRouter(prefix="/account")

Text = Annotated[str, Form(max_length=1_000)]
_PATH = "/account"


@router.get("")
def account_page(
    request: Request,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(sessions.list_sessions, by_session=True)],
) -> Response:
    return _page(request, web, caller)


def _page(
    request: Request, web: Web, caller: Caller, words: str = "", secret: str = ""
) -> Response:
    values = {
        "sessions": sessions.list_sessions(web.database, caller.user_id, web.session_rules),
        "tokens": tokens.list_tokens(web.database, caller),
        "workspaces": users.own_workspaces(web.database, caller.user_id),
        "scopes": [each for each in Permission if each in caller.permissions],
        "min_length": MIN_LENGTH,
        "max_days": tokens.MAX_DAYS,
        "words": words,
        "secret": secret,
    }
    return render(request, "account.html", values)


@router.post("/password")
async def change_password(
    request: Request,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(users.change_own_password, by_session=True)],
    current_password: Text = "",
    new_password: Text = "",
) -> Response:
    """All other sessions of the user end."""

    def work() -> str:
        client = client_of(request)
        if not sessions.is_own_password(web.database, caller.user_id, current_password, client):
            raise InvalidInputError("current password", "it is wrong")
        users.change_own_password(
            web.database, caller.user_id, new_password, keep_session=caller.session_id
        )
        return "The password is changed; you are signed out everywhere else"

    return await web.passwords.run(lambda: redirect_after(_PATH, work))


@router.post("/sessions/end-others")
def end_other_sessions(
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(sessions.revoke_other_sessions, by_session=True)],
) -> Response:
    assert caller.session_id is not None
    number = sessions.revoke_other_sessions(web.database, caller.user_id, caller.session_id)
    return redirect(
        _PATH, f"{number:,} other {'session has' if number == 1 else 'sessions have'} ended"
    )


@router.post("/sessions/{session_id}/end")
def end_session(
    session_id: int,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(sessions.revoke_session, by_session=True)],
) -> Response:
    def work() -> str:
        sessions.revoke_session(web.database, caller.user_id, session_id)
        return "The session has ended"

    return redirect_after(_PATH, work)


@router.post("/tokens")
def create_token(
    request: Request,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(tokens.create_token, by_session=True)],
    name: Text = "",
    scope: Annotated[list[Permission], Form(max_length=10)] = [],  # noqa: B006
    days: Text = "",
) -> Response:
    """Create a token; its text is shown in this answer only."""

    try:
        limit = checked_number("days", days) if days else None
        made = tokens.create_token(web.database, caller, name, scope, limit)
    except InvalidInputError as error:
        return redirect(_PATH, str(error), is_error=True)
    words = f"Token {made.token.name} is made. Copy it: it is shown only now."
    return _page(request, web, caller, words, made.text)


@router.post("/tokens/{token_id}/revoke")
def revoke_token(
    token_id: int,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(tokens.revoke_token, by_session=True)],
) -> Response:
    def work() -> str:
        tokens.revoke_token(web.database, caller, token_id)
        return "The token no longer works"

    return redirect_after(_PATH, work)


@router.post("/workspace")
def choose_workspace(
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(sessions.choose_workspace, by_session=True)],
    workspace: Annotated[int, Form(ge=1, le=MAX_ID)],
) -> Response:
    def work() -> str:
        assert caller.session_id is not None
        sessions.choose_workspace(web.database, caller.user_id, caller.session_id, workspace)
        return "This is the other workspace"

    return redirect_after("/", work)
