from __future__ import annotations

import pytest

from sitecrawl.html.head import parse_link_header
from tests.html.reading import named, read, rows


@pytest.mark.parametrize(
    ("html", "found"),
    [
        ('<link rel="next" href="/a">', [("link-next", "/a")]),
        ("<LINK REL=PREV HREF=/a>", [("link-prev", "/a")]),
        ('<link rel="previous" href="/a">', [("link-prev", "/a")]),
        ('<link rel="canonical" href="/a">', [("canonical", "/a")]),
        ('<link rel="alternate" hreflang="de" href="/a">', [("hreflang", "/a")]),
        ('<link rel="alternate" media="handheld" href="/a">', [("hreflang", "/a")]),
        ('<link rel="amphtml" href="/a">', [("amphtml", "/a")]),
        ('<link rel="alternate" type="application/rss+xml" href="/a">', [("feed-link", "/a")]),
        (
            '<link rel="alternate" type="Application/Atom+XML; charset=utf-8" href="/a">',
            [("feed-link", "/a")],
        ),
        ('<link rel="alternate" type="application/feed+json" href="/a">', [("feed-link", "/a")]),
        ('<link rel="sitemap" type="application/xml" href="/a">', [("feed-link", "/a")]),
        ('<link rel="license" href="/a">', [("link", "/a")]),
        ('<link rel="alternate" type="text/markdown" href="/a.md">', [("alternate", "/a.md")]),
        ('<link rel="alternate" type="application/pdf" href="/a">', [("alternate", "/a")]),
        ('<link rel="alternate" type="markdown" href="/a.md">', [("alternate", "/a.md")]),
        ('<link rel="alternate" type="application/json+oembed" href="/a">', []),
        ('<link rel="alternate stylesheet" href="/a">', []),
        ('<link rel="stylesheet" href="/a">', []),
        ('<link rel="preload icon dns-prefetch" href="/a">', []),
        ('<link rel="next">', []),
        ('<link href="/a">', []),
        ('<meta http-equiv="refresh" content="0; url=/a">', [("meta-refresh", "/a")]),
        ("<META HTTP-EQUIV=Refresh CONTENT=\"5;URL='/a'\">", [("meta-refresh", "/a")]),
        ('<meta http-equiv="refresh" content="30">', []),
        (
            '<noscript><meta http-equiv="refresh" content="0;/a"></noscript>',
            [("meta-refresh", "/a")],
        ),
        ('<meta property="og:url" content="/a">', [("opengraph", "/a")]),
        ('<meta name="twitter:url" content="/a">', [("opengraph", "/a")]),
        ('<meta property="og:image" content="/a.png">', []),
        ('<meta name="description" content="/a">', []),
    ],
)
def test_relations(html: str, found: list[tuple[str, str]]) -> None:
    assert named(html) == found


def test_a_relation_keeps_its_words_title_and_language() -> None:
    (row,) = rows('<link rel="Alternate Home" hreflang="x-default" title="All  of us" href="/a">')
    assert (row.rel, row.anchor, row.language, row.path) == (
        "alternate home",
        "All of us",
        "x-default",
        "",
    )


def test_an_alternate_that_is_no_page_keeps_its_type() -> None:
    links = read(
        '<link rel="next" href="/2"><link rel=alternate type="Text/X;a=b" href="/a">'
    ).links
    assert links.media_types == {1: "text/x"}
    assert links.paths == ["", 'link[type="text/x"]']


def test_the_head_is_read_where_broken_markup_has_put_it() -> None:
    page = read(
        """<head><noscript><img src=pixel.gif></noscript><title>late</title>
        <link rel="canonical" href="/a"></head>"""
    )
    assert (page.title, page.canonical) == ("late", "/a")


@pytest.mark.parametrize(
    ("html", "language"),
    [
        ('<html lang="EN-us">', "en-us"),
        ('<html lang="zh_Hant_TW">', "zh-hant-tw"),
        ('<html xml:lang="fr">', "fr"),
        ('<html lang="english please">', ""),
        ('<html lang="">', ""),
        ('<meta http-equiv="Content-Language" content="pt-BR">', "pt-br"),
        ('<html lang="de"><meta http-equiv="Content-Language" content="pt-BR">', "de"),
        (f'<html lang="en-{"x" * 500}">', ""),
    ],
)
def test_languages(html: str, language: str) -> None:
    assert read(html).language == language


@pytest.mark.parametrize(
    ("html", "declared"),
    [
        ("<meta name=generator content='javadoc/ClassWriterImpl'>", ("generator:javadoc",)),
        (
            "<meta name=Generator content='Docutils 0.19: https://x.example/'>",
            ("generator:docutils",),
        ),
        ("<meta name=generator content='a'><meta name=generator content='b'>", ("generator:a",)),
        ("<meta name=generator content='!'>", ()),
        ("<script id=documentation_options src=/options.js></script>", ("generator:sphinx",)),
        ("<script id=other></script>", ()),
    ],
)
def test_the_generator_is_declared(html: str, declared: tuple[str, ...]) -> None:
    assert read(html).declared_types == declared


# --- headers -------------------------------------------------------------------------------------


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
