"""What holds for every request before a route sees it, as plain ASGI.

- :class:`SecurityHeaders` tells browsers what pages may do.
- :class:`HostCheck` answers only for the names of the server, so that no other name can be made to
  lead here (DNS rebinding).
- :class:`CrossSiteCheck` refuses requests that another site makes a browser send.
- :class:`BodyLimit` ends requests whose body is too large or too slow.
"""

from __future__ import annotations

import asyncio
import ipaddress
from contextlib import suppress
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders

from sitecrawl.web.problems import problem_response

if TYPE_CHECKING:
    from collections.abc import Collection

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_BODY_SECONDS: Final = 60
_LINGER_SECONDS: Final = 2
# Probes come by address, and tell nothing.
_PROBES: Final = frozenset({"/api/health", "/api/ready"})

# Nothing inline and nothing from elsewhere: what a site wrote cannot run here.
CONTENT_SECURITY_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    " font-src 'self'; connect-src 'self'; manifest-src 'self'; frame-src 'self';"
    " form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
_HEADERS: Final = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
_STRICT_TRANSPORT: Final = "max-age=31536000"


class SecurityHeaders:
    """Adds the headers that a route has not set itself."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
                if scope["scheme"] == "https":
                    headers.setdefault("Strict-Transport-Security", _STRICT_TRANSPORT)
                if not scope["path"].startswith("/static/"):
                    headers.setdefault("Cache-Control", "no-store")
            await send(message)

        await self.app(scope, receive, send_with_headers)


class HostCheck:
    """*hosts*: the names that the server answers for, besides those of this machine; none: any."""

    def __init__(self, app: ASGIApp, hosts: Collection[str]) -> None:
        self.app = app
        self._hosts = frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and self._hosts and scope["path"] not in _PROBES:
            host = host_name(Headers(scope=scope).get("host", ""))
            if host not in self._hosts and not is_loopback(host):
                await problem_response("wrong-host")(scope, receive, send)
                return
        await self.app(scope, receive, send)


class CrossSiteCheck:
    """Every request that changes something must come from our own pages, or from no browser.

    Browsers say so by ``Sec-Fetch-Site``; those that do not send ``Origin``. A program sends
    neither, and no site can make one send our cookies.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if (
            scope["type"] == "http"
            and scope["method"] not in _SAFE_METHODS
            and not is_own_request(Headers(scope=scope), scope["scheme"])
        ):
            await problem_response("cross-site")(scope, receive, send)
            return
        await self.app(scope, receive, send)


class BodyLimit:
    """``Content-Length`` is checked at once, a body without it as it comes.

    The whole body has its time, however many pieces it comes in.
    """

    def __init__(self, app: ASGIApp, max_bytes: int) -> None:
        self.app = app
        self._max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        body = _LimitedBody(receive, send, self._max_bytes)
        length = Headers(scope=scope).get("content-length", "0")
        if not length.isdecimal() or int(length) > self._max_bytes:
            body.refusal = "too-large"
        else:
            try:
                await self.app(scope, body.receive, body.send)
            except _BodyRefusedError:
                if body.has_started:
                    raise
        if body.refusal and not body.has_started:
            detail = f"a request may have {self._max_bytes:,} bytes, and {_BODY_SECONDS} seconds"
            refused = problem_response(body.refusal, detail, headers={"Connection": "close"})
            is_coming = body.refusal == "too-large" and "expect" not in Headers(scope=scope)
            await refused(scope, receive, _lingering(receive, send) if is_coming else send)


def _lingering(receive: Receive, send: Send) -> Send:
    """Sends an answer, and reads what the client still sends for a moment before its end.

    A connection that is closed while something unread arrives is reset: many clients would lose
    the answer.
    """

    async def send_and_read(message: Message) -> None:
        if message["type"] != "http.response.body":
            await send(message)
            return
        await send({**message, "more_body": True})
        with suppress(TimeoutError):
            async with asyncio.timeout(_LINGER_SECONDS):
                while (await receive()).get("more_body"):
                    pass
        await send({"type": "http.response.body"})

    return send_and_read


class _LimitedBody:
    """The body of one request; once it is refused, no other answer is sent.

    Whoever reads the body may take the error for a body that cannot be read, and answer that.
    """

    def __init__(self, receive: Receive, send: Send, max_bytes: int) -> None:
        self.refusal = ""
        self.has_started = False
        self._receive, self._send = receive, send
        self._bytes_left = max_bytes
        self._is_whole = False
        self._ends_at = asyncio.get_running_loop().time() + _BODY_SECONDS

    async def receive(self) -> Message:
        if self._is_whole:  # what follows is the end of the connection
            return await self._receive()
        try:
            async with asyncio.timeout_at(self._ends_at):
                message = await self._receive()
        except TimeoutError:
            raise self._refused("too-slow") from None
        if message["type"] == "http.request":
            self._bytes_left -= len(message.get("body", b""))
            if self._bytes_left < 0:
                raise self._refused("too-large")
            self._is_whole = not message.get("more_body")
        return message

    async def send(self, message: Message) -> None:
        if self.refusal and not self.has_started:
            return
        self.has_started = True
        await self._send(message)

    def _refused(self, kind: str) -> _BodyRefusedError:
        self.refusal = kind
        return _BodyRefusedError()


class _BodyRefusedError(Exception):
    pass


def is_own_request(headers: Headers, scheme: str) -> bool:
    """Whether no other site has made a browser send it.

    >>> is_own_request(Headers({"host": "a.example", "origin": "https://a.example"}), "https")
    True
    >>> is_own_request(Headers({"host": "a.example", "origin": "https://b.example"}), "https")
    False
    >>> is_own_request(Headers({"sec-fetch-site": "cross-site"}), "https")
    False
    """
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site in {"same-origin", "none"}
    origin = headers.get("origin")
    return origin is None or origin == f"{scheme}://{headers.get('host', '')}"


def host_name(host: str) -> str:
    """
    >>> host_name("monitor.example:8400"), host_name("[::1]:8400")
    ('monitor.example', '::1')
    """
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
