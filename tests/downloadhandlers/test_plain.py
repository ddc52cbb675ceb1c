"""Plain requests use the connections that are kept, and leave none in a doubtful state."""

# Twisted has hardly any types.
# mypy: allow-untyped-calls
from __future__ import annotations

import asyncio
from contextvars import copy_context
from typing import TYPE_CHECKING, Any

import pytest
from scrapy import Request, Spider
from scrapy.exceptions import DownloadTimeoutError
from scrapy.utils.test import get_crawler
from twisted.internet.testing import StringTransport

from sitecrawl.downloader.departure import watch_departure
from sitecrawl.downloader.refusals import HeldBackError
from sitecrawl.downloadhandlers.departures import DeparturePool, ReadyConnection
from sitecrawl.downloadhandlers.plain import PlainDownloadHandler

if TYPE_CHECKING:
    from collections.abc import Coroutine

KEY = (b"http", b"example.com", 80, None)
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


class Kept:
    """A handler with one kept connection, and what is known of it."""

    def __init__(self) -> None:
        crawler = get_crawler(Spider)
        crawler.spider = Spider("x")
        # Without a reactor, which a test must not install.
        self.handler = handler = PlainDownloadHandler.__new__(PlainDownloadHandler)
        handler._crawler = crawler
        handler._pool = DeparturePool(2)
        handler._bind_address = None
        handler._tls_verbose_logging = False
        handler._default_warnsize = handler._default_maxsize = 0
        handler._fail_on_dataloss = True
        self.transport = StringTransport()
        self.connection = ReadyConnection(lambda each: handler._pool._putConnection(KEY, each))
        self.connection.makeConnection(self.transport)
        handler._pool._putConnection(KEY, self.connection)

    @property
    def is_kept(self) -> bool:
        return self.connection in self.handler._pool._connections[KEY]

    def download(self, seconds: float = 60) -> Coroutine[Any, Any, Any]:
        request = Request("http://example.com/a", meta={"download_timeout": seconds})
        return self.handler.download_request(request)


def test_a_kept_connection_is_used_and_kept_again() -> None:
    async def run() -> None:
        kept = Kept()
        for _ in range(2):
            download = asyncio.create_task(kept.download())
            await asyncio.sleep(0)
            assert not kept.is_kept
            kept.connection.dataReceived(ANSWER)
            assert (await download).body == b"ok"
            assert kept.is_kept
        assert kept.transport.value() == b"GET /a HTTP/1.1\r\nHost: example.com\r\n\r\n" * 2

    asyncio.run(run())


def test_the_connection_of_a_request_that_takes_too_long_is_aborted() -> None:
    async def run() -> None:
        kept = Kept()
        with pytest.raises(DownloadTimeoutError, match=r"a took longer than 0\.001 seconds"):
            await kept.download(0.001)
        assert kept.transport.disconnected
        assert not kept.is_kept

    asyncio.run(run())


def test_so_is_that_of_one_that_is_cancelled() -> None:
    async def run() -> None:
        kept = Kept()
        download = asyncio.create_task(kept.download())
        await asyncio.sleep(0)
        download.cancel()
        with pytest.raises(asyncio.CancelledError):
            await download
        assert kept.transport.disconnected

    asyncio.run(run())


def test_but_not_if_it_was_answered_before() -> None:
    async def run() -> None:
        kept = Kept()
        download = asyncio.create_task(kept.download())
        await asyncio.sleep(0)
        kept.connection.dataReceived(ANSWER)
        download.cancel()
        with pytest.raises(asyncio.CancelledError):
            await download
        assert kept.is_kept
        assert not kept.transport.disconnected

    asyncio.run(run())


def test_nothing_is_sent_of_a_request_that_is_held_back() -> None:
    def hold_back() -> None:
        raise HeldBackError

    async def run() -> None:
        kept = Kept()
        watch_departure.set(hold_back)
        with pytest.raises(HeldBackError):
            await kept.download()
        assert kept.transport.value() == b""
        assert not kept.is_kept
        assert kept.transport.disconnecting

    copy_context().run(asyncio.run, run())


@pytest.mark.parametrize(
    "request_",
    [
        Request("http://example.com/", method="POST", meta={"download_timeout": 1}),
        Request("http://example.com/", body=b"x", meta={"download_timeout": 1}),
        Request("http://example.com/", meta={"download_timeout": 1, "proxy": "http://p.example"}),
        Request("http://example.com/", meta={"download_timeout": 1, "bindaddress": "127.0.0.2"}),
        Request("http://example.com/", meta={"download_timeout": 1, "download_warnsize": 1}),
        Request("http://example.com/", cookies={"a": "b"}, headers={"Cookie": "a=b"}),
        Request("http://example.com/"),
    ],
)
def test_what_is_left_to_twisted(request_: Request) -> None:
    async def run() -> None:
        assert Kept().handler._plain_request(request_) is None

    asyncio.run(run())
