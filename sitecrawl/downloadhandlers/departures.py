"""The moment a request leaves: its connection is ready, and nothing of it is on the wire yet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.core.downloader.handlers.http11 import (
    _LenientHTTP11ClientFactory,
    _LenientHTTP11ClientProtocol,
)
from twisted.internet.defer import Deferred, succeed
from twisted.internet.interfaces import IHandshakeListener
from twisted.internet.protocol import connectionDone
from twisted.protocols.tls import TLSMemoryBIOProtocol
from twisted.web.client import HTTPConnectionPool, ResponseFailed
from zope.interface import implementer  # type: ignore[import-untyped]

from sitecrawl.downloader.departure import watch_departure

if TYPE_CHECKING:
    from collections.abc import Hashable

    from twisted.internet.interfaces import IAddress, IStreamClientEndpoint
    from twisted.python.failure import Failure
    from twisted.web._newclient import HTTP11ClientProtocol


class DeparturePool(HTTPConnectionPool):
    """Connections that carry a request at once when they are handed out.

    * Twisted hands out a TLS connection before its handshake, and keeps what is written until then.
      Here the handshake comes first, which takes no longer: nothing could be sent before.
    * Twisted repeats a request at once when a kept connection turns out to be closed. Here that is
      a failure like any other: what repeats it waits, and is counted.
    """

    retryAutomatically = False  # noqa: N815  Twisted's name
    _factory: Any

    def __init__(self, reactor: Any, max_persistent_per_host: int):
        super().__init__(reactor, persistent=True)  # type: ignore[no-untyped-call]
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

        connection: Deferred[Any] = super().getConnection(key, endpoint)
        return connection.addCallback(lambda each: each.when_ready()).addCallback(depart)


@implementer(IHandshakeListener)
class _ReadyProtocol(_LenientHTTP11ClientProtocol):
    """Scrapy's protocol, which tells when its connection can carry data."""

    _is_ready = False
    _waiter: Deferred[_ReadyProtocol] | None = None

    def when_ready(self) -> Deferred[_ReadyProtocol]:
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

    def connectionLost(self, reason: Failure = connectionDone) -> None:  # noqa: N802  Twisted's name
        super().connectionLost(reason)  # type: ignore[no-untyped-call]
        if self._waiter is not None and not self._waiter.called:
            self._waiter.errback(ResponseFailed([reason]))  # type: ignore[no-untyped-call]


class _ReadyFactory(_LenientHTTP11ClientFactory):
    def buildProtocol(self, addr: IAddress | None) -> HTTP11ClientProtocol:  # noqa: N802
        return _ReadyProtocol(self._quiescentCallback)  # type: ignore[no-untyped-call]
