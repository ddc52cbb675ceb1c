"""Downloads whose requests and answers are plain, as almost all are, at half of the cost."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from scrapy.exceptions import DownloadTimeoutError
from scrapy.utils._download_handlers import wrap_twisted_exceptions
from scrapy.utils.defer import deferred_to_future

from sitecrawl.downloader.departure import watch_departure
from sitecrawl.downloadhandlers.departures import DeparturePool
from sitecrawl.downloadhandlers.exchange import PlainExchange
from sitecrawl.downloadhandlers.guarded import GuardedDownloadHandler
from sitecrawl.downloadhandlers.heads import plain_request

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from sitecrawl.downloadhandlers.departures import ReadyConnection
    from sitecrawl.downloadhandlers.heads import PlainRequest


class PlainDownloadHandler(GuardedDownloadHandler):
    """Sends plain GET requests itself; Twisted's agent sends everything else.

    Connections, their guard, TLS and what is not plain in an answer are Twisted's in both cases.
    """

    def __init__(self, crawler: Crawler):
        super().__init__(crawler)
        self._pool: DeparturePool = DeparturePool(self._pool.maxPersistentPerHost)

    async def download_request(self, request: Request) -> Response:
        plain = self._plain_request(request)
        if plain is None:
            return await super().download_request(request)
        seconds = request.meta["download_timeout"]
        try:
            with wrap_twisted_exceptions():
                async with asyncio.timeout(seconds):
                    return await self._exchange(request, plain)
        except TimeoutError:
            message = f"Getting {plain.url} took longer than {seconds} seconds."
            raise DownloadTimeoutError(message) from None

    def _plain_request(self, request: Request) -> PlainRequest | None:
        meta = request.meta
        if (
            request.method != "GET"
            or request.body
            or self._bind_address
            or self._tls_verbose_logging
            or not meta.get("download_timeout")
            or not meta.keys().isdisjoint(("proxy", "bindaddress"))
            or meta.get("download_warnsize", self._default_warnsize)
        ):
            return None
        return plain_request(request.url, request.headers)

    async def _exchange(self, request: Request, plain: PlainRequest) -> Response:
        exchange = PlainExchange(
            request,
            plain,
            self._agent,
            self._crawler,
            max_bytes=request.meta.get("download_maxsize", self._default_maxsize),
            fails_on_data_loss=request.meta.get(
                "download_fail_on_dataloss", self._fail_on_dataloss
            ),
        )
        connection = await self._connection(request, plain)
        try:
            watch_departure.get()()
        except Exception:
            connection.abort()  # type: ignore[no-untyped-call]
            raise
        exchange.begin(connection)
        try:
            return await exchange.outcome
        except asyncio.CancelledError:
            # Unless it was answered in the same moment: then the connection may carry another.
            if exchange.outcome.cancelled():
                connection.give_up()
            raise

    async def _connection(self, request: Request, plain: PlainRequest) -> ReadyConnection:
        # As Scrapy's agent has them: both use the same connections.
        key = (plain.scheme, plain.host, plain.port, None)
        if kept := self._pool.kept_connection(key):
            return kept
        seconds = request.meta["download_timeout"]
        endpoint = self._agent().endpoint(request, seconds)
        return await deferred_to_future(self._pool.connection(key, endpoint))
