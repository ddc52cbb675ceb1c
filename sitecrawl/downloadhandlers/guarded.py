"""Connections that are judged by the address they really go to."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from scrapy.core.downloader.handlers.http11 import (
    HTTP11DownloadHandler,
    _BindAddressAgent,
    _ScrapyAgent,
)
from scrapy.utils._download_handlers import normalize_bind_address, wrap_twisted_exceptions
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.interfaces import (
    IHostnameResolver,
    IReactorPluggableNameResolver,
    IResolutionReceiver,
    IStreamClientEndpoint,
)
from twisted.web.client import URI
from zope.interface import implementer  # type: ignore[import-untyped]

from sitecrawl.downloader.refusals import AddressNotAllowedError
from sitecrawl.safety.policy import AddressPolicy
from sitecrawl.scan.scan import scan_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.internet.address import IPv4Address, IPv6Address
    from twisted.internet.defer import Deferred
    from twisted.internet.interfaces import (
        IConnector,
        IDelayedCall,
        IHostResolution,
        IProtocol,
        IProtocolFactory,
    )
    from twisted.web.client import Agent


class GuardedDownloadHandler(HTTP11DownloadHandler):
    """Scrapy's handler, which connects only to what the spider's ``address_policy`` permits.

    Without that attribute what ``SITECRAWL_ADDRESS_ALLOW`` lists is permitted beside public
    addresses. A request that is not permitted fails with :class:`AddressNotAllowedError`.
    """

    def __init__(self, crawler: Crawler):
        super().__init__(crawler)

    async def download_request(self, request: Request) -> Response:
        with wrap_twisted_exceptions():
            return await maybe_deferred_to_future(self._agent().download_request(request))

    def _agent(self) -> GuardedAgent:
        return GuardedAgent(
            scan_of(self._crawler).address_policy,
            contextFactory=self._contextFactory,
            bindAddress=self._bind_address,
            pool=self._pool,
            maxsize=self._default_maxsize,
            warnsize=self._default_warnsize,
            fail_on_dataloss=self._fail_on_dataloss,
            crawler=self._crawler,
            tls_verbose_logging=self._tls_verbose_logging,
        )


class GuardedAgent(_ScrapyAgent):
    def __init__(self, policy: AddressPolicy, **options: Any):
        super().__init__(**options)
        self._policy = policy

    def endpoint(self, request: Request, timeout: float) -> IStreamClientEndpoint:
        """Where to connect to for a request that needs no proxy."""
        uri = URI.fromBytes(request.url.encode("ascii"))  # type: ignore[no-untyped-call]
        agent: Any = self._get_agent(request, timeout)
        endpoint: IStreamClientEndpoint = agent._getEndpoint(uri)  # noqa: SLF001
        return endpoint

    def _get_agent(self, request: Request, timeout: float) -> Agent:
        from twisted.internet import reactor

        if request.meta.get("proxy"):
            # The user named the proxy, and it is the proxy that looks names up and connects.
            if refusal := self._policy.refusal_without_lookup(request.url):
                raise AddressNotAllowedError(refusal)
            return super()._get_agent(request, timeout)
        return _LateConnectingAgent(
            reactor=GuardedReactor(reactor, self._policy),  # type: ignore[arg-type]
            contextFactory=self._contextFactory,
            connectTimeout=timeout,
            bindAddress=normalize_bind_address(
                request.meta.get("bindaddress") or self._bindAddress
            ),
            pool=self._pool,
        )


class _LateConnectingAgent(_BindAddressAgent):
    """Prepares a connection when one has to be made: most requests go over one that is there."""

    def _getEndpoint(self, uri: URI) -> _LateEndpoint:  # noqa: N802  Twisted's name
        return _LateEndpoint(partial(super()._getEndpoint, uri))


@implementer(IStreamClientEndpoint)
class _LateEndpoint:
    def __init__(self, prepare: Callable[[], Any]):
        self._prepare = prepare

    def connect(self, protocolFactory: IProtocolFactory) -> Deferred[IProtocol]:  # noqa: N803
        connection: Deferred[IProtocol] = self._prepare().connect(protocolFactory)
        return connection


@implementer(IReactorPluggableNameResolver, IHostnameResolver)
class GuardedReactor:
    """The reactor as one request has it: what it did not look up and permit, it does not connect.

    Twisted asks a reactor for the addresses of every host, literal addresses included, and then
    to connect to one of them. Both go through here, so whatever a name stands for the next time
    it is looked up, the connection goes to an address that was judged, or nowhere.
    """

    def __init__(self, reactor: Any, policy: AddressPolicy):
        self._reactor = reactor
        self._policy = policy
        self._host = ""
        self._permitted: set[tuple[str, int]] = set()

    @property
    def nameResolver(self) -> GuardedReactor:  # noqa: N802  Twisted's name
        return self

    def resolveHostName(  # noqa: N802  Twisted's name
        self,
        resolutionReceiver: Any,  # noqa: N803
        hostName: str,  # noqa: N803
        portNumber: int = 0,  # noqa: N803
        *args: Any,
        **kwargs: Any,
    ) -> IHostResolution:
        def permitted(addresses: Sequence[str]) -> list[str]:
            found = self._policy.permitted(hostName, portNumber, addresses)
            self._host, self._permitted = hostName, {(address, portNumber) for address in found}
            # Of addresses that are all refused one is tried, for its refusal.
            return found or list(addresses[:1])

        resolution: IHostResolution = self._reactor.nameResolver.resolveHostName(
            _Sieve(resolutionReceiver, permitted), hostName, portNumber, *args, **kwargs
        )
        return resolution

    def connectTCP(  # noqa: N802  Twisted's name
        self, host: str, port: int, *args: Any, **kwargs: Any
    ) -> IConnector:
        if (host, port) not in self._permitted:
            raise AddressNotAllowedError(self._policy.refusal(self._host, port, host))
        connector: IConnector = self._reactor.connectTCP(host, port, *args, **kwargs)
        return connector

    def callLater(self, *args: Any, **kwargs: Any) -> IDelayedCall:  # noqa: N802  Twisted's name
        call: IDelayedCall = self._reactor.callLater(*args, **kwargs)
        return call

    def seconds(self) -> float:
        seconds: float = self._reactor.seconds()
        return seconds


@implementer(IResolutionReceiver)
class _Sieve:
    """Hands on those addresses of a host that a function picks from all of them."""

    def __init__(self, receiver: Any, pick: Callable[[Sequence[str]], Sequence[str]]):
        self._receiver = receiver
        self._pick = pick
        self._addresses: dict[str, IPv4Address | IPv6Address] = {}

    def resolutionBegan(self, resolutionInProgress: IHostResolution) -> None:  # noqa: N802, N803
        self._receiver.resolutionBegan(resolutionInProgress)

    def addressResolved(self, address: Any) -> None:  # noqa: N802
        self._addresses[address.host] = address

    def resolutionComplete(self) -> None:  # noqa: N802
        for host in self._pick(list(self._addresses)):
            self._receiver.addressResolved(self._addresses[host])
        self._receiver.resolutionComplete()
