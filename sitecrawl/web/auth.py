"""Who calls a route and who may: a session's cookie or a token, permissions, signing in.

Every route has :class:`Allowed` among its dependencies, made from the function of the service that
it calls, or is one of the few that are public.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Annotated, Any, Final

from fastapi import Depends, Request
from starlette.concurrency import run_in_threadpool

from sitecrawl.errors import ForbiddenError, SignInRefusedError
from sitecrawl.services import audit, sessions
from sitecrawl.services.callers import Caller, caller_by_session, caller_by_token
from sitecrawl.services.permissions import permission_of
from sitecrawl.services.sessions import Client
from sitecrawl.store.errors import StoreError
from sitecrawl.web.problems import ProblemError
from sitecrawl.web.state import Web, web_of

if TYPE_CHECKING:
    from starlette.requests import HTTPConnection
    from starlette.responses import Response

    from sitecrawl.services.sessions import SignedIn

logger = logging.getLogger(__name__)

# A browser takes a cookie with this prefix only by https, for this host and the whole of it.
_SECURE_COOKIE: Final = "__Host-sitecrawl"
_PLAIN_COOKIE: Final = "sitecrawl-insecure"
_READING: Final = frozenset({"GET", "HEAD", "OPTIONS"})


def is_https(connection: HTTPConnection) -> bool:
    return connection.url.scheme == "https"


def cookie_name(connection: HTTPConnection) -> str:
    return _SECURE_COOKIE if is_https(connection) else _PLAIN_COOKIE


def client_of(connection: HTTPConnection) -> Client:
    address = connection.client.host if connection.client else ""
    return Client(address, connection.headers.get("user-agent", ""))


def authenticate(connection: HTTPConnection) -> Caller | None:
    """The caller of the request; None: no credentials, or expired ones.

    It asks the database, and so belongs into a thread. Whoever is not known is counted by address.
    """
    known: Caller | None = getattr(connection.state, "caller", None)
    if known is not None:
        return known
    web = web_of(connection)
    scheme, _, token = connection.headers.get("authorization", "").partition(" ")
    caller = None
    if scheme.lower() == "bearer":
        caller = caller_by_token(web.database, token.strip())
    elif secret := connection.cookies.get(cookie_name(connection)):
        caller = caller_by_session(web.database, secret, web.session_rules)
    web.rate_limits.take(caller.key if caller else f"address:{client_of(connection).address}")
    connection.state.caller = caller
    return caller


def count_by_address(request: Request) -> None:
    """A dependency of public routes: their requests are limited, too."""
    web_of(request).rate_limits.take(f"address:{client_of(request).address}")


def current_caller(request: Request) -> Caller:
    caller = authenticate(request)
    if caller is None:
        raise ProblemError("not-signed-in", headers={"WWW-Authenticate": "Bearer"})
    return caller


class Allowed:
    """A dependency: the caller, if it may call *service*; changes go to the audit log.

    ``by_session``: not by a token, as it would let the token do more than its scopes say.
    """

    def __init__(self, service: Callable[..., Any], *, by_session: bool = False) -> None:
        self.permission = permission_of(service)
        self.by_session = by_session

    def __call__(
        self, request: Request, caller: Annotated[Caller, Depends(current_caller)]
    ) -> Iterator[Caller]:
        caller.check(self.permission)
        if self.by_session and caller.session_id is None:
            raise ForbiddenError("this needs somebody who is signed in; a token cannot do it")
        yield caller
        if request.method not in _READING:
            _record(request, caller)


def allowed(service: Callable[..., Any], *, by_session: bool = False) -> Any:
    """For a parameter of a route: ``caller: Annotated[Caller, allowed(list_sites)]``."""
    return Depends(Allowed(service, by_session=by_session), scope="function")


CurrentWeb = Annotated[Web, Depends(web_of)]


def _record(request: Request, caller: Caller) -> None:
    route = request.scope["route"]
    detail = {name: str(value) for name, value in request.path_params.items()}
    try:
        audit.record(
            web_of(request).database,
            getattr(route, "operation_id", None) or route.name,
            caller=caller,
            address=client_of(request).address,
            detail=detail,
        )
    except StoreError:
        logger.exception("The audit log could not be written")


def set_session_cookie(request: Request, response: Response, signed_in: SignedIn) -> None:
    response.set_cookie(
        cookie_name(request),
        signed_in.secret,
        expires=signed_in.expires_at,
        path="/",
        secure=is_https(request),
        httponly=True,
        samesite="lax",
    )


def delete_session_cookie(request: Request, response: Response) -> None:
    response.delete_cookie(
        cookie_name(request), path="/", secure=is_https(request), httponly=True, samesite="lax"
    )


async def sign_in_by_password(request: Request, email: str, password: str) -> SignedIn:
    """Sign in: a new session replaces the one that the browser came with."""
    web = web_of(request)
    client = client_of(request)
    web.rate_limits.take(f"address:{client.address}")

    def work() -> SignedIn:
        return sessions.sign_in(web.database, email, password, client, web.session_rules)

    try:
        signed_in = await web.passwords.run(work)
    except SignInRefusedError:
        # What is throttled is not written down: it may come by the thousand.
        await run_in_threadpool(
            audit.record, web.database, "signInRefused", actor=email[:254], address=client.address
        )
        raise
    await run_in_threadpool(end_session, request)
    await run_in_threadpool(
        audit.record, web.database, "signIn", actor=signed_in.email, address=client.address
    )
    return signed_in


def end_session(request: Request) -> None:
    """End the session that the browser came with, if any."""
    if secret := request.cookies.get(cookie_name(request)):
        sessions.end_session(web_of(request).database, secret)
