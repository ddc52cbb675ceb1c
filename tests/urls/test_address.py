from __future__ import annotations

import pytest
from ada_url import URL

from sitecrawl.urls.address import origin_of, site_of, without_credentials
from sitecrawl.urls.canonical import page_key

ADDRESSES = [
    "http://example.com",
    "http://example.com/a/b?c#d",
    "https://example.com?a",
    "https://example.com#a",
    "https://example.com:443/",
    "http://example.com:0443/",
    "http://example.com:/",
    "http://example.com:8080",
    "http://www.example.com:80/a:b@c",
    "HTTP://Example.COM/A",
    "http://user:word@example.com/",
    "http://example.com\\a",
    "http://exam\tple.com/",
    " http://example.com/",
    "http://0x7f.1/",
    "http://2130706433:8000/a",
    "http://[::1]:8000/",
    "https://fa\u00df.example/",
    "https://xn--fa-hia.example/",
    "https://ex_ample.com/",
    "http:example.com/",
    "http:///example.com/",
]


@pytest.mark.parametrize("url", ADDRESSES)
def test_a_plain_address_is_read_as_any_other(url: str) -> None:
    origin = URL(url).origin
    assert origin_of(url) == origin
    assert site_of(url) == page_key(origin + "/")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://me:secret@a.example/b", "https://a.example/b"),
        ("https://secret@a.example/b", "https://a.example/b"),
        ("HTTP://me:sec@ret@a.example:99999/", "HTTP://a.example:99999/"),
        ("ftp://me:secret@a.example/b@c", "ftp://a.example/b@c"),
        ("sftp://me:secret@a.example/", "sftp://a.example/"),
        ("//me:secret@a.example/", "//a.example/"),
        # What browsers take for the same.
        (r"http:\\me:secret@a.example\b", r"http:\\a.example\b"),
        ("http:me:secret@a.example", "http:a.example"),
        ("http:///me:secret@a.example", "http:///a.example"),
        (
            "see http://me:secret@a.example and ftp://x:y@b.example",
            "see http://a.example and ftp://b.example",
        ),
        # No credentials.
        ("https://a.example/@me?to=you@b.example#@", "https://a.example/@me?to=you@b.example#@"),
        ("mailto:me@a.example", "mailto:me@a.example"),
        ("", ""),
    ],
)
def test_only_what_logs_in_is_taken_out(text: str, expected: str) -> None:
    assert without_credentials(text) == expected
    assert without_credentials(expected) == expected
