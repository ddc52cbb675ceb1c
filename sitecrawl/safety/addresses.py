"""Tells public addresses from those that a stranger's link must not lead to.

* The table is IANA's registries of special-purpose addresses, and what clouds use beside them.
  The standard library's ``is_global`` is not enough: its answers changed between patch releases,
  and it takes multicast, 6to4 and NAT64 addresses for public.
* IPv6 is judged the other way round: outside of ``2000::/3`` nothing has been given out.
* An address that wraps an IPv4 one (``::ffff:10.0.0.1``) is judged as that. Other translations
  (NAT64, 6to4, Teredo) are refused as a whole: where they lead, the network decides.
"""

from __future__ import annotations

from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from typing import NamedTuple

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network


class SpecialRange(NamedTuple):
    """Addresses that are not public, and a name for them."""

    words: str
    holds_sites: bool
    """Whether people run sites of their own there: their machine, their office, their VPN."""


def _ranges(table: dict[str, str], *, holds_sites: bool) -> list[tuple[Network, SpecialRange]]:
    return [(ip_network(net), SpecialRange(words, holds_sites)) for net, words in table.items()]


# The first match counts.
_RANGES = [
    *_ranges(
        {
            "100.100.100.200": "a metadata service of a cloud",
            "168.63.129.16": "a platform service of a cloud",
            "fd00:ec2::/32": "a metadata service of a cloud",
            "fd20:ce::254": "a metadata service of a cloud",
        },
        holds_sites=False,
    ),
    *_ranges(
        {
            "127.0.0.0/8": "a loopback address",
            "10.0.0.0/8": "a private address",
            "172.16.0.0/12": "a private address",
            "192.168.0.0/16": "a private address",
            "100.64.0.0/10": "a carrier's or VPN's shared address",
            "::1": "a loopback address",
            "fc00::/7": "a private (unique local) address",
        },
        holds_sites=True,
    ),
    *_ranges(
        {
            "0.0.0.0/8": "an address of this host or network",
            "169.254.0.0/16": "a link-local address, where clouds have their metadata service",
            "192.0.0.0/24": "an address for protocols",
            "192.0.2.0/24": "an address for documentation",
            "192.88.99.0/24": "a 6to4 relay",
            "198.18.0.0/15": "an address for benchmarks",
            "198.51.100.0/24": "an address for documentation",
            "203.0.113.0/24": "an address for documentation",
            "224.0.0.0/4": "a multicast address",
            "255.255.255.255": "the broadcast address",
            "240.0.0.0/4": "a reserved address",
            "::": "an address of this host",
            "::/96": "an IPv4-compatible address",
            "::ffff:0:0:0/96": "an IPv4-translated address",
            "64:ff9b::/96": "a NAT64 address",
            "64:ff9b:1::/48": "a NAT64 address",
            "100::/64": "a discard-only address",
            "2001::/32": "a Teredo address",
            "2001::/23": "an address for protocols",
            "2001:db8::/32": "an address for documentation",
            "2002::/16": "a 6to4 address",
            "3fff::/20": "an address for documentation",
            "fe80::/10": "a link-local address",
            "fec0::/10": "a site-local address",
            "ff00::/8": "a multicast address",
        },
        holds_sites=False,
    ),
]
_GIVEN_OUT = IPv6Network("2000::/3")
_NOT_GIVEN_OUT = SpecialRange("an unallocated address", holds_sites=False)
_NAT64 = IPv6Network("64:ff9b::/96")


def parse_address(text: str) -> Address:
    """ValueError if *text* is no address; an IPv4-mapped address is returned as IPv4.

    >>> parse_address("::ffff:127.0.0.1"), parse_address("fe80::1%eth0")
    (IPv4Address('127.0.0.1'), IPv6Address('fe80::1%eth0'))
    """
    address = ip_address(text)
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


def special_range(address: Address) -> SpecialRange | None:
    """The range that *address* is in, or None: it is public.

    >>> special_range(parse_address("169.254.169.254")).words
    'a link-local address, where clouds have their metadata service'
    >>> special_range(parse_address("2606:4700::1")) is None
    True
    """
    for network, special in _RANGES:
        if address in network:
            return special
    if isinstance(address, IPv6Address) and address not in _GIVEN_OUT:
        return _NOT_GIVEN_OUT
    return None


def translated_address(address: Address) -> IPv4Address | None:
    """The IPv4 address that a NAT64 address leads to, or None.

    >>> translated_address(parse_address("64:ff9b::a00:1"))
    IPv4Address('10.0.0.1')
    """
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return None
