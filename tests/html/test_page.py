from __future__ import annotations

import json
import subprocess
import sys

import pytest

from sitecrawl.html.links import PageLimits
from tests.html.reading import HTML, URL, kinds, named, read, rows_of


def test_a_page_is_read_with_everything_that_it_says() -> None:
    page = read(
        """<!doctype html><html lang="en_GB"><head><title> All
        about  seeds </title><link rel=canonical href="/guides/seeds"></head>
        <body><nav><ul><li><a href="/">Home</a><ul><li><a href="/shop">Shop</a></ul></ul></nav>
        <main id=main><p>Read <a href="beans" rel="NoFollow  ugc">about  <b>beans</b></a>.</p>
        </main></body></html>"""
    )
    assert (page.title, page.language, page.canonical) == (
        "All about seeds",
        "en-gb",
        "/guides/seeds",
    )
    assert page.base == URL
    assert page.is_html
    assert not page.truncated
    assert page.findings == []
    assert rows_of(page) == [
        ("canonical", "/guides/seeds", "", "", "canonical", "", ""),
        ("link", "/", "navigation", "Home", "", "nav > ul > li > a", ""),
        ("link", "/shop", "navigation", "Shop", "", "nav > ul > li > ul > li > a", ""),
        ("link", "beans", "content-link", "about beans", "nofollow ugc", "main#main > p > a", ""),
    ]
    assert page.menu == [("Home", 1, 0), ("Shop", 2, 1)]


def test_headers_come_first_and_data_in_scripts_last() -> None:
    found = named(
        '<script type="application/ld+json">{"url": "/data"}</script><a href="/a">a</a>',
        headers={"link": ["</next>; rel=next"]},
    )
    assert found == [("http-link", "/next"), ("link", "/a"), ("json-ld", "/data")]


@pytest.mark.parametrize(
    ("href", "base", "findings"),
    [
        ("/docs/", "https://www.shop.example/docs/", []),
        ("../", "https://www.shop.example/", []),
        ("https://other.example/x/", "https://other.example/x/", []),
        ("//cdn.example", "https://cdn.example/", []),
        ("", URL, []),
        ("http://[", URL, ["bad_base"]),
    ],
)
def test_a_base_is_relative_to_the_page(href: str, base: str, findings: list[str]) -> None:
    page = read(f'<base href="{href}"><base href="/second/"><a href="x">x</a>')
    if href:
        assert page.base == base
        assert kinds(page) == findings
    else:
        assert page.base == "https://www.shop.example/second/"
    assert page.links.locs == ["x"]


def test_headers_are_relative_to_the_page_whatever_its_base() -> None:
    page = read(
        '<base href="/docs/"><a href="x">x</a>',
        headers={"link": ["<two>; rel=next, <one>; rel=canonical"], "location": ["http://["]},
    )
    assert page.links.locs == [
        "http://[",
        "https://www.shop.example/guides/two",
        "https://www.shop.example/guides/one",
        "x",
    ]
    assert page.canonical == "https://www.shop.example/guides/one"


def test_the_canonical_of_the_document_comes_before_that_of_a_header() -> None:
    header = {"link": ["</from-header>; rel=canonical"]}
    assert read("<p>", headers=header).canonical == "/from-header"
    both = read('<link rel=canonical href="/a"><link rel=canonical href="/b">', headers=header)
    assert both.canonical == "/a"


def test_what_is_no_page_has_the_links_of_its_headers_only() -> None:
    page = read(
        b"%PDF-1.7 <a href=/x>",
        content_type="application/pdf",
        headers={"link": ["</page>; rel=canonical"], "refresh": ["1; url=/y"]},
    )
    assert not page.is_html
    assert kinds(page) == ["not_html"]
    assert [row.loc for row in rows_of(page)] == ["/y", "/page"]
    assert page.canonical == "/page"
    assert page.text_hash == ""


def test_nothing_is_in_an_empty_page() -> None:
    page = read(b"")
    assert (len(page.links), page.title, page.text_characters) == (0, "", 0)
    assert read(b"", content_type="").findings == []


@pytest.mark.parametrize(
    ("html", "titles"),
    [
        ("<svg><title>icon</title></svg><title>real</title>", "real"),
        ("<title></title><title>second</title>", "second"),
        ("<title>a &amp; b</title>", "a & b"),
        ("<body><title>late</title>", "late"),
        (f"<title>{'long ' * 1000}</title>", ("long " * 1000)[:500]),
    ],
)
def test_titles(html: str, titles: str) -> None:
    assert read(html).title == titles


def test_scripts_styles_and_comments_hold_no_links_and_no_text() -> None:
    page = read(
        """<body><!-- <a href="/comment">no</a> --><script>'<a href="/script">no</a>'</script>
        <style>a{}</style><a href="/a"><style>.x{}</style>text</a><textarea><a href="/t"></textarea>
        """
    )
    assert [(row.loc, row.anchor) for row in rows_of(page)] == [("/a", "text")]
    assert page.text_characters == len('text<ahref="/t">')


def test_links_of_noscript_and_templates_count_but_their_text_does_not() -> None:
    page = read(
        """<body><nav><noscript><a href="/plain">plain</a></noscript><template><a href="/later">
        later</a><template><a href="/inner">inner</a></template></template></nav><p>seen"""
    )
    assert [(row.loc, row.region) for row in rows_of(page)] == [
        ("/plain", "navigation"),
        ("/later", "navigation"),
        ("/inner", "navigation"),
    ]
    assert page.text_hash == read("<p>seen").text_hash


def test_a_repetition_is_one_row_and_another_place_another() -> None:
    page = read(
        """<nav><a href="/a">A</a><a href="/a">A</a><a href="/a">Other</a></nav>
        <main><a href="/a">A</a><a href="/a"> A </a></main>"""
    )
    assert [(row.region, row.anchor, row.path) for row in rows_of(page)] == [
        ("navigation", "A", "nav > a"),
        ("navigation", "Other", "nav > a:nth(3)"),
        ("content-link", "A", "main > a"),
    ]
    assert page.menu == [("A", 0, 0), ("Other", 1, 0)]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ('{"@type": "Product", "offers": {"@type": "Offer"}}', ("Product",)),
        ('[{"@type": "A"}, {"@type": ["B", "C"]}, 7, null]', ("A", "B", "C")),
        (
            '{"@graph": [{"@type": "WebPage"}, {"@type": "NewsArticle"}]}',
            ("WebPage", "NewsArticle"),
        ),
        ('{"@type": "WebPage", "mainEntity": {"@type": "Recipe"}}', ("WebPage", "Recipe")),
        ('{"@type": {"x": 1}}', ()),
        ('{"@graph": {"@type": "A"}}', ()),
        ('"Product"', ()),
        (f'{{"@type": "{"x" * 100}"}}', ()),
        ("{broken", ()),
    ],
)
def test_structured_data_says_what_the_page_is(data: str, expected: tuple[str, ...]) -> None:
    page = read(f'<script type="application/ld+json">{data}</script>')
    assert page.declared_types == expected


def test_open_graph_says_so_behind_json_ld() -> None:
    page = read(
        '<meta property="og:type" content=" Article "><meta property="og:type" content="x">'
        '<script type="application/ld+json">{"@type": "Product"}</script>'
    )
    assert page.declared_types == ("Product", "og:article")


def test_what_a_page_says_it_is_has_a_limit() -> None:
    many = json.dumps({"@graph": [{"@type": "Product"}] * 150})
    scripts = f'<script type="application/ld+json">{many}</script>' * 3
    assert read(scripts).declared_types == ("Product",) * PageLimits().max_declared_types


def test_a_sample_of_the_text_comes_from_behind_the_menu() -> None:
    menu = "".join(f"<li><a href=/{n}>Menu {n}</a>" for n in range(30))
    page = read(f"<body><ul>{menu}</ul><main>{'<p>Words of the page.</p>' * 300}</main>")
    assert len(page.text_sample) == PageLimits().max_sample_characters
    assert "Words of the page." in page.text_sample
    assert "Menu" not in page.text_sample
    assert read("<p>Short text</p>").text_sample.strip() != ""


def test_links_beyond_the_limit_are_left_out_and_said() -> None:
    html = "".join(f'<a href="/{number}">x</a>' for number in range(30))
    page = read(html, limits=PageLimits(max_links=20))
    assert page.links.locs == [f"/{number}" for number in range(20)]
    assert page.truncated
    assert kinds(page) == ["over_limit"]
    exact = read(html, limits=PageLimits(max_links=30))
    assert (len(exact.links), exact.truncated) == (30, False)


def test_bytes_beyond_the_limit_are_left_out_and_said() -> None:
    page = read("<a href='/a'>a</a>" + " " * 100 + "<a href='/b'>", limits=PageLimits(max_bytes=50))
    assert page.links.locs == ["/a"]
    assert (page.truncated, kinds(page)) == (True, ["over_limit"])


def test_long_addresses_are_left_out_and_those_that_hold_content_are_cut() -> None:
    page = read(
        f"""<a href="/{"x" * 9000}">long</a><a href="data:text/html,{"y" * 9000}">data</a>
        <a href="javascript:{"z()" * 3000}">script</a><a href="/{"x" * 8000}">fine</a>"""
    )
    assert [len(loc) for loc in page.links.locs] == [120, 120, 8001]
    assert (page.truncated, kinds(page)) == (True, ["oversized_text"])


def test_data_beyond_the_limit_is_left_out_and_said() -> None:
    html = '<script type="application/json">{"url": "/a"}</script>'
    assert named(html) == [("json-island", "/a")]
    page = read(html, limits=PageLimits(max_json_characters=5))
    assert (len(page.links), page.truncated, kinds(page)) == (0, True, ["over_limit"])


def test_broken_data_is_a_finding_and_the_rest_is_read() -> None:
    page = read(
        """<script type="application/ld+json">{"url": </script>
        <script type="application/json">{"url": "/a"}</script>"""
    )
    assert page.links.locs == ["/a"]
    assert kinds(page) == ["bad_json"]


def test_only_what_reads_pages_loads_the_parser() -> None:
    code = (
        "import sys; import sitecrawl.sitemaps.reader, sitecrawl.html.links;"
        "sys.exit('selectolax' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    assert read("<a href=/x>", content_type=HTML).links.locs == ["/x"]
