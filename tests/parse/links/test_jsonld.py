from __future__ import annotations

import json

import pytest

from tests.parse.links.reading import named, rows


def script(data: object) -> str:
    return f'<script type="application/ld+json">{json.dumps(data)}</script>'


@pytest.mark.parametrize(
    ("data", "found"),
    [
        ({"url": "https://shop.example/a"}, ["https://shop.example/a"]),
        ({"@id": "/a"}, ["/a"]),
        ({"mainEntityOfPage": "/a"}, ["/a"]),
        ({"mainEntityOfPage": {"@type": "WebPage", "@id": "/a"}}, ["/a"]),
        ([{"url": "/a"}, {"url": "/b"}], ["/a", "/b"]),
        ({"@graph": [{"url": "/a"}, {"isPartOf": {"@id": "/b"}}]}, ["/a", "/b"]),
        ({"itemListElement": [{"item": "/a"}, {"item": {"@id": "/b"}}]}, ["/a", "/b"]),
        ({"url": " https://shop.example/a "}, ["https://shop.example/a"]),
        ({"url": "#part"}, []),
        ({"@id": "_:node"}, []),
        ({"url": "/search?q={term}"}, []),
        ({"url": "javascript:void(0)"}, []),
        ({"url": 5, "@id": None, "mainEntityOfPage": True}, []),
        ({"image": {"url": "/a.png"}, "logo": {"@id": "/b.png"}}, []),
        ({"x": {"@type": "ImageObject", "url": "/a.png"}}, []),
        ({"@context": {"@id": "/a"}}, []),
        ({"sameAs": "https://social.example/shop"}, []),
        ("https://shop.example/a", []),
        (None, []),
    ],
)
def test_addresses(data: object, found: list[str]) -> None:
    assert named(script(data)) == [("json-ld", address) for address in found]


def test_the_name_is_the_anchor() -> None:
    found = rows(script([{"url": "/a", "name": " The  name "}, {"url": "/b", "headline": "News"}]))
    assert [row.anchor for row in found] == ["The name", "News"]
    assert rows(script({"url": "/c", "name": ["no", "text"]}))[0].anchor == ""


def test_line_breaks_in_strings_are_forgiven() -> None:
    html = '<script type="application/ld+json">{"name": "two\nlines", "url": "/a"}</script>'
    assert named(html) == [("json-ld", "/a")]
