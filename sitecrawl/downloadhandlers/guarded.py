"""Scrapy's aiohttp handler, which connects only to addresses that the scan may connect to."""

from __future__ import annotations

import asyncio
import socket
import sys
import time
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import aiohttp
from aiohttp.http_exceptions import LineTooLong
from scrapy import signals
from scrapy.core.downloader.handlers._aiohttp import AiohttpDownloadHandler, _ClientResponse
from scrapy.exceptions import (
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    StopDownload,
)
from scrapy.http import Headers
from twisted.python.failure import Failure

from sitecrawl.config import Config
from sitecrawl.downloadhandlers.lenient import LenientExchange
from sitecrawl.safety.policy import endpoint_of
from sitecrawl.safety.resolver import GuardedResolver
from sitecrawl.scan import scan_of
from sitecrawl.scan.errors import (
    AddressNotAllowedError,
    ConnectionDroppedError,
    HeadersTooLargeError,
    PostponedError,
)
from sitecrawl.signals import request_sending

if TYPE_CHECKING:
    from types import SimpleNamespace

    from aiohttp.abc import AbstractResolver
    from aiohttp.client_middlewares import ClientHandlerType
    from aiohttp.connector import AddrInfoType, Connection
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from sitecrawl.safety.policy import AddressPolicy

# Each may be as long as all together, and all are in memory before they are added up: with 256
# lines of 64 KB that is 16 MB, some three times over. Sites have less than a hundred.
_MAX_HEADER_LINES = 256
_DEFAULT_TIMEOUT_SECONDS = 180.0
_ROUNDS_TO_NOTICE_CLOSING = 3

# aiohttp's hooks do not say for which request of Scrapy they are called.
_current_request: ContextVar[Request] = ContextVar("_current_request")


class GuardedDownloadHandler(AiohttpDownloadHandler):
    """Scrapy's handler, with these differences.

    * Every address is judged by the ``address_policy`` of the scan before it is connected to. A
      request that is refused fails with :class:`AddressNotAllowedError`.
    * URLs are sent as they are written.
    * The headers of a response may have ``SITECRAWL_MAX_HEADER_BYTES`` in all.
    * A request whose answer aiohttp's parser refuses is retried with a more lenient one
      (:mod:`sitecrawl.downloadhandlers.lenient`).
    * A request that is lost because the server closes a kept connection fails, and is retried like
      any other. aiohttp would repeat it at once and silently.

    With a proxy (meta ``proxy``) the proxy looks names up and connects: only addresses in the URL
    are judged. The user named the proxy, so it may be at any address.

    Meta: ``sitecrawl_lenient`` (set by the handler), ``sitecrawl_max_bytes``.
    Signals: ``sitecrawl.signals.request_sending``.
    """

    lazy = True  # a scan that ends before its first request has no session to close
    experimental: ClassVar[bool] = False  # Scrapy would warn of it in every run
    guards_addresses: ClassVar[bool] = True
    reports_sending: ClassVar[bool] = True
    dns_cache_seconds: ClassVar[int] = 10

    def __init__(self, crawler: Crawler):
        super().__init__(crawler)
        config = Config.from_settings(crawler.settings)
        self._max_header_bytes = config.max_header_bytes
        self._on_kept: set[Request] = set()  # requests on a connection that was used before
        # Scrapy offers no way to choose the connector: its session is replaced unused.
        unused = self._session
        unused.detach()
        self._session = aiohttp.ClientSession(
            connector=self._connector(),
            cookie_jar=unused.cookie_jar,
            auto_decompress=unused.auto_decompress,
            skip_auto_headers=unused.skip_auto_headers,
            response_class=_GuardedResponse,
            max_line_size=self._max_header_bytes,
            max_field_size=self._max_header_bytes,
            max_headers=_MAX_HEADER_LINES,
            middlewares=[_fail_when_dropped],
            trace_configs=[self._trace()],
        )

    def make_resolver(self) -> AbstractResolver:
        """What looks host names up; its answers are filtered."""
        return aiohttp.DefaultResolver()

    async def download_request(self, request: Request) -> Response:
        if request.meta.get("proxy"):
            refusal = self._policy.refusal_without_lookup(request.url)
            if refusal:
                raise AddressNotAllowedError(refusal)
        # Only here: fingerprints depend on it, and the HTTP cache would not find its answer again.
        is_own_choice = "verbatim_url" in request.meta
        request.meta.setdefault("verbatim_url", True)
        token = _current_request.set(request)
        try:
            if request.meta.get("sitecrawl_lenient"):
                return await self._download_leniently(request)
            return await super().download_request(request)
        except DownloadFailedError as error:
            is_unsent = isinstance(error.__cause__, aiohttp.ClientConnectionResetError)
            if is_unsent and request in self._on_kept:
                raise PostponedError(is_unsent=True) from error
            if _is_refused_by_parser(error) and not request.meta.get("proxy"):
                request.meta["sitecrawl_lenient"] = True  # for a retry
            raise
        finally:
            if not is_own_choice:
                del request.meta["verbatim_url"]
            self._on_kept.discard(request)
            _current_request.reset(token)

    async def _download_leniently(self, request: Request) -> Response:
        timeout = float(request.meta.get("download_timeout", _DEFAULT_TIMEOUT_SECONDS))
        max_bytes = request.meta.get("sitecrawl_max_bytes") or self._default_maxsize or sys.maxsize
        exchange = LenientExchange(
            request, max_bytes, timeout, partial(self.report_sending, request)
        )
        host, port = endpoint_of(request.url)
        try:
            async with asyncio.timeout(timeout):
                connection = await self._connect(host, port)
        except TimeoutError as error:
            words = f"Getting {request.url} took longer than {timeout} seconds."
            raise DownloadTimeoutError(words) from error
        tls = self._ssl_context if request.url.startswith("https:") else None
        start_time = time.monotonic()
        response = await exchange.run(connection, tls)
        request.meta["download_latency"] = time.monotonic() - start_time
        self.crawler.signals.send_catch_log(
            signals.bytes_received,
            data=response.body,
            request=request,
            spider=self.crawler.spider,
            dont_log=StopDownload,
        )
        return response

    async def _connect(self, host: str, port: int) -> socket.socket:
        """Connect to the first address of a host that answers."""
        loop = asyncio.get_running_loop()
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        addresses = self.permitted(host, port, [str(info[4][0]) for info in found])
        failure: OSError | None = None
        for info in found:
            if info[4][0] not in addresses:
                continue
            connection = self._guarded_socket(info)
            connection.setblocking(False)
            try:
                await loop.sock_connect(connection, info[4])
            except OSError as error:
                connection.close()
                failure = error
            else:
                return connection
        raise DownloadConnectionRefusedError(str(failure)) from failure

    @property
    def _policy(self) -> AddressPolicy:
        return scan_of(self.crawler).address_policy

    def _connector(self) -> aiohttp.TCPConnector:
        return aiohttp.TCPConnector(
            local_addr=self._bind_address,
            # The downloader limits what is under way.
            limit=0,
            resolver=GuardedResolver(self.make_resolver(), self.permitted),
            use_dns_cache=bool(self.dns_cache_seconds),
            ttl_dns_cache=self.dns_cache_seconds,
            socket_factory=self._guarded_socket,
        )

    def permitted(self, host: str, port: int, addresses: list[str]) -> list[str]:
        """Return those of a host's addresses that may be connected to; all of a proxy's."""
        if _current_request.get().meta.get("proxy"):
            return addresses
        permitted = self._policy.permitted(host, port, addresses)
        if addresses and not permitted:
            raise AddressNotAllowedError(self._policy.refusal(host, port, addresses[0]))
        return permitted

    def _guarded_socket(self, addr_info: AddrInfoType) -> socket.socket:
        """The last check, and the only one for a host that is an address."""
        family, kind, protocol, _, address = addr_info
        host, port = endpoint_of(_current_request.get().url)
        self.permitted(host, port, [str(address[0])])
        return socket.socket(family=family, type=kind, proto=protocol)

    def _trace(self) -> aiohttp.TraceConfig:
        trace = aiohttp.TraceConfig()
        trace.on_connection_reuseconn.append(self._connection_kept)
        trace.on_request_headers_sent.append(self._headers_ready)
        return trace

    async def _connection_kept(
        self,
        session: aiohttp.ClientSession,
        context: SimpleNamespace,
        params: aiohttp.TraceConnectionReuseconnParams,
    ) -> None:
        self._on_kept.add(_current_request.get())
        # Many servers close a connection behind an answer without announcing it. The event loop
        # needs these rounds to notice that; then nothing is sent, and another one is used.
        for _ in range(_ROUNDS_TO_NOTICE_CLOSING):
            await asyncio.sleep(0)

    async def _headers_ready(
        self,
        session: aiohttp.ClientSession,
        context: SimpleNamespace,
        params: aiohttp.TraceRequestHeadersSentParams,
    ) -> None:
        """aiohttp writes the headers when this returns, not before."""
        self.report_sending(_current_request.get())

    def report_sending(self, request: Request) -> None:
        """Tell the downloader that the request is about to be written; may raise PostponedError."""
        results = self.crawler.signals.send_catch_log(
            request_sending, request=request, dont_log=PostponedError
        )
        for _, result in results:
            if isinstance(result, Failure) and isinstance(result.value, PostponedError):
                raise result.value

    def _extract_headers(self, response: _ClientResponse) -> Headers:  # type: ignore[override]
        """Return the headers as they came: Scrapy's version fails for bytes that are no UTF-8."""
        total = sum(len(name) + len(value) + 4 for name, value in response.raw_headers)
        if total > self._max_header_bytes:
            raise DownloadFailedError(f"{total} bytes of headers") from HeadersTooLargeError()
        return Headers(response.raw_headers)


def _is_refused_by_parser(error: DownloadFailedError) -> bool:
    """Whether another parser might read it: not if it is only too large."""
    refused = error.__cause__
    if not isinstance(refused, aiohttp.ClientResponseError) or refused.__cause__ is None:
        return False
    is_too_large = isinstance(refused.__cause__.__cause__, LineTooLong)
    return not is_too_large and "Too many headers" not in str(refused)


class _GuardedResponse(_ClientResponse):
    async def start(self, connection: Connection) -> aiohttp.ClientResponse:
        # aiohttp starts to write later, and Scrapy asserts that there is a transport.
        if connection.transport is None:
            raise aiohttp.ClientConnectionResetError("a kept connection was closed")
        return await super().start(connection)


async def _fail_when_dropped(
    request: aiohttp.ClientRequest, handler: ClientHandlerType
) -> aiohttp.ClientResponse:
    """Hide from aiohttp that it could repeat the request: the downloader decides when."""
    try:
        return await handler(request)
    except aiohttp.ClientConnectorError:
        raise
    except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError) as error:
        raise ConnectionDroppedError(str(error)) from error
