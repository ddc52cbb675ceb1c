"""A connector of aiohttp that connects only to addresses which a policy permits."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import aiohttp

from sitecrawl.safety.policy import endpoint_of
from sitecrawl.safety.resolver import GuardedResolver

if TYPE_CHECKING:
    from aiohttp.connector import AddrInfoType

    from sitecrawl.safety.policy import AddressPolicy


class AddressRefusedError(Exception):
    """The guard refuses the address of a server; the message says why."""


def guarded_connector(
    url: str, policy: AddressPolicy, *, verify_certificates: bool = True
) -> aiohttp.TCPConnector:
    """For one request to *url*; raises ``AddressRefusedError`` while it connects."""
    host, port = endpoint_of(url)

    def permitted(name: str, to_port: int, addresses: list[str]) -> list[str]:
        found = policy.permitted(name, to_port, addresses)
        if addresses and not found:
            raise AddressRefusedError(policy.refusal(name, to_port, addresses[0]))
        return found

    def guarded_socket(info: AddrInfoType) -> socket.socket:
        # The last check, and the only one for a host that is an address.
        family, kind, protocol, _, address = info
        permitted(host, port, [str(address[0])])
        return socket.socket(family=family, type=kind, proto=protocol)

    return aiohttp.TCPConnector(
        resolver=GuardedResolver(aiohttp.DefaultResolver(), permitted),
        socket_factory=guarded_socket,
        use_dns_cache=False,
        force_close=True,
        ssl=verify_certificates,
    )
