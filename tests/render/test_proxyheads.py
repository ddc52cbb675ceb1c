"""The heads of requests and answers on their way through the guarded proxy."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.render.proxyheads import BadHeadError, parse_answer, parse_request
from sitecrawl.safety.policy import Endpoint


def head(first: str, *fields: str) -> bytes:
    return "\r\n".join([first, *fields, "", ""]).encode("latin-1")


def get(*fields: str, target: str = "http://shop.example/") -> bytes:
    return head(f"GET {target} HTTP/1.1", *fields)


# --- requests ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "endpoint"),
    [
        ("shop.example:443", Endpoint("shop.example", 443)),
        ("SHOP.example:8443", Endpoint("shop.example", 8443)),
        ("[::1]:80", Endpoint("::1", 80)),
        ("127.0.0.1:1", Endpoint("127.0.0.1", 1)),
        # Other ways to write an address are the same address.
        ("0x7f.1:80", Endpoint("127.0.0.1", 80)),
        ("2130706433:80", Endpoint("127.0.0.1", 80)),
    ],
)
def test_tunnels(target: str, endpoint: Endpoint) -> None:
    request = parse_request(head(f"CONNECT {target} HTTP/1.1", "Host: other.example"))
    assert request.is_tunnel
    assert request.endpoint == endpoint
    assert request.head == b""


@pytest.mark.parametrize(
    "target",
    [
        *("shop.example", "shop.example:", "shop.example:0", "shop.example:65536", ":443", "/"),
        *("https://shop.example:443", "a@shop.example:443", "shop.example:443/x", "[::1:80"),
        *("shop.example:44 3", "shop%00.example:443", "a\\b:443", "[1.2.3.4]:80"),
    ],
)
def test_targets_of_tunnels_that_are_none(target: str) -> None:
    with pytest.raises(BadHeadError):
        parse_request(head(f"CONNECT {target} HTTP/1.1"))


@pytest.mark.parametrize(
    ("target", "endpoint", "line", "host"),
    [
        ("http://a.example/", Endpoint("a.example", 80), "/", "a.example"),
        ("http://a.example", Endpoint("a.example", 80), "/", "a.example"),
        ("http://a.example:80/x?y=1", Endpoint("a.example", 80), "/x?y=1", "a.example"),
        ("http://a.example:81/%20?", Endpoint("a.example", 81), "/%20?", "a.example:81"),
        ("http://[::1]:8000/", Endpoint("::1", 8000), "/", "[::1]:8000"),
        ("http://0x7f.1/", Endpoint("127.0.0.1", 80), "/", "127.0.0.1"),
    ],
)
def test_plain_requests(target: str, endpoint: Endpoint, line: str, host: str) -> None:
    request = parse_request(get(target=target))
    assert not request.is_tunnel
    assert request.endpoint == endpoint
    assert request.head == head(f"GET {line} HTTP/1.1", f"Host: {host}", "Connection: close")


@pytest.mark.parametrize(
    "target",
    [
        *("/", "*", "a.example/", "https://a.example/", "ftp://a.example/", "http://", "http:///"),
        *("http://u:p@a.example/", "http://a.example/#", "http://a.example:99999/", "data:,x"),
    ],
)
def test_targets_that_are_not_for_a_proxy(target: str) -> None:
    with pytest.raises(BadHeadError):
        parse_request(get(target=target))


def test_what_concerns_one_connection_is_not_handed_on() -> None:
    request = parse_request(
        get(
            "Host: internal.example",
            "Proxy-Authorization: Basic secret",
            "Proxy-Connection: keep-alive",
            "Connection: keep-alive, X-Own",
            "X-Own: 1",
            "Upgrade: h2c",
            "Accept:  text/html \t",
            "Cookie: a=b",
        )
    )
    assert request.credential == "Basic secret"
    assert request.head == head(
        "GET / HTTP/1.1",
        "Host: shop.example",
        "Accept: text/html",
        "Cookie: a=b",
        "Connection: close",
    )


def test_the_length_of_a_body_is_kept_whatever_the_connection_names() -> None:
    request = parse_request(get("Content-Length: 5", "Connection: content-length"))
    assert request.body_bytes == 5
    assert b"Content-Length: 5\r\n" in request.head


@pytest.mark.parametrize(
    "fields",
    [
        ["Transfer-Encoding: chunked"],
        ["Content-Length: 5", "Transfer-Encoding: chunked"],
        ["Content-Length: 5", "Content-Length: 6"],
        ["Content-Length: 5", "Content-Length: 5"],
        ["Content-Length: +5"],
        ["Content-Length: 5, 5"],
        ["Content-Length: -1"],
        ["Content-Length:"],
        ["Content-Length : 5"],
        [" folded"],
        ["no field"],
        [": empty"],
        ["A: b\nContent-Length: 5"],
        ["A: b\rC: d"],
        ["A: \0"],
        [""],
    ],
)
def test_fields_that_could_be_read_in_two_ways(fields: list[str]) -> None:
    with pytest.raises(BadHeadError):
        parse_request(get(*fields, "A: b"))


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"\r\n\r\n",
        b"GET http://a.example/ HTTP/1.1\n\n",
        b"GET http://a.example/ HTTP/1.1\r\nA: b\n\r\n",
        b"GET http://a.example/\r\n\r\n",
        b"GET  http://a.example/ HTTP/1.1\r\n\r\n",
        b"GET http://a.example/ x HTTP/1.1\r\n\r\n",
        b"GET http://a.example/ HTTP/2.0\r\n\r\n",
        b" GET http://a.example/ HTTP/1.1\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n",
    ],
)
def test_heads_that_are_none(text: bytes) -> None:
    with pytest.raises(BadHeadError):
        parse_request(text)


# --- answers ----------------------------------------------------------------------------------


def test_an_answer_closes_the_connection_whatever_the_server_says() -> None:
    answer = parse_answer(
        head(
            "HTTP/1.1 200 OK",
            "Connection: keep-alive",
            "KEEP-ALIVE: timeout=5",
            "Proxy-Authenticate: Basic",
            "Set-Cookie: a=b",
            "Set-Cookie: c=d",
        )
    )
    assert answer.is_final
    assert answer.head == head(
        "HTTP/1.1 200 OK", "Set-Cookie: a=b", "Set-Cookie: c=d", "Connection: close"
    )


def test_lines_may_end_as_old_servers_end_them() -> None:
    assert parse_answer(b"HTTP/1.0 200 OK\nA: b\n\n").head == head(
        "HTTP/1.0 200 OK", "A: b", "Connection: close"
    )


@pytest.mark.parametrize(("status", "is_final"), [(100, False), (103, False), (200, True)])
def test_hints_are_not_the_answer(status: int, is_final: bool) -> None:
    assert parse_answer(head(f"HTTP/1.1 {status}")).is_final is is_final


@pytest.mark.parametrize(
    "text", [b"", b"<html>", b"HTTP/2 200\r\n\r\n", head("HTTP/1.1 407 Who are you")]
)
def test_answers_that_are_none(text: bytes) -> None:
    with pytest.raises(BadHeadError):
        parse_answer(text)


# --- anything at all --------------------------------------------------------------------------

_PIECES = st.sampled_from(
    [
        *(b"GET ", b"CONNECT ", b"http://", b"a.example", b":80", b" HTTP/1.1", b"\r\n", b"\n"),
        *(b"Host: a", b"Content-Length: 1", b"[", b"]", b"::1", b"@", b"/", b"\0", b"\xff", b" "),
    ]
)


@given(st.one_of(st.binary(max_size=200), st.lists(_PIECES, max_size=20).map(b"".join)))
def test_any_bytes_are_a_request_or_an_error(text: bytes) -> None:
    try:
        request = parse_request(text)
    except BadHeadError:
        return
    sent = request.head
    assert request.is_tunnel != bool(sent)
    # What is sent has one end, and no line that another would read in another way.
    assert sent.count(b"\r\n\r\n") == (not request.is_tunnel)
    assert b"\n" not in sent.replace(b"\r\n", b"")


@given(st.binary(max_size=200))
def test_any_bytes_are_an_answer_or_an_error(text: bytes) -> None:
    with contextlib.suppress(BadHeadError):
        assert parse_answer(text).head.endswith(b"Connection: close\r\n\r\n")
