"""What a scan may connect to: public addresses, the site that was named, and what is allowed."""

from __future__ import annotations

import re
from ipaddress import ip_network
from typing import TYPE_CHECKING, NamedTuple

from ada_url import URL

from sitecrawl.safety.addresses import (
    Address,
    Network,
    parse_address,
    special_range,
    translated_address,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_HOST_AND_PORT = re.compile(r"(\[[^\]]+\]|[^:/?#@\[\]\\%\s*]+)(?::([0-9]{1,5}))?")
_MAX_PORT = 65535
# Reserved for private networks (RFC 6762, RFC 8375, ICANN), or never given out in the public DNS.
_PRIVATE_SUFFIXES = (
    *(".internal", ".local", ".localdomain", ".lan", ".home", ".corp", ".intranet", ".private"),
    ".home.arpa",
)
_EXPECTED = (
    "expected an address (10.0.0.5), a network (10.0.0.0/8) or a host (intranet.example), "
    "an address and a host also with a port (intranet.example:8080)"
)


class Endpoint(NamedTuple):
    """What a URL names: a host, as it is written there, and a port."""

    host: str
    port: int


class Allowance(NamedTuple):
    """One word of ``SITECRAWL_ADDRESS_ALLOW``: a network or the name of a host."""

    network: Network | None
    host: str
    port: int | None

    def covers(self, endpoint: Endpoint, address: Address) -> bool:
        if self.port not in {None, endpoint.port}:
            return False
        return address in self.network if self.network else endpoint.host == self.host


def parse_allowance(text: str) -> Allowance:
    """ValueError says what is wrong and what would be right.

    >>> parse_allowance("[::1]:8000")
    Allowance(network=IPv6Network('::1/128'), host='', port=8000)
    >>> parse_allowance("Intranet.example")
    Allowance(network=None, host='intranet.example', port=None)
    """
    try:
        return Allowance(ip_network(text), "", None)
    except ValueError as error:
        if "/" in text:
            raise ValueError(f"{text!r}: {error}; {_EXPECTED}") from error
    match = _HOST_AND_PORT.fullmatch(text)
    port = int(match[2]) if match and match[2] else None
    if match is None or (port is not None and not 0 < port <= _MAX_PORT):
        raise ValueError(f"{text!r}: {_EXPECTED}")
    try:
        host = _plain(URL(f"http://{match[1]}/").hostname)
    except ValueError as error:
        raise ValueError(f"{text!r}: {_EXPECTED}") from error
    try:
        return Allowance(ip_network(parse_address(host)), "", port)
    except ValueError:
        return Allowance(None, host, port)


def endpoint_of(url: str) -> Endpoint:
    """
    >>> endpoint_of("https://[::1]/docs"), endpoint_of("http://localhost:8000/")
    (Endpoint(host='::1', port=443), Endpoint(host='localhost', port=8000))
    """
    parsed = URL(url)
    default = 443 if parsed.protocol == "https:" else 80
    return Endpoint(_plain(parsed.hostname), int(parsed.port) if parsed.port else default)


def is_private_by_name(url: str) -> bool:
    """Whether the host is not public by its name or address alone, without a look-up.

    >>> [is_private_by_name(f"http://{host}/") for host in ("[::1]:80", "wiki.lan", "example.com")]
    [True, True, False]
    """
    return bool(AddressPolicy().refusal_of_site(url))


class AddressPolicy:
    """Decides on every connection of one scan.

    * Public addresses are open to all.
    * A site that the user named may be elsewhere: an address, at the port that was named; a name,
      at the port that was named, if it stands for this machine or a private network.
    * What a name stands for is decided by its first answer, and holds for the whole scan: a
      public site that is looked up again cannot turn into a private one.
    * ``allow`` opens what it lists, to all.
    """

    def __init__(self, named: Iterable[Endpoint] = (), allow: Iterable[str] = ()):
        self._named = frozenset(named)
        self._allowed = [parse_allowance(text) for text in allow]
        self._is_private_site: dict[str, bool] = {}

    def permitted(self, host: str, port: int, addresses: Sequence[str]) -> list[str]:
        """Those of the addresses of a host that may be connected to, at this port."""
        endpoint = Endpoint(_plain(host), port)
        parsed = {text: parse_address(text) for text in addresses if _is_address(text)}
        if endpoint in self._named and parsed:
            has_public = any(special_range(address) is None for address in parsed.values())
            self._is_private_site.setdefault(endpoint.host, not has_public)
        return [text for text, address in parsed.items() if self._permits(endpoint, address)]

    def refusal(self, host: str, port: int, address: str) -> str:
        """Why a connection is refused, for a person, with what would allow it."""
        special = special_range(parse_address(address)) if _is_address(address) else None
        words = special.words if special else "an address that was not looked up"
        subject = host if _plain(host) == _plain(address) else f"{host} is {address}, which"
        shown = f"[{host}]" if ":" in host else host
        return f"{subject} is {words}; not allowed without SITECRAWL_ADDRESS_ALLOW={shown}:{port}"

    def refusal_without_lookup(self, url: str) -> str:
        """The refusal of a host that is an address or this machine by its name, or nothing."""
        host, port = endpoint_of(url)
        is_this_machine = f".{host.rstrip('.')}".endswith(".localhost")
        address = "127.0.0.1" if is_this_machine else host
        if not _is_address(address) or self.permitted(host, port, [address]):
            return ""
        return self.refusal(host, port, address)

    def refusal_of_site(self, url: str) -> str:
        """Why a site may not be added by its name alone, or nothing.

        A public name may still lead to a private address: that is decided when it is scanned.
        """
        host, port = endpoint_of(url)
        name = host.rstrip(".")
        is_private_name = ("." not in name and ":" not in name) or name.endswith(_PRIVATE_SUFFIXES)
        if not is_private_name or name.endswith("localhost"):
            return self.refusal_without_lookup(url)
        # Where the name leads is not known here: an allowed network may hold it.
        for each in self._allowed:
            is_network = each.network is not None and each.network.num_addresses > 1
            if each.port in {None, port} and (is_network or each.host == host):
                return ""
        return (
            f"{host} is a name of a private network;"
            f" not allowed without SITECRAWL_ADDRESS_ALLOW={host}:{port}"
        )

    def _permits(self, endpoint: Endpoint, address: Address) -> bool:
        if special_range(address) is None or self._permits_named(endpoint, address):
            return True
        if not any(each.covers(endpoint, address) for each in self._allowed):
            return False
        # An allowed NAT64 network is no way to private addresses behind it.
        target = translated_address(address)
        return target is None or self._permits(endpoint, target)

    def _permits_named(self, endpoint: Endpoint, address: Address) -> bool:
        if endpoint not in self._named:
            return False
        if _is_address(endpoint.host):
            return parse_address(endpoint.host) == address
        special = special_range(address)
        is_private_site = self._is_private_site.get(endpoint.host, False)
        return is_private_site and special is not None and special.holds_sites


def _is_address(host: str) -> bool:
    try:
        parse_address(host)
    except ValueError:
        return False
    return True


def _plain(host: str) -> str:
    """The same for every way to write a host, but not for its other names (``localhost.``)."""
    host = host.lower().removeprefix("[").removesuffix("]")
    return str(parse_address(host)) if _is_address(host) else host
