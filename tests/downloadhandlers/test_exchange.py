"""A plain exchange gives what Twisted gives, however its answer comes over the wire."""

# Twisted has hardly any types.
# mypy: allow-untyped-calls
from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from scrapy import Request, Spider, signals
from scrapy.core.downloader.handlers.http11 import _ScrapyAgent
from scrapy.exceptions import StopDownload
from scrapy.utils.test import get_crawler
from twisted.internet.error import ConnectionLost
from twisted.internet.tcp import Connection
from twisted.internet.testing import StringTransport
from twisted.python.failure import Failure

from sitecrawl.downloadhandlers import exchange as module
from sitecrawl.downloadhandlers.departures import ReadyConnection
from sitecrawl.downloadhandlers.exchange import PlainExchange
from sitecrawl.downloadhandlers.heads import plain_request

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy.crawler import Crawler

URL = "http://example.com/page"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: text/html\r\n\r\n"
MANY_CHUNKS = CHUNKED + b"3\r\n123\r\n" * 5 + b"0\r\n\r\n"
OF_7 = b"HTTP/1.1 200 OK\r\nContent-Length: 7\r\nContent-Type: text/html\r\n"
ANSWERS = [
    OF_7 + b"\r\n1234567",
    OF_7 + b"\r\n1234567more",
    OF_7 + b"Connection: close\r\n\r\n1234567",
    OF_7 + b"\r\n123",
    OF_7 + b"no colon\r\n\r\n1234567",
    OF_7 + b"X: folded\r\n line\r\n\r\n1234567",
    CHUNKED + b"3\r\n123\r\n4;x=y\r\n4567\r\n0\r\n\r\n",
    CHUNKED + b"3\r\n123\r\n0\r\nTrailer: x\r\n\r\n",
    CHUNKED + b"3\r\n123\r\n4\r\n45",
    CHUNKED + b"3\r\n123\r\nno number\r\n",
    b"HTTP/1.1 200 OK\r\n\r\nup to the end",
    b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nContent-Length: 7\r\nContent-Length: 8\r\n\r\n1234567",
    b"HTTP/1.1 204 No Content\r\n\r\n",
    b"HTTP/1.1 304 Not Modified\r\nETag: x\r\n\r\n",
    b"HTTP/1.1 100 Continue\r\n\r\n" + OF_7 + b"\r\n1234567",
    b"HTTP/1.0 200 OK\r\nContent-Length: 7\r\n\r\n1234567",
    b"HTTP/1.1 200 OK\r\nX: " + b"x" * 20_000 + b"\r\nContent-Length: 7\r\n\r\n1234567",
    b"HTTP/1.1 200 OK\r\nContent-",
    b"no answer at all\r\n\r\n",
    b"",
]


class Seen(NamedTuple):
    """What came of an exchange."""

    answer: tuple[Any, ...]
    is_kept: bool
    signals: list[tuple[str, Any]]


@pytest.fixture
def crawler() -> Crawler:
    crawler = get_crawler(Spider)
    crawler.spider = Spider("x")
    return crawler


def exchange_pieces(
    crawler: Crawler,
    pieces: list[bytes],
    *,
    max_bytes: int = 0,
    fails_on_data_loss: bool = True,
) -> Seen:
    """Send a request; the pieces of its answer come, and then the connection is lost."""
    kept: list[ReadyConnection] = []
    said: list[tuple[str, Any]] = []

    def headers_received(headers: Any, body_length: object) -> None:
        said.append(("headers", (dict(headers), body_length)))

    def bytes_received(data: bytes) -> None:
        said.append(("bytes", data))

    async def run() -> tuple[Any, ...]:
        request, plain = Request(URL), plain_request(URL, {b"Accept": [b"*/*"]})
        assert plain is not None
        agent = _ScrapyAgent(
            contextFactory=None,  # type: ignore[arg-type]
            maxsize=max_bytes,
            fail_on_dataloss=fails_on_data_loss,
            crawler=crawler,
        )
        connection, transport = ReadyConnection(kept.append), StringTransport()
        connection.makeConnection(transport)
        exchange = PlainExchange(
            request,
            plain,
            lambda: agent,
            crawler,
            max_bytes=max_bytes,
            fails_on_data_loss=fails_on_data_loss,
        )
        exchange.begin(connection)
        assert transport.value() == plain.head
        for piece in pieces:
            if not (transport.disconnecting or kept):
                connection.dataReceived(piece)
        connection.connectionLost(Failure(ConnectionLost()))
        try:
            response = await exchange.outcome
        except Exception as error:  # noqa: BLE001  whatever it is, it must be the same
            return type(error), type(error.__cause__)
        assert request.meta["download_latency"] >= 0
        return (
            response.status,
            dict(response.headers),
            response.body,
            response.flags,
            response.protocol,
            response.url,
        )

    receivers = (
        (headers_received, signals.headers_received),
        (bytes_received, signals.bytes_received),
    )
    for receiver, signal in receivers:
        crawler.signals.connect(receiver, signal)
    answer = asyncio.run(run())
    for receiver, signal in receivers:
        crawler.signals.disconnect(receiver, signal)
    return Seen(answer, bool(kept), said)


def whole(answer: bytes) -> list[bytes]:
    return [answer]


def head_and_body(answer: bytes) -> list[bytes]:
    head, end, body = answer.partition(b"\r\n\r\n")
    return [head + end, body] if body else [head + end]


def byte_by_byte(answer: bytes) -> list[bytes]:
    return [bytes([byte]) for byte in answer]


@pytest.mark.parametrize("cut", [whole, head_and_body, byte_by_byte])
@pytest.mark.parametrize("fails_on_data_loss", [True, False])
@pytest.mark.parametrize("answer", ANSWERS)
def test_it_gives_what_twisted_gives(
    answer: bytes,
    cut: Callable[[bytes], list[bytes]],
    fails_on_data_loss: bool,
    crawler: Crawler,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pieces = cut(answer)
    plain = exchange_pieces(crawler, pieces, fails_on_data_loss=fails_on_data_loss)
    monkeypatch.setattr(module, "plain_answer", lambda _head: None)
    assert plain == exchange_pieces(crawler, pieces, fails_on_data_loss=fails_on_data_loss)


@pytest.mark.parametrize(
    "answer",
    [OF_7 + b"\r\n1234567", CHUNKED + b"7\r\n1234567\r\n0\r\n\r\n", MANY_CHUNKS],
    ids=["length", "chunk", "chunks"],
)
def test_a_body_beyond_the_limit_of_scrapy(
    answer: bytes, crawler: Crawler, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = exchange_pieces(crawler, [answer], max_bytes=5)
    assert not plain.is_kept
    assert isinstance(plain.answer[0], type), "an error"
    monkeypatch.setattr(module, "plain_answer", lambda _head: None)
    assert plain == exchange_pieces(crawler, [answer], max_bytes=5)


@pytest.mark.parametrize("signal", [signals.headers_received, signals.bytes_received])
@pytest.mark.parametrize("fail", [True, False])
@pytest.mark.parametrize(
    "pieces", [[OF_7 + b"\r\n12345", b"67"], [MANY_CHUNKS]], ids=["length", "chunks"]
)
def test_a_download_that_is_stopped(
    pieces: list[bytes],
    signal: object,
    fail: bool,
    crawler: Crawler,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def stop() -> None:
        raise StopDownload(fail=fail)

    crawler.signals.connect(stop, signal)
    plain = exchange_pieces(crawler, pieces)
    assert not plain.is_kept
    if not fail:
        assert plain.answer[3] == ["download_stopped"]
    monkeypatch.setattr(module, "plain_answer", lambda _head: None)
    assert plain == exchange_pieces(crawler, pieces)


def test_nothing_comes_of_one_that_was_given_up(crawler: Crawler) -> None:
    async def run() -> None:
        plain = plain_request(URL, {})
        assert plain is not None
        connection, transport = ReadyConnection(), StringTransport()
        connection.makeConnection(transport)
        exchange = PlainExchange(
            Request(URL), plain, pytest.fail, crawler, max_bytes=0, fails_on_data_loss=True
        )
        exchange.begin(connection)
        exchange.outcome.cancel()
        connection.give_up()
        connection.dataReceived(OF_7)
        connection.connectionLost(Failure(ConnectionLost()))
        assert exchange.outcome.cancelled()
        assert connection.state == "CONNECTION_LOST"

    asyncio.run(run())


class _Socket(Connection):
    """Takes no more at once than it is told to."""

    def __init__(self, at_once: int | ConnectionLost):
        self.sent = b""
        self._at_once = at_once

    def writeSomeData(self, data: bytes) -> int | ConnectionLost:  # noqa: N802  Twisted's name
        if isinstance(self._at_once, int):
            self.sent += data[: self._at_once]
            return min(self._at_once, len(data))
        return self._at_once

    def write(self, data: bytes) -> None:
        self.sent += data


@pytest.mark.parametrize("at_once", [0, 3, 100, ConnectionLost()])
def test_a_head_is_sent_once_however_much_a_socket_takes(at_once: int | ConnectionLost) -> None:
    exchange: Any = None
    connection = ReadyConnection()
    connection.transport = _Socket(at_once)
    connection.carry(exchange, b"GET / HTTP/1.1")
    assert connection.transport.sent == b"GET / HTTP/1.1"


def test_nothing_goes_past_tls_or_overtakes_what_waits() -> None:
    exchange: Any = None
    for waits in ({"TLS": True}, {"dataBuffer": b"x"}):
        connection = ReadyConnection()
        connection.transport = _Socket(100)
        vars(connection.transport).update(waits)
        connection.transport.writeSomeData = pytest.fail
        connection.carry(exchange, b"GET")
        assert connection.transport.sent == b"GET"
