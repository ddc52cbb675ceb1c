from __future__ import annotations

import pytest

from sitecrawl.html.headers import parse_link_header
from tests.html.reading import read, rows


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("", []),
        ("</a>", [("/a", {})]),
        ("</a>; rel=next", [("/a", {"rel": "next"})]),
        ('</a>;rel="next";rel="prev"', [("/a", {"rel": "next"})]),
        ('</a,b>; title="x, <y>; z", </c>', [("/a,b", {"title": "x, <y>; z"}), ("/c", {})]),
        ("</a> ; REL = next , ,</b>", [("/a", {"rel": "next"}), ("/b", {})]),
        ("</a>; rel=next junk, </b>", [("/a", {"rel": "next"}), ("/b", {})]),
        ("</a>; crossorigin; rel=next", [("/a", {"crossorigin": "", "rel": "next"})]),
        ("no target", []),
        ("</unclosed", []),
        ("</a>; title*=UTF-8''x", [("/a", {"title*": "UTF-8''x"})]),
    ],
)
def test_link_headers_are_split(value: str, found: list[tuple[str, dict[str, str]]]) -> None:
    assert parse_link_header(value) == found


@pytest.mark.parametrize(
    ("headers", "found"),
    [
        ({"location": ["/a"]}, [("redirect", "/a", "")]),
        ({"refresh": ["0; url=/a"]}, [("http-refresh", "/a", "")]),
        ({"refresh": ["5"]}, []),
        ({"link": ['</a>; rel="next", </b>; rel=prev']}, 2 * [""]),
        ({"link": ["</a>; rel=preload; as=style", "</b>", "<#>; rel=next"]}, []),
        ({"link": ["</wp-json/>; rel=https://api.w.org/", "</?p=1>; rel=shortlink"]}, []),
        (
            {"link": ["</a.md>; rel=alternate; type=text/markdown", "</de>; rel=alternate"]},
            [("alternate", "/a.md", ""), ("http-link", "/de", "")],
        ),
        ({"link": ["</a>; rel=alternate; type=text/xml+oembed"]}, []),
        ({"location": [" "]}, []),
    ],
)
def test_headers_that_lead_to_pages(headers: dict[str, list[str]], found: list[object]) -> None:
    links = rows(b"", headers=headers)
    if found == ["", ""]:
        assert [(row.source, row.loc, row.rel) for row in links] == [
            ("http-link", "/a", "next"),
            ("http-link", "/b", "prev"),
        ]
    else:
        assert [(row.source, row.loc, row.region) for row in links] == found


def test_languages_of_headers_are_kept() -> None:
    links = read(b"", headers={"link": ["</fr>; rel=alternate; hreflang=FR"]}).links
    assert (links.locs, links.rels, links.languages) == (["/fr"], ["alternate"], {0: "fr"})


def test_a_long_header_costs_no_more_than_its_length() -> None:
    assert len(parse_link_header("</a>; rel=next," * 100_000)) <= 65_536 // 15 + 1
    assert parse_link_header("</a>" + ";" * 100_000) == [("/a", {})]
