"""A proxy on this machine that holds a browser to the addresses that a scan may connect to.

A browser looks names up and connects by itself, so the only place where all of its traffic can be
judged is a proxy: pages, redirects, images, fetches, workers and web sockets come through here.
Each connection goes to an address that was looked up and judged here, so a name that stands for
another address the next time gains nothing.

It connects directly: a browser behind another proxy cannot be guarded this way, because it is
that other proxy which would look names up.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hmac
import secrets
import socket
from http import HTTPStatus
from typing import TYPE_CHECKING

from sitecrawl.render.proxyheads import BadHeadError, parse_request
from sitecrawl.render.proxyrelay import AnswerError, Peer, ProxyCounts, ProxyLimits, relay

if TYPE_CHECKING:
    from asyncio import StreamReader, StreamWriter
    from collections import Counter
    from types import TracebackType
    from typing import NoReturn, Self

    from playwright.async_api import ProxySettings

    from sitecrawl.render.proxyheads import ProxyRequest
    from sitecrawl.safety.policy import AddressPolicy, Endpoint

_ADDRESS = "127.0.0.1"
_USER = "sitecrawl"
_MAX_TRIED_ADDRESSES = 3
_OTHERS = "others"


class GuardProxy:
    """Use it as a context; give ``as_playwright()`` and ``BROWSER_ARGUMENTS`` to the browser.

    Others on this machine cannot use it: it asks for a password that is made for each one.
    """

    # Whatever would look a name up or connect past the proxy finds nothing, not even loopback.
    BROWSER_ARGUMENTS = (
        "--proxy-bypass-list=<-loopback>",
        f"--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE {_ADDRESS}",
    )

    def __init__(self, policy: AddressPolicy, limits: ProxyLimits | None = None):
        self.counts = ProxyCounts()
        self._policy = policy
        self._limits = limits or ProxyLimits()
        self._password = secrets.token_urlsafe(24)
        pair = base64.b64encode(f"{_USER}:{self._password}".encode()).decode()
        self._credential = f"Basic {pair}".encode()
        self._listener: asyncio.Server | None = None
        self._port = 0
        self._connections: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    async def start(self) -> None:
        self._listener = await asyncio.start_server(self._accept, _ADDRESS, 0)
        self._port = self._listener.sockets[0].getsockname()[1]

    async def close(self) -> None:
        """End every connection at once; calling it again does nothing."""
        if self._listener is not None:
            self._listener.close()
            self._listener = None
        open_connections = list(self._connections)
        for connection in open_connections:
            connection.cancel()
        await asyncio.gather(*open_connections, return_exceptions=True)

    @property
    def refusals(self) -> Counter[str]:
        return self.counts.refusals

    def as_playwright(self) -> ProxySettings:
        """For the ``proxy`` of a browser or of a context."""
        return {
            "server": f"http://{_ADDRESS}:{self._port}",
            "username": _USER,
            "password": self._password,
            "bypass": "<-loopback>",
        }

    def _accept(self, reader: StreamReader, writer: StreamWriter) -> None:
        if len(self._connections) >= self._limits.max_connections:
            writer.write(_answer(HTTPStatus.SERVICE_UNAVAILABLE, "too many connections"))
            writer.close()
            return
        connection = asyncio.create_task(self._serve(Peer(reader, writer)))
        self._connections.add(connection)
        connection.add_done_callback(self._connections.discard)

    async def _serve(self, browser: Peer) -> None:
        try:
            await self._serve_request(browser)
        except AnswerError as error:
            browser.writer.write(_answer(error.status, error.words))
        except OSError:
            # Either side has gone or is silent: whoever is left sees the connection end.
            pass
        except asyncio.CancelledError:
            browser.abort()
            raise
        await browser.close()

    async def _serve_request(self, browser: Peer) -> None:
        request = await self._read_request(browser)
        self.counts.requests += 1
        addresses = await self._permitted_addresses(request.endpoint)
        server = await self._connect(addresses, request.endpoint.port)
        try:
            await relay(request, browser, server, self.counts, self._limits)
        finally:
            server.abort()

    async def _read_request(self, browser: Peer) -> ProxyRequest:
        async with asyncio.timeout(self._limits.head_seconds):
            head = await browser.read_head(self._limits.max_head_bytes)
        if not head:
            raise AnswerError(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "too many headers")
        try:
            request = parse_request(head)
        except BadHeadError as error:
            raise AnswerError(HTTPStatus.BAD_REQUEST, str(error)) from error
        if not hmac.compare_digest(request.credential.encode("latin-1"), self._credential):
            raise AnswerError(HTTPStatus.PROXY_AUTHENTICATION_REQUIRED, "a password is needed")
        return request

    async def _permitted_addresses(self, endpoint: Endpoint) -> list[str]:
        host, port = endpoint
        try:
            async with asyncio.timeout(self._limits.connect_seconds):
                found = await asyncio.get_running_loop().getaddrinfo(
                    host, port, type=socket.SOCK_STREAM
                )
        except (OSError, UnicodeError) as error:
            raise AnswerError(HTTPStatus.BAD_GATEWAY, "the name is not known") from error
        addresses = [str(address[0]) for *_, address in found]
        permitted = self._policy.permitted(host, port, addresses)
        if not permitted:
            self._refuse(self._policy.refusal(host, port, addresses[0]))
        if port == self._port and _ADDRESS in permitted:
            self._refuse(f"{host}:{port} is the proxy itself")
        return permitted[:_MAX_TRIED_ADDRESSES]

    def _refuse(self, words: str) -> NoReturn:
        is_room = words in self.refusals or len(self.refusals) < self._limits.max_refusals
        self.refusals[words if is_room else _OTHERS] += 1
        # The page is not told what a name stands for here.
        raise AnswerError(HTTPStatus.FORBIDDEN, "the address is not allowed")

    async def _connect(self, addresses: list[str], port: int) -> Peer:
        seconds = self._limits.connect_seconds / len(addresses)
        for address in addresses:
            with contextlib.suppress(OSError):
                async with asyncio.timeout(seconds):
                    return Peer(*await asyncio.open_connection(address, port))
        raise AnswerError(HTTPStatus.BAD_GATEWAY, "the server cannot be reached")


def _answer(status: HTTPStatus, words: str) -> bytes:
    body = f"{words}\n".encode()
    lines = [
        f"HTTP/1.1 {status.value} {status.phrase}",
        "Content-Type: text/plain",
        f"Content-Length: {len(body)}",
        "Cache-Control: no-store",
        "Connection: close",
    ]
    if status is HTTPStatus.PROXY_AUTHENTICATION_REQUIRED:
        lines.append(f'Proxy-Authenticate: Basic realm="{_USER}"')
    return "\r\n".join([*lines, "", ""]).encode() + body
