"""Which addresses are public; the others are named in words."""

from __future__ import annotations

import json
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.safety.addresses import (
    Address,
    parse_address,
    special_range,
    translated_address,
)

CASES: list[dict[str, Any]] = [
    json.loads(line)
    for line in (Path(__file__).parent / "data" / "address_cases.jsonl").read_text().splitlines()
]

# network -> a word of what it is called
SPECIAL = {
    "0.0.0.0/8": "this host",
    "10.0.0.0/8": "private",
    "100.64.0.0/10": "shared",
    "127.0.0.0/8": "loopback",
    "169.254.0.0/16": "link-local",
    "172.16.0.0/12": "private",
    "192.0.0.0/24": "protocols",
    "192.0.2.0/24": "documentation",
    "192.88.99.0/24": "6to4",
    "192.168.0.0/16": "private",
    "198.18.0.0/15": "benchmarks",
    "198.51.100.0/24": "documentation",
    "203.0.113.0/24": "documentation",
    "224.0.0.0/4": "multicast",
    "240.0.0.0/5": "reserved",
    "255.255.255.255/32": "broadcast",
    "::/128": "this host",
    "::1/128": "loopback",
    "::7f00:0/104": "IPv4-compatible",
    "::ffff:0:0:0/96": "IPv4-translated",
    "64:ff9b::/96": "NAT64",
    "64:ff9b:1::/48": "NAT64",
    "100::/64": "discard",
    "100:0:0:1::/64": "unallocated",
    "2001::/32": "Teredo",
    "2001:2::/48": "protocols",
    "2001:10::/28": "protocols",
    "2001:20::/28": "protocols",
    "2001:db8::/32": "documentation",
    "2002::/16": "6to4",
    "3fff::/20": "documentation",
    "4000::/3": "unallocated",
    "5f00::/16": "unallocated",
    "fc00::/8": "private",
    "fd12:3456::/32": "private",
    "fe80::/10": "link-local",
    "fec0::/10": "site-local",
    "ff00::/8": "multicast",
}
# Where clouds keep the keys of their machines, each in a range that is otherwise something else.
CLOUDS = [
    "169.254.169.254",
    "100.100.100.200",
    "168.63.129.16",
    "192.0.0.192",
    "fd00:ec2::254",
    "fd20:ce::254",
    "fe80::a9fe:a9fe",
]
# The neighbours of the ranges above, and names that look special and are not.
PUBLIC = [
    "1.1.1.1",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0",
    "169.253.255.255",
    "169.255.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "192.0.1.0",
    "192.0.3.0",
    "192.88.98.255",
    "192.167.255.255",
    "192.169.0.0",
    "198.17.255.255",
    "198.20.0.0",
    "203.0.112.255",
    "203.0.114.0",
    "223.255.255.255",
    "2000::",
    "2001:200::",
    "2001:db7:ffff::",
    "2001:db9::",
    "2003::",
    "2606:4700:4700::1111",
    "3ffe:ffff::",
    "3fff:1000::",
    "::ffff:8.8.8.8",
]


def is_public(text: str) -> bool:
    """What is no address is not public."""
    try:
        return special_range(parse_address(text)) is None
    except ValueError:
        return False


@pytest.mark.parametrize("case", CASES, ids=[case["ip"] for case in CASES])
def test_the_cases(case: dict[str, Any]) -> None:
    assert is_public(case["ip"]) is case["allowed"], case["why"]


@pytest.mark.parametrize(("network", "word"), SPECIAL.items())
def test_a_special_range_is_refused_from_its_first_address_to_its_last(
    network: str, word: str
) -> None:
    whole = ip_network(network)
    for address in (whole[0], whole[-1]):
        special = special_range(address)
        assert special is not None, address
        assert word in special.words


@pytest.mark.parametrize("address", CLOUDS)
def test_a_cloud_s_own_services_are_nobody_s_site(address: str) -> None:
    special = special_range(parse_address(address))
    assert special is not None
    assert not special.holds_sites


@pytest.mark.parametrize("address", PUBLIC)
def test_what_is_beside_a_special_range_is_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "text",
    ["", "localhost", "127.0.0.1.", "0x7f.1", "2130706433", "127.1", "010.0.0.1", "1.1.1.1/32"],
)
def test_what_is_not_an_address_is_not_public(text: str) -> None:
    assert not is_public(text)


@pytest.mark.parametrize("text", ["fe80::1%eth0", "::1%1", "::ffff:127.0.0.1%1"])
def test_a_zone_changes_nothing(text: str) -> None:
    assert not is_public(text)


_addresses = st.ip_addresses() | st.sampled_from(
    [ip_network(network)[0] for network in SPECIAL] + [ip_network(net)[-1] for net in SPECIAL]
)


@given(address=_addresses)
def test_nothing_is_public_that_the_standard_library_takes_for_special(address: Address) -> None:
    is_special = address.is_private or address.is_loopback or address.is_link_local
    is_special |= address.is_multicast or address.is_reserved or address.is_unspecified
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    if is_public(str(address)) and mapped is None:
        assert not is_special


@given(address=st.ip_addresses(v=4))
def test_a_mapped_address_is_what_it_maps_and_other_wrappings_are_never_public(
    address: IPv4Address,
) -> None:
    number = int(address)
    assert is_public(str(IPv6Address(0xFFFF << 32 | number))) is is_public(str(address))
    nat64 = IPv6Address(0x64FF9B << 96 | number)
    wrapped = [nat64, IPv6Address(number), IPv6Address(0x2002 << 112 | number << 80)]
    assert not any(is_public(str(each)) for each in wrapped)
    assert translated_address(nat64) == address


def test_only_nat64_is_translated() -> None:
    assert translated_address(ip_address("2606:4700::1")) is None
    assert translated_address(ip_address("127.0.0.1")) is None
