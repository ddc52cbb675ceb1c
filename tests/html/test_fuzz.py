from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from sitecrawl.html.links import PageReading, Region
from sitecrawl.html.page import read_page
from tests.html.reading import URL, rows_of

PIECES = [
    *("<html lang=en>", "<head>", "<body>", "</body>", "<title>", "</title>", "<base href=/b/>"),
    *("<nav>", "</nav>", "<header>", "<footer>", "<aside>", "<main>", "<ul>", "<li>", "</ul>"),
    *("<a href=/x>", "</a>", "<a href='", "' rel=next>", "<area href=#y>", "<img alt=z>", "<svg>"),
    *("<link rel=canonical href=/c>", "<meta http-equiv=refresh content='0;url=/r'>", "<iframe>"),
    *("<script type=application/ld+json>", "</script>", '{"url": "/j"}', "<script>", "<style>"),
    *("window.__X__={", "<template>", "</template>", "<noscript>", "</noscript>", "<table><tr>"),
    *("<button data-navigate=/n>", "<p onclick=\"location='/o'\">", "<form action=/f>", "<loc>"),
    *(
        "<!--",
        "-->",
        "<![CDATA[",
        "]]>",
        "&amp;",
        "&#0;",
        "\0",
        "\ufeff",
        "é",
        "words and 12 ",
        "<",
    ),
    *("<select><option>", "<frameset><frame src=/g>", "<math><mi>", "<plaintext>", "<textarea>"),
]
REGIONS = {"", *Region}


def check(page: PageReading) -> None:
    rows = rows_of(page)
    assert len({row[:4] for row in rows}) == len(rows)
    for row in rows:
        assert row.loc
        assert row.loc == row.loc.strip()
        assert row.region in REGIONS
        assert max(len(row.anchor), len(row.path)) <= 200
    for entry in page.menu:
        assert rows[entry.row].anchor == entry.title
        assert entry.level >= 0
    assert [entry.row for entry in page.menu] == sorted(entry.row for entry in page.menu)
    assert -(2**63) <= page.fingerprint < 2**63
    assert len(page.text_hash) in {0, 16}


@settings(max_examples=300)
@given(st.binary(max_size=500), st.sampled_from(["", "text/html", "text/html; charset=utf-16"]))
def test_any_bytes(body: bytes, content_type: str) -> None:
    check(read_page(body, URL, content_type=content_type))


@settings(max_examples=500)
@given(st.lists(st.sampled_from(PIECES), max_size=50))
@example(["<svg>", "<script>", "<style>", "<a href=/x>", "</script>", "<a href=/x>"])
@example(["<noscript>", "<template>", "<noscript>", "<a href=/x>", "<script>"])
def test_any_tag_soup(pieces: list[str]) -> None:
    body = "".join(pieces).encode()
    page = read_page(body, URL, content_type="text/html")
    check(page)
    assert page == read_page(body, URL, content_type="text/html")


@given(
    st.text(max_size=200),
    st.fixed_dictionaries(
        {
            name: st.lists(st.text(max_size=60), max_size=3)
            for name in ("link", "refresh", "location")
        }
    ),
)
def test_any_headers_and_any_address(url: str, headers: dict[str, list[str]]) -> None:
    check(read_page(b"<base href=x><a href=y>", url, content_type="text/html", headers=headers))


@given(
    st.recursive(
        st.text() | st.none() | st.integers(),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(st.sampled_from(["url", "href", "path", "@id", "@graph", "x"]), inner)
        ),
    )
)
def test_any_data(data: object) -> None:
    import json

    for kind in ("application/ld+json", "application/json"):
        text = json.dumps(data).replace("<", "\\u003c")
        body = f"<script type={kind}>{text}</script><script>window.__x__={text}</script>".encode()
        page = read_page(body, URL, content_type="text/html")
        check(page)
        assert page.findings == []
