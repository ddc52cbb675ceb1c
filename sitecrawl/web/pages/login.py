"""Signing in and out, by password or OpenID provider; the first set-up, passwords by a link."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Depends, Form, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from sitecrawl.errors import InvalidInputError, NotFoundError, SignInRefusedError, ThrottledError
from sitecrawl.services import audit, sessions, users
from sitecrawl.services.passwords import MIN_LENGTH
from sitecrawl.services.sessions import SignedIn
from sitecrawl.web.auth import (
    client_of,
    count_by_address,
    delete_session_cookie,
    end_session,
    is_https,
    set_session_cookie,
    sign_in_by_password,
)
from sitecrawl.web.links import safe_next
from sitecrawl.web.oidc import CALLBACK_PATH, PendingSignIn, Provider
from sitecrawl.web.state import web_of
from sitecrawl.web.templating import render

router = APIRouter()

_LIMITED = [Depends(count_by_address)]
Field = Annotated[str, Form(max_length=1_000)]
_PENDING_SECONDS: Final = 600


@router.get("/login")
def login_page(request: Request, next: str = "/") -> Response:  # noqa: A002  in the address
    return _login_page(request, safe_next(next))


@router.post("/login")
async def login(
    request: Request,
    email: Field,
    password: Field,
    next: Annotated[str, Form(max_length=2_000)] = "/",  # noqa: A002  in the form
) -> Response:
    target = safe_next(next)
    try:
        signed_in = await sign_in_by_password(request, email, password)
    except SignInRefusedError as error:
        return _login_page(request, target, email, str(error), status=401)
    except ThrottledError as error:
        words = f"{error}; try again in {error.retry_after_seconds} seconds"
        wait = {"Retry-After": str(error.retry_after_seconds)}
        return _login_page(request, target, email, words, status=429, headers=wait)
    response = RedirectResponse(target, 303)
    set_session_cookie(request, response, signed_in)
    return response


@router.post("/logout")
def logout(request: Request) -> Response:
    end_session(request)
    response = RedirectResponse("/login", 303)
    delete_session_cookie(request, response)
    return response


@router.get("/setup/{secret}", dependencies=_LIMITED)
@router.get("/password/{secret}", dependencies=_LIMITED)
def link_page(request: Request, secret: str) -> Response:
    """``NotFoundError`` if the link no longer works."""
    purpose, email = users.link_purpose(web_of(request).database, secret)
    return _password_page(request, purpose, email)


@router.post("/setup/{secret}", dependencies=_LIMITED)
async def set_up(request: Request, secret: str, email: Field, password: Field) -> Response:
    web = web_of(request)

    def work() -> None:
        made = users.use_setup_link(web.database, secret, email, password)
        audit.record(web.database, "setUp", actor=made.email, address=client_of(request).address)

    try:
        await web.passwords.run(work)
    except InvalidInputError as error:
        return _password_page(request, "setup", email, str(error), status=422)
    return await login(request, email, password)


@router.post("/password/{secret}", dependencies=_LIMITED)
async def choose_password(request: Request, secret: str, password: Field) -> Response:
    web = web_of(request)

    def work() -> str:
        email = users.use_password_link(web.database, secret, password)
        client = client_of(request)
        sessions.trust_by_link(web.database, email, client)
        audit.record(web.database, "choosePassword", actor=email, address=client.address)
        return email

    try:
        email = await web.passwords.run(work)
    except InvalidInputError as error:
        purpose, email = await run_in_threadpool(users.link_purpose, web.database, secret)
        return _password_page(request, purpose, email, str(error), status=422)
    return await login(request, email, password)


def _login_page(
    request: Request,
    target: str,
    email: str = "",
    error: str = "",
    *,
    status: int = 200,
    headers: dict[str, str] | None = None,
) -> Response:
    has_provider = bool(web_of(request).config.web_oidc_issuer)
    values = {"next": target, "email": email, "error": error, "has_provider": has_provider}
    return render(request, "login.html", values, status=status, headers=headers)


def _password_page(
    request: Request, purpose: str, email: str, error: str = "", *, status: int = 200
) -> Response:
    is_setup = purpose == "setup"
    values = {
        "is_setup": is_setup,
        "heading": "Set up sitecrawl" if is_setup else "Choose a password",
        "email": email,
        "error": error,
        "min_length": MIN_LENGTH,
    }
    # The address is a secret as long as it works.
    headers = {"Referrer-Policy": "no-referrer"}
    return render(request, "choose_password.html", values, status=status, headers=headers)


def _cookie(request: Request) -> str:
    return "__Host-sitecrawl-provider" if is_https(request) else "sitecrawl-provider"


def _provider(request: Request) -> Provider:
    config = web_of(request).config
    if not (config.web_oidc_issuer and config.web_oidc_client_id and config.web_public_url):
        raise NotFoundError("there is no provider to sign in by")
    return Provider(config)


@router.get("/login/provider", dependencies=_LIMITED)
def begin_provider_login(request: Request, next: str = "/") -> Response:  # noqa: A002  in the address
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


@router.get(CALLBACK_PATH, dependencies=_LIMITED)
async def finish_provider_login(
    request: Request, state: str = "", code: str = "", error: str = ""
) -> Response:
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
