"""Host names that stand for what a test says, as if some name server answered it."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from scrapy.resolver import HostResolution
from twisted.internet.address import IPv4Address
from twisted.internet.interfaces import IHostnameResolver
from zope.interface import implementer  # type: ignore[import-untyped]

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Self

    from scrapy.crawler import Crawler

SILENT: Sequence[Sequence[str]] = ()


def names(table: Mapping[str, Sequence[Sequence[str]]]) -> dict[str, str]:
    """Settings under which a crawl finds these names.

    Successive look-ups of a name get its answers one after another, the last one for ever; each
    answer is a list of addresses. A name that is ``SILENT`` is never answered.
    """
    return {
        "TWISTED_DNS_RESOLVER": "tests.site.names.TableResolver",
        "TEST_NAMES": json.dumps(table),
    }


@implementer(IHostnameResolver)
class TableResolver:
    def __init__(self, reactor: Any, table: Mapping[str, Sequence[Sequence[str]]]):
        self._reactor = reactor
        self._others = reactor.nameResolver
        self._table = table
        self._asked: Counter[str] = Counter()

    @classmethod
    def from_crawler(cls, crawler: Crawler, reactor: Any) -> Self:
        return cls(reactor, json.loads(crawler.settings["TEST_NAMES"]))

    def install_on_reactor(self) -> None:
        self._reactor.installNameResolver(self)

    def resolveHostName(  # noqa: N802  Twisted's name
        self,
        receiver: Any,
        name: str,
        portNumber: int = 0,  # noqa: N803
        *args: Any,
        **kwargs: Any,
    ) -> Any:
        if name not in self._table:
            return self._others.resolveHostName(receiver, name, portNumber, *args, **kwargs)
        receiver.resolutionBegan(HostResolution(name))
        if answers := self._table[name]:
            answer = answers[min(self._asked[name], len(answers) - 1)]
            self._asked[name] += 1
            for address in answer:
                receiver.addressResolved(IPv4Address("TCP", address, portNumber))
            receiver.resolutionComplete()
        return None
