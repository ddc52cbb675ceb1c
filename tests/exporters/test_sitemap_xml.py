from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from sitecrawl.exporters.sitemap_xml import (
    URLSET_HEAD,
    URLSET_TAIL,
    entry_xml,
    latest_lastmod,
    valid_alternates,
    valid_lastmod,
)
from sitecrawl.urls.canonical import canonicalize, strict_url
from tests.exporters.sitemap_schema import XHTML, locs
from tests.urls.nasty import nasty_urls

LATEST = latest_lastmod(datetime(2026, 5, 6, 7, 8, 9, tzinfo=UTC))
PAGE = "https://a.example/p"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-05-06", "2026-05-06"),
        ("2026-05-06T07:08:09Z", "2026-05-06T07:08:09Z"),
        ("2026-05-06T07:08:09.123Z", "2026-05-06T07:08:09.123Z"),
        ("2026-05-06T07:08:09+02:00", "2026-05-06T05:08:09Z"),
        ("2026-05-06T07:08:09", "2026-05-06"),
        ("2026-05-07T07:00:00Z", "2026-05-07T07:00:00Z"),
        ("2026-05-08", ""),
        ("2026-05", ""),
        ("2026", ""),
        ("2026-02-30", ""),
        ("1970-01-01", ""),
        ("Wed, 06 May 2026", ""),
        ("</lastmod><x>", ""),
        ("", ""),
        (None, ""),
    ],
)
def test_lastmod_is_a_date_that_can_be_true(text: str | None, expected: str) -> None:
    assert valid_lastmod(text, LATEST) == expected


@given(st.text())
def test_lastmod_is_nothing_else(text: str) -> None:
    found = valid_lastmod(text, LATEST)
    if found:
        datetime.fromisoformat(found)


def alternates(*pairs: tuple[str, str]) -> str:
    return json.dumps({"alternates": pairs})


@pytest.mark.parametrize(
    ("details", "expected"),
    [
        (None, []),
        ('{"images": 3}', []),
        (
            alternates(("de", "https://a.example/de"), ("en-GB", "/en")),
            [("de", "https://a.example/de"), ("en-gb", "https://a.example/en")],
        ),
        (
            alternates(("x-default", "/"), ("pt_BR", "/pt")),
            [("x-default", "https://a.example/"), ("pt-br", "https://a.example/pt")],
        ),
        (alternates(("de", "/de")), []),
        (alternates(("de", "/1"), ("de", "/2")), []),
        (alternates(("de", "/1"), ('"><x', "/2"), ("en", "javascript:x"), ("fr", "/gone")), []),
        (alternates(("de", "/1"), ("en", f"/{'x' * 2_100}")), []),
    ],
    ids=["none", "others", "two", "default", "alone", "twice", "hostile", "long"],
)
def test_alternates_are_those_that_can_be_used(
    details: str | None, expected: list[tuple[str, str]]
) -> None:
    assert valid_alternates(details, PAGE, lambda url: url.endswith("/gone")) == expected


@given(nasty_urls(), nasty_urls() | st.text())
def test_whatever_the_address_the_entry_says_it(url: str, other: str) -> None:
    loc = canonicalize(url, PAGE) or PAGE
    links = valid_alternates(alternates(("de", loc), ("en", other)), PAGE, lambda _: False)
    root = etree.fromstring(URLSET_HEAD + entry_xml(loc, "2026-01-02", links) + URLSET_TAIL)
    assert locs(root) == [strict_url(loc)]
    hrefs = [link.get("href") for link in root.iter(f"{{{XHTML}}}link")]
    assert hrefs == [strict_url(href) for _, href in links]
