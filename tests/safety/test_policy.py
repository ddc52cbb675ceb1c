"""What a scan may connect to."""

from __future__ import annotations

from ipaddress import ip_network

import pytest

from sitecrawl.safety.policy import AddressPolicy, Endpoint, endpoint_of, parse_allowance

PUBLIC, OTHER_PUBLIC = "93.184.216.34", "2606:2800:220:1::1"
PRIVATE, LOOPBACK, METADATA = "10.0.0.5", "127.0.0.1", "169.254.169.254"


def policy(*named: str, allow: tuple[str, ...] = ()) -> AddressPolicy:
    return AddressPolicy(map(endpoint_of, named), allow)


def test_a_public_address_is_open_to_all() -> None:
    assert policy().permitted("a.example", 443, [PUBLIC, OTHER_PUBLIC]) == [PUBLIC, OTHER_PUBLIC]


@pytest.mark.parametrize("address", [PRIVATE, LOOPBACK, METADATA, "::1", "::ffff:10.0.0.5"])
def test_others_are_closed_to_names_and_to_literals(address: str) -> None:
    assert policy().permitted("a.example", 80, [address]) == []
    assert policy().permitted(address, 80, [address]) == []


def test_of_a_mixed_answer_the_public_part_is_used() -> None:
    answer = [PRIVATE, PUBLIC, METADATA, OTHER_PUBLIC]
    expected = [PUBLIC, OTHER_PUBLIC]
    assert policy().permitted("a.example", 443, answer) == expected
    assert policy("https://a.example").permitted("a.example", 443, answer) == expected


class TestTheNamedSite:
    @pytest.mark.parametrize(
        ("named", "host", "port", "address"),
        [
            ("http://127.0.0.1:8000", "127.0.0.1", 8000, LOOPBACK),
            ("http://[::1]:8000/a", "::1", 8000, "::1"),
            ("http://[::1]:8000/a", "0:0:0:0:0:0:0:1", 8000, "::1"),
            ("http://localhost:8000", "localhost", 8000, LOOPBACK),
            ("http://localhost:8000", "LOCALHOST", 8000, "::1"),
            ("http://10.0.0.5", "10.0.0.5", 80, PRIVATE),
            ("https://10.0.0.5", "10.0.0.5", 443, PRIVATE),
            ("http://intranet/", "intranet", 80, "192.168.3.4"),
            ("https://box.tailnet.example/", "box.tailnet.example", 443, "100.101.102.103"),
            # What nobody but a person who means it would write.
            ("http://169.254.169.254", "169.254.169.254", 80, METADATA),
        ],
    )
    def test_it_may_be_anywhere(self, named: str, host: str, port: int, address: str) -> None:
        assert policy(named).permitted(host, port, [address]) == [address]

    @pytest.mark.parametrize(
        ("named", "host", "port", "address"),
        [
            ("http://127.0.0.1:8000", "127.0.0.1", 8001, LOOPBACK),
            ("http://127.0.0.1:8000", "127.0.0.2", 8000, "127.0.0.2"),
            ("http://127.0.0.1:8000", "localhost", 8000, LOOPBACK),
            ("http://127.0.0.1:8000", "evil.example", 8000, LOOPBACK),
            ("http://localhost:8000", "127.0.0.1", 8000, LOOPBACK),
            ("http://localhost:8000", "localhost.", 8000, LOOPBACK),
            ("http://localhost:8000", "sub.localhost", 8000, LOOPBACK),
            ("http://intranet", "www.intranet", 80, PRIVATE),
            ("http://intranet", "intranet", 443, PRIVATE),
            # A literal address stands for itself, whatever a resolver says.
            ("http://127.0.0.1:8000", "127.0.0.1", 8000, PRIVATE),
            # A name never stands for what no site is on.
            ("http://evil.example", "evil.example", 80, METADATA),
            ("http://evil.example", "evil.example", 80, "fd00:ec2::254"),
            ("http://evil.example", "evil.example", 80, "0.0.0.0"),
            ("http://evil.example", "evil.example", 80, "224.0.0.1"),
        ],
    )
    def test_nothing_beside_it_is_open(
        self, named: str, host: str, port: int, address: str
    ) -> None:
        assert policy(named).permitted(host, port, [address]) == []

    def test_a_public_site_cannot_turn_into_a_private_one(self) -> None:
        rules = policy("https://a.example")
        assert rules.permitted("a.example", 443, [PUBLIC]) == [PUBLIC]
        assert rules.permitted("a.example", 443, [PRIVATE]) == []
        assert rules.permitted("a.example", 443, [LOOPBACK, PUBLIC]) == [PUBLIC]

    def test_nor_by_its_other_port(self) -> None:
        rules = policy("https://a.example", "http://a.example")
        assert rules.permitted("a.example", 443, [PUBLIC]) == [PUBLIC]
        assert rules.permitted("a.example", 80, [PRIVATE]) == []

    def test_a_look_up_that_fails_decides_nothing(self) -> None:
        rules = policy("http://intranet")
        assert rules.permitted("intranet", 80, []) == []
        assert rules.permitted("intranet", 80, [PRIVATE]) == [PRIVATE]

    def test_a_private_site_is_found_beside_its_link_local_address(self) -> None:
        answer = ["fe80::1", "192.168.1.9", "fd12::9"]
        assert policy("http://box.local").permitted("box.local", 80, answer) == answer[1:]


class TestAllowances:
    @pytest.mark.parametrize(
        ("allow", "host", "port", "address"),
        [
            (PRIVATE, "a.example", 80, PRIVATE),
            (PRIVATE, PRIVATE, 8080, PRIVATE),
            ("10.0.0.0/8", "a.example", 80, PRIVATE),
            ("10.0.0.5:8080", "a.example", 8080, PRIVATE),
            ("::1", "::1", 80, "::1"),
            ("[::1]:8000", "::1", 8000, "::1"),
            ("fd00::/8", "a.example", 80, "fd12::1"),
            ("10.0.0.5", "::ffff:10.0.0.5", 80, "::ffff:10.0.0.5"),
            ("intranet.example", "intranet.example", 80, PRIVATE),
            ("Intranet.Example:8080", "intranet.example", 8080, PRIVATE),
            ("bücher.example", "xn--bcher-kva.example", 80, PRIVATE),
            ("0x7f.1", "127.0.0.1", 80, LOOPBACK),
            ("169.254.169.254", METADATA, 80, METADATA),
            ("64:ff9b::/96", "a.example", 443, "64:ff9b::5db8:d822"),
        ],
    )
    def test_what_is_allowed_is_open_to_all(
        self, allow: str, host: str, port: int, address: str
    ) -> None:
        assert policy().permitted(host, port, [address]) == []
        assert policy(allow=("192.0.2.9", allow)).permitted(host, port, [address]) == [address]

    @pytest.mark.parametrize(
        ("allow", "host", "port", "address"),
        [
            (PRIVATE, "a.example", 80, "10.0.0.6"),
            ("10.0.0.5:8080", "a.example", 80, PRIVATE),
            ("intranet.example:8080", "intranet.example", 80, PRIVATE),
            ("intranet.example", "www.intranet.example", 80, PRIVATE),
            ("intranet.example", PRIVATE, 80, PRIVATE),
            # NAT64 is for networks without IPv4, and no way around the guard.
            ("64:ff9b::/96", "a.example", 443, "64:ff9b::a00:5"),
            ("64:ff9b::/96", "a.example", 443, "64:ff9b::a9fe:a9fe"),
        ],
    )
    def test_nothing_beside_it_is(self, allow: str, host: str, port: int, address: str) -> None:
        assert policy(allow=(allow,)).permitted(host, port, [address]) == []

    @pytest.mark.parametrize(
        "text",
        [
            "http://10.0.0.5",
            "10.0.0.5/8",
            "10.0.0.0/33",
            "intranet/8",
            "*.example",
            "user@intranet.example",
            "intranet.example:0",
            "intranet.example:99999",
            "intranet.example:http",
            "intranet.example:",
            "a b",
            "[::1",
            "::1]:80",
            "[not an address]",
            "a%2eb",
            "256.1.1.1",
        ],
    )
    def test_what_cannot_be_read_is_named_with_what_would_be_right(self, text: str) -> None:
        with pytest.raises(ValueError, match="expected an address") as caught:
            parse_allowance(text)
        assert repr(text) in str(caught.value)

    def test_an_address_with_a_port_is_an_address(self) -> None:
        assert parse_allowance("10.0.0.5:80").network == ip_network("10.0.0.5/32")


class TestRefusals:
    def test_they_name_the_host_its_address_why_and_what_would_allow_it(self) -> None:
        assert policy().refusal("intranet.example", 8080, PRIVATE) == (
            "intranet.example is 10.0.0.5, which is a private address; "
            "not allowed without SITECRAWL_ADDRESS_ALLOW=intranet.example:8080"
        )
        assert policy().refusal("::1", 80, "::1") == (
            "::1 is a loopback address; not allowed without SITECRAWL_ADDRESS_ALLOW=[::1]:80"
        )

    @pytest.mark.parametrize(("host", "port"), [("intranet.example", 8080), ("::1", 80)])
    def test_what_they_say_works(self, host: str, port: int) -> None:
        address = "::1" if ":" in host else PRIVATE
        _, _, setting = policy().refusal(host, port, address).rpartition("=")
        assert policy(allow=(setting,)).permitted(host, port, [address]) == [address]

    @pytest.mark.parametrize(
        "url",
        [
            "http://127.0.0.1/",
            "https://169.254.169.254/latest",
            "http://0x7f.1/",
            "http://2130706433/",
            "http://[::ffff:127.0.0.1]/",
            "http://127.0.0.1./",
            "http://localhost/",
            "http://LOCALHOST./",
            "http://a.localhost/",
        ],
    )
    def test_some_need_no_look_up(self, url: str) -> None:
        assert "not allowed" in policy().refusal_without_lookup(url)
        host, port = endpoint_of(url)
        shown = f"[{host}]" if ":" in host else host
        assert not policy(allow=(f"{shown}:{port}",)).refusal_without_lookup(url)
        assert not policy(url).refusal_without_lookup(url)

    @pytest.mark.parametrize(
        "url", ["http://a.example/", "http://93.184.216.34/", "http://localhosts/"]
    )
    def test_others_do(self, url: str) -> None:
        assert not policy().refusal_without_lookup(url)


def test_an_endpoint_has_the_port_of_its_scheme() -> None:
    assert endpoint_of("http://A.example/b") == Endpoint("a.example", 80)
    assert endpoint_of("https://a.example:8443/") == Endpoint("a.example", 8443)
