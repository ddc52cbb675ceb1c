"""The moment a request leaves: its connection is ready, and nothing of it is on the wire yet."""

from __future__ import annotations

import asyncio
import ipaddress
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any

from scrapy.core.downloader.handlers.http11 import (
    _LenientHTTP11ClientFactory,
    _LenientHTTP11ClientProtocol,
)
from twisted.internet.defer import Deferred, succeed
from twisted.internet.interfaces import IHandshakeListener
from twisted.internet.protocol import connectionDone
from twisted.internet.ssl import Certificate
from twisted.internet.tcp import Connection
from twisted.protocols.tls import TLSMemoryBIOProtocol
from twisted.web.client import HTTPConnectionPool, ResponseFailed
from zope.interface import implementer  # type: ignore[import-untyped]

from sitecrawl.downloader.departure import watch_departure

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from twisted.internet.interfaces import IAddress, IStreamClientEndpoint
    from twisted.python.failure import Failure
    from twisted.web._newclient import HTTP11ClientProtocol
    from twisted.web.iweb import IResponse

    from sitecrawl.downloadhandlers.exchange import PlainExchange


class DeparturePool(HTTPConnectionPool):
    """Connections that carry a request at once when they are handed out.

    * Twisted hands out a TLS connection before its handshake, and keeps what is written until then.
      Here the handshake comes first, which takes no longer: nothing could be sent before.
    * Twisted repeats a request at once when a kept connection turns out to be closed. Here that is
      a failure like any other: what repeats it waits, and is counted.
    """

    retryAutomatically = False  # noqa: N815  Twisted's name
    _factory: Any

    def __init__(self, max_persistent_per_host: int):
        super().__init__(_LoopTimers(), persistent=True)  # type: ignore[no-untyped-call]
        self.maxPersistentPerHost = max_persistent_per_host
        self._factory = _ReadyFactory

    def getConnection(  # noqa: N802  Twisted's name
        self, key: Hashable, endpoint: IStreamClientEndpoint
    ) -> Deferred[HTTP11ClientProtocol]:
        leave = watch_departure.get()

        def depart(connection: HTTP11ClientProtocol) -> HTTP11ClientProtocol:
            try:
                leave()
            except Exception:
                connection.abort()  # type: ignore[no-untyped-call]
                raise
            return connection

        return self.connection(key, endpoint).addCallback(depart)

    def connection(
        self, key: Hashable, endpoint: IStreamClientEndpoint
    ) -> Deferred[ReadyConnection]:
        """A connection that can carry a request, of which nobody is told."""
        connection: Deferred[Any] = super().getConnection(key, endpoint)
        return connection.addCallback(lambda each: each.when_ready())

    def kept_connection(self, key: Hashable) -> ReadyConnection | None:
        """One that has carried a request before: most are, and need not be waited for."""
        connections: list[ReadyConnection] = self._connections.get(key, [])
        while connections:
            connection = connections.pop(0)
            self._timeouts.pop(connection).cancel()
            if connection.state == "QUIESCENT":
                return connection
        return None


class _LoopTimers:
    """The timers of the event loop, which a pool sets for each request: Twisted's cost more."""

    def callLater(  # noqa: N802  Twisted's name
        self, delay: float, function: Callable[..., Any], *args: Any
    ) -> asyncio.TimerHandle:
        return asyncio.get_running_loop().call_later(delay, function, *args)


@implementer(IHandshakeListener)
class ReadyConnection(_LenientHTTP11ClientProtocol):
    """Scrapy's protocol, which tells when its connection can carry data.

    A plain exchange gets what comes over the connection past Twisted's parser.
    """

    transport: Any
    _is_ready = False
    _waiter: Deferred[ReadyConnection] | None = None
    _exchange: PlainExchange | None = None

    def when_ready(self) -> Deferred[ReadyConnection]:
        if self._is_ready:
            return succeed(self)
        self._waiter = Deferred(lambda _: self.abort())  # type: ignore[no-untyped-call]
        return self._waiter

    def connectionMade(self) -> None:  # noqa: N802  Twisted's name
        super().connectionMade()
        if not isinstance(self.transport, TLSMemoryBIOProtocol):
            self._is_ready = True

    def handshakeCompleted(self) -> None:  # noqa: N802  Twisted's name
        self._is_ready = True
        if self._waiter is not None and not self._waiter.called:
            self._waiter.callback(self)

    def dataReceived(self, data: bytes) -> None:  # noqa: N802  Twisted's name
        if self._exchange is None:
            super().dataReceived(data)  # type: ignore[no-untyped-call]
        else:
            self._exchange.received(data)

    def connectionLost(self, reason: Failure = connectionDone) -> None:  # noqa: N802  Twisted's name
        if self._exchange is not None:
            self._exchange.lost(reason)
        super().connectionLost(reason)  # type: ignore[no-untyped-call]
        if self._waiter is not None and not self._waiter.called:
            self._waiter.errback(ResponseFailed([reason]))  # type: ignore[no-untyped-call]

    # --- for a plain exchange ----------------------------------------------------------------

    @cached_property
    def address(self) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
        return ipaddress.ip_address(self.transport.getPeer().host)

    @cached_property
    def certificate(self) -> Certificate | None:
        with suppress(AttributeError):
            return Certificate(self.transport.getPeerCertificate())  # type: ignore[no-untyped-call]
        return None

    def carry(self, exchange: PlainExchange, head: bytes) -> None:
        """Send a request; its answer goes to the exchange."""
        self._state = "WAITING"
        self._exchange = exchange
        self.transport.write(head[self._written_at_once(head) :])

    def _written_at_once(self, head: bytes) -> int:
        """How much a bare socket takes at once; Twisted would wait until it says it is ready."""
        transport = self.transport
        if not isinstance(transport, Connection) or transport.TLS or transport.dataBuffer:
            return 0
        written = transport.writeSomeData(head)
        return written if isinstance(written, int) else 0

    def release(self, *, is_kept: bool) -> None:
        """The answer is complete."""
        self._state = "QUIESCENT"
        self._exchange = None
        if is_kept:
            self._quiescentCallback(self)
        else:
            self.close()

    def close(self) -> None:
        self.transport.loseConnection()

    def give_up(self) -> None:
        """Nobody waits for the answer any more."""
        self.transport.abortConnection()

    def leave_to_twisted(self) -> Deferred[IResponse]:
        """From here on Twisted reads the answer, as that to a request of its own."""
        self._state = "QUIESCENT"
        self._exchange = None
        return self.request(_SentRequest())  # type: ignore[arg-type]


class _SentRequest:
    """What Twisted has to know of a request that is on the wire already."""

    method = b"GET"
    persistent = True

    def writeTo(self, transport: Any) -> Deferred[None]:  # noqa: N802  Twisted's name
        return succeed(None)

    def stopWriting(self) -> None:  # noqa: N802  Twisted's name
        """Nothing is left to write."""


class _ReadyFactory(_LenientHTTP11ClientFactory):
    def buildProtocol(self, addr: IAddress | None) -> HTTP11ClientProtocol:  # noqa: N802
        return ReadyConnection(self._quiescentCallback)  # type: ignore[no-untyped-call]
