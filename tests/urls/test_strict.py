from __future__ import annotations

import re

import pytest
from hypothesis import given, settings

from sitecrawl.urls.canonical import canonicalize
from sitecrawl.urls.strict import strict_url
from tests.urls.nasty import nasty_urls

# RFC 3986: scheme, host (or one in brackets), then what paths, queries and fragments may have.
_RFC_3986 = re.compile(
    r"https?://(?:\[[0-9a-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::[0-9]+)?"
    r"(?:[/?#](?:[\w.~:/?#@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*)?",
    re.ASCII,
)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://a.example/", "https://a.example/"),
        ("https://a.example/a%20b?c=d&e='f'", "https://a.example/a%20b?c=d&e='f'"),
        ("https://a.example/%", "https://a.example/%25"),
        ("https://a.example/%2", "https://a.example/%252"),
        ("https://a.example/%zz%41", "https://a.example/%25zz%41"),
        ("https://a.example/{a}|^`", "https://a.example/%7Ba%7D%7C%5E%60"),
        ("https://a.example/?a[]=1", "https://a.example/?a%5B%5D=1"),
        ("http://[::1]:80/[a]", "http://[::1]:80/%5Ba%5D"),
        ('https://a.example"/', "https://a.example%22/"),
        ("https://a.example/ü", "https://a.example/%C3%BC"),
    ],
)
def test_what_rfc_3986_does_not_allow_is_escaped(url: str, expected: str) -> None:
    assert strict_url(url) == expected


@settings(max_examples=300)
@given(nasty_urls())
def test_every_canonical_url_becomes_a_strict_one(text: str) -> None:
    url = canonicalize(text, "https://a.example/")
    if url is not None:
        strict = strict_url(url)
        assert _RFC_3986.fullmatch(strict), strict
        assert strict_url(strict) == strict
