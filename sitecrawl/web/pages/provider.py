"""Signing in by an OpenID provider, if the settings name one."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Depends, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from sitecrawl.errors import NotFoundError, SignInRefusedError
from sitecrawl.services import audit, sessions
from sitecrawl.services.sessions import SignedIn
from sitecrawl.web.auth import client_of, count_by_address, is_https, set_session_cookie
from sitecrawl.web.links import safe_next
from sitecrawl.web.oidc import CALLBACK_PATH, PendingSignIn, Provider
from sitecrawl.web.signing_in import end_session
from sitecrawl.web.state import web_of
from sitecrawl.web.templating import render

router = APIRouter(dependencies=[Depends(count_by_address)])

_PENDING_SECONDS: Final = 600


def _cookie(request: Request) -> str:
    return "__Host-sitecrawl-provider" if is_https(request) else "sitecrawl-provider"


def _provider(request: Request) -> Provider:
    config = web_of(request).config
    if not (config.web_oidc_issuer and config.web_oidc_client_id and config.web_public_url):
        raise NotFoundError("there is no provider to sign in by")
    return Provider(config)


@router.get("/login/provider")
def begin(request: Request, next: str = "/") -> Response:  # noqa: A002  in the address
    pending = PendingSignIn.begin(safe_next(next))
    response = RedirectResponse(_provider(request).sign_in_url(pending), 303)
    response.set_cookie(
        _cookie(request),
        pending.to_text(),
        max_age=_PENDING_SECONDS,
        secure=is_https(request),
        httponly=True,
        samesite="lax",
    )
    return response


@router.get(CALLBACK_PATH)
async def finish(request: Request, state: str = "", code: str = "", error: str = "") -> Response:
    """Where the provider sends the browser back."""
    web = web_of(request)
    client = client_of(request)
    pending = PendingSignIn.from_text(request.cookies.get(_cookie(request), ""))

    def work() -> SignedIn:
        if pending is None or error or not code:
            raise SignInRefusedError("the sign-in was cancelled, or took too long; begin again")
        who = _provider(request).identity(pending, state, code)
        signed_in = sessions.sign_in_by_identity(
            web.database, who.issuer, who.subject, who.email, client, web.session_rules
        )
        audit.record(
            web.database, "signInByProvider", actor=signed_in.email, address=client.address
        )
        return signed_in

    try:
        signed_in = await run_in_threadpool(work)
    except SignInRefusedError as refused:
        values = {"title": "Sign-in refused", "detail": str(refused)}
        response: Response = render(request, "error.html", values, status=401)
    else:
        assert pending is not None
        await run_in_threadpool(end_session, request)
        response = RedirectResponse(safe_next(pending.target), 303)
        set_session_cookie(request, response, signed_in)
    response.delete_cookie(_cookie(request), secure=is_https(request), httponly=True)
    return response
