"""Carries the bytes of one connection of the guarded proxy, within limits."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections import Counter
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING

from sitecrawl.render.proxyheads import BadHeadError, parse_answer

if TYPE_CHECKING:
    from asyncio import StreamReader, StreamWriter

    from sitecrawl.render.proxyheads import ProxyRequest

_PIECE_BYTES = 65_536
_MAX_HINTS = 10
_CLOSE_SECONDS = 5.0
_HEAD_END = re.compile(rb"\n\r?\n")
_TUNNEL_READY = b"HTTP/1.1 200 Connection established\r\n\r\n"


@dataclass(frozen=True, slots=True)
class ProxyLimits:
    """What the browser's connections may cost; 0 means no limit for bytes."""

    max_connections: int = 256
    max_head_bytes: int = 65_536
    max_connection_bytes: int = 0
    head_seconds: float = 15.0
    connect_seconds: float = 10.0
    idle_seconds: float = 60.0
    max_refusals: int = 1_000


@dataclass(slots=True)
class ProxyCounts:
    """What went through, and what did not."""

    requests: int = 0
    sent_bytes: int = 0
    received_bytes: int = 0
    refusals: Counter[str] = field(default_factory=Counter)
    """By their words; after ``max_refusals`` different ones the rest is counted together."""


class AnswerError(Exception):
    """What the browser gets instead of an answer from a server."""

    def __init__(self, status: HTTPStatus, words: str):
        super().__init__(words)
        self.status = status
        self.words = words


class CarriedTooMuchError(OSError):
    """A connection has carried as many bytes as one may."""


async def relay(
    request: ProxyRequest, browser: Peer, server: Peer, counts: ProxyCounts, limits: ProxyLimits
) -> None:
    """Carry bytes both ways until one side has gone, or both are silent for too long."""
    async with asyncio.timeout(limits.idle_seconds) as timer:
        meter = _Meter(counts, timer, limits)
        answering = asyncio.create_task(_carry_answer(request, browser, server, meter))
        asking = asyncio.create_task(_carry_request(request, browser, server, meter))
        try:
            await asyncio.wait({answering, asking}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            answering.cancel()
            asking.cancel()
            results = await asyncio.gather(answering, asking, return_exceptions=True)
    for result in results:
        # A connection that ended is no surprise; everything else is for the caller.
        if isinstance(result, Exception) and not isinstance(result, OSError):
            raise result


async def _carry_request(request: ProxyRequest, browser: Peer, server: Peer, meter: _Meter) -> None:
    """Ends when the browser has gone."""
    left = None if request.is_tunnel else request.body_bytes
    # A server may answer and close before it has read everything: its answer still counts.
    with contextlib.suppress(ConnectionError):
        if request.head:
            server.writer.write(request.head)
        while left != 0 and (piece := await browser.read()):
            sent = piece if left is None else piece[:left]
            left = None if left is None else left - len(sent)
            await server.send(sent)
            meter.sent(len(sent))
    # Nothing that follows the request is carried.
    while await browser.read():
        pass


async def _carry_answer(request: ProxyRequest, browser: Peer, server: Peer, meter: _Meter) -> None:
    """Ends when the server has."""
    if request.is_tunnel:
        browser.writer.write(_TUNNEL_READY)
    else:
        browser.writer.write(await _answer_head(server, meter))
    while piece := await server.read():
        await browser.send(piece)
        meter.received(len(piece))


async def _answer_head(server: Peer, meter: _Meter) -> bytes:
    # Before the answer itself there may be hints, which nobody here needs.
    for _ in range(_MAX_HINTS):
        try:
            head = await server.read_head(meter.limits.max_head_bytes)
            answer = parse_answer(head)
        except (OSError, BadHeadError) as error:
            raise AnswerError(HTTPStatus.BAD_GATEWAY, "the server does not answer") from error
        meter.received(len(head))
        if answer.is_final:
            return answer.head
    raise AnswerError(HTTPStatus.BAD_GATEWAY, "the server does not answer")


class _Meter:
    """Counts what one connection carries, keeps it alive while it carries, and ends it in time."""

    def __init__(self, counts: ProxyCounts, timer: asyncio.Timeout, limits: ProxyLimits):
        self.limits = limits
        self._counts = counts
        self._timer = timer
        self._loop = asyncio.get_running_loop()
        self._carried = 0

    def sent(self, number: int) -> None:
        self._counts.sent_bytes += number
        self._note(number)

    def received(self, number: int) -> None:
        self._counts.received_bytes += number
        self._note(number)

    def _note(self, number: int) -> None:
        self._carried += number
        if 0 < self.limits.max_connection_bytes < self._carried:
            raise CarriedTooMuchError
        self._timer.reschedule(self._loop.time() + self.limits.idle_seconds)


class Peer:
    """One end of a connection; what was read with a head and is not part of it comes next."""

    def __init__(self, reader: StreamReader, writer: StreamWriter):
        self.writer = writer
        self._reader = reader
        self._rest = b""

    async def read(self) -> bytes:
        rest, self._rest = self._rest, b""
        return rest or await self._reader.read(_PIECE_BYTES)

    async def read_head(self, max_bytes: int) -> bytes:
        """Read up to and with the empty line; nothing if that does not come in time."""
        head = bytearray()
        while len(head) < max_bytes:
            piece = await self.read()
            if not piece:
                raise ConnectionResetError
            start = max(0, len(head) - len(b"\n\r"))
            head += piece
            if end := _HEAD_END.search(head, start):
                self._rest = bytes(head[end.end() :])
                return bytes(head[: end.end()])
        return b""

    async def send(self, piece: bytes) -> None:
        self.writer.write(piece)
        await self.writer.drain()

    async def close(self) -> None:
        self.writer.close()
        try:
            async with asyncio.timeout(_CLOSE_SECONDS):
                await self.writer.wait_closed()
        except OSError:
            self.abort()

    def abort(self) -> None:
        self.writer.transport.abort()
