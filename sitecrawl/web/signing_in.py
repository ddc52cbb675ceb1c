"""Signing in, for the API and for the page: throttled, written down, in threads of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool

from sitecrawl.errors import SignInRefusedError
from sitecrawl.services import audit, sessions
from sitecrawl.web.auth import client_of, cookie_name
from sitecrawl.web.state import web_of

if TYPE_CHECKING:
    from starlette.requests import Request

    from sitecrawl.services.sessions import SignedIn


async def sign_in_by_password(request: Request, email: str, password: str) -> SignedIn:
    """A new session, never the one that the browser came with."""
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
    """The one that the browser came with, if any."""
    if secret := request.cookies.get(cookie_name(request)):
        sessions.end_session(web_of(request).database, secret)
