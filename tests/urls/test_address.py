"""Which origin, and which site, an address belongs to."""

from __future__ import annotations

import pytest
from ada_url import URL

from sitecrawl.urls.address import origin_of, site_of
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
