from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitecrawl.urls.canonical import canonicalize
from sitecrawl.urls.target import Target, TargetError, parse_target
from tests.urls.nasty import nasty_urls


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("Example.COM/", "https://example.com/"),
        ("  www.example.com\n", "https://www.example.com/"),
        ("example.com/docs/", "https://example.com/docs/"),
        ("example.com/a?b=1#c", "https://example.com/a?b=1"),
        ("example.com.", "https://example.com/"),
        ("example.com:8443", "https://example.com:8443/"),
        ("//example.com", "https://example.com/"),
        ("localhost", "https://localhost/"),
        ("LOCALHOST:8000", "https://localhost:8000/"),
        ("127.0.0.1:8000", "https://127.0.0.1:8000/"),
        ("[::1]:8080", "https://[::1]:8080/"),
        ("bücher.example", "https://xn--bcher-kva.example/"),
        ("例え。テスト", "https://xn--r8jz45g.xn--zckzah/"),
        ("example.com/http://x", "https://example.com/http://x"),
    ],
)
def test_without_a_scheme_https_is_meant(text: str, url: str) -> None:
    target = parse_target(text)
    assert target.url == url
    assert target.is_bare


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("https://example.com", "https://example.com/"),
        ("HTTP://Example.com/A", "http://example.com/A"),
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000/"),
        ("http://127.1/", "http://127.0.0.1/"),
        ("http://intranet/wiki", "http://intranet/wiki"),
        ("http://a_b.example", "http://a_b.example/"),
    ],
)
def test_scheme_is_taken_as_given(text: str, url: str) -> None:
    target = parse_target(text)
    assert target.url == url
    assert not target.is_bare


def test_parts() -> None:
    assert parse_target("http://WWW.example.com:8080/docs/?a=1") == Target(
        url="http://www.example.com:8080/docs/?a=1",
        origin="http://www.example.com:8080",
        host="www.example.com",
        is_bare=False,
        site_key="example.com:8080/docs",
    )
    assert parse_target("[::1]:8080").host == "[::1]"


def test_site_key_is_the_same_however_the_site_is_written() -> None:
    texts = [
        "example.com",
        "www.example.com/",
        "HTTPS://example.com",
        "http://www.example.com:80/?a",
    ]
    assert {parse_target(text).site_key for text in texts} == {"example.com"}
    assert parse_target("example.com/docs").site_key != parse_target("example.com").site_key


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("", "is empty"),
        (" \t ", "is empty"),
        ("not a domain", "contains a space"),
        ("exa mple.com", "contains a space"),
        ("exam\\ple.com", "a backslash"),
        ("exam\x00ple.com", "a control character"),
        ("example", "did you mean example.com?"),
        ("example:8000", "did you mean example.com?"),
        ("1234", "has no dot"),
        ("0x7f000001", "has no dot"),
        ("1.5", "write 1.0.0.5 if"),
        ("256.1.1.1", "not a valid name or address"),
        ("ftp://x", "ftp:// cannot be scanned; only http:// and https://"),
        ("file:///etc/passwd", "file:// cannot be scanned"),
        ("http:example.com", "has no // after its scheme"),
        ("https:/example.com", "has no // after its scheme"),
        ("http://", "has no host"),
        ("https:///", "has no host"),
        (":8000", "has no host"),
        ("/docs", "has no host"),
        ("foo@bar.com", "user name or is an e-mail address"),
        ("mailto:foo@bar.com", "user name or is an e-mail address"),
        ("..", "'' cannot be a part of a host name"),
        ("example..com", "'' cannot be a part"),
        ("-example.com", "'-example' cannot be a part"),
        ("*.example.com", "'*' cannot be a part"),
        ("a.com,b.com", "'com,b' cannot be a part"),
        ("ex!ample.com", "'ex!ample' cannot be a part"),
        ("https://exa%20mple.com", "not a valid name or address"),
        ("a" * 64 + ".com", "cannot be a part"),
        ("a." * 130 + "com", "longer than 253"),
        ("example.com:0", "port '0' is not a number from 1 to 65535"),
        ("example.com:65536", "port '65536' is not a number"),
        ("example.com:999999999999999999999", "is not a number from"),
        ("http://example.com:80a/", "port '80a'"),
        ("example.com:٣", "is not a number from"),
        ("[::1", "not a valid name or address"),
        ("[fe80::1%25eth0]", "not a valid name or address"),
        ("example.com/" + "a" * 3000, "longer than 2083"),
        ("javascript:alert(1)", "port"),
        ("\ud800.com", "not a valid name or address"),
    ],
)
def test_nonsense_is_refused_with_its_cause(text: str, cause: str) -> None:
    with pytest.raises(TargetError) as caught:
        parse_target(text)
    message = str(caught.value)
    assert cause in message
    assert message.startswith(f"domain {text.strip()[:80]!r}"[:80])
    assert len(message) < 300


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("https://u:p@example.com/", "https://...@example.com/"),
        ("https://token@example.com/", "https://...@example.com/"),
        ("https://u:p/w@example.com/", "https://...@example.com/"),
        ("https://u:p@w@example.com/", "https://...@example.com/"),
        ("u:p@example.com", "u:...@example.com"),
        ("//u:p@example.com", "//...@example.com"),
        ("ftp://u:p@example.com", "ftp://...@example.com"),
    ],
)
def test_a_password_is_not_repeated(text: str, shown: str) -> None:
    with pytest.raises(TargetError) as caught:
        parse_target(text)
    assert str(caught.value).startswith(f"domain {shown!r}: ")


@settings(max_examples=1000)
@given(nasty_urls() | st.text(max_size=30))
def test_any_text_is_a_canonical_target_or_a_target_error(text: str) -> None:
    try:
        target = parse_target(text)
    except TargetError:
        return
    assert canonicalize(target.url) == target.url
    assert target.url.startswith(f"{target.origin}/")
