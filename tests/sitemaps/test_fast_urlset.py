from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitecrawl.parsing.findings import Findings
from sitecrawl.sitemaps.entries import EntrySink
from sitecrawl.sitemaps.fast_urlset import PlainUrlScanner
from sitecrawl.sitemaps.markup import MarkupTokenizer
from sitecrawl.sitemaps.reader import SitemapLimits
from sitecrawl.sitemaps.scanner import MarkupScanner
from tests.sitemaps.reading import ExactReader, entry, read, urlset

A = "https://shop.example/a"

LOCS = st.sampled_from(
    [
        A, f"{A}?x=1&amp;y=2", f"{A}?x&y", f"{A}&amp;amp;", f"{A}&eacute;", f"{A}&x;", f" {A}\n",
        f"{A} b", f"{A} ", f"{A} b?x&amp;y", f"{A}\nb", "/rel", "", " ", f"{A}.xml",
        f"{A}.xml.gz?x", f"{A}/é", f"{A}/\u200b", f"{A}/\u3000", f"{A}\x01", f"\u00a0{A}",
        f"<![CDATA[{A}]]>", f" <![CDATA[{A}?x&y]]> ", f"<![CDATA[{A}&amp;]]>", "<![CDATA[]]>",
        f"\n<![CDATA[\t{A} \r\n]]>\n", f"<![CDATA[\u00a0{A}\u00a0]]>", f"<![CDATA[{A}]]>b",
        f"<![CDATA[{A}.xml]]>", f"<![CDATA[{A} b]]>", "<![CDATA[/rel]]>", f"<![CDATA[{A}]]]>",
        "<![CDATA[https://" + "x" * 5_000 + "]]>", "<![CDATA[https://]]>",
        "<![CDATA[</url>]]>", f"<!-- </url> -->{A}", f"<b>{A}</b>", f"{A}]]>", f"{A}>",
        "https://" + "x" * 5_000, "https://" + "x" * 70_000, "HTTPS://shop.example/A", "ftp://x/",
        "https://shop.example/" + "&amp;" * 20, "https://\u00e9\ud7ff\uffff\U0001f600/",
    ]
)  # fmt: skip
FIELDS = st.sampled_from(
    [
        "", "<lastmod>2026-05-06</lastmod>", "<lastmod>2026-05-06T07:08:09+00:00</lastmod>",
        "<lastmod/>", "<lastmod></lastmod>", "<lastmod> 2026 </lastmod>",
        "<lastmod>yester\nday</lastmod>", "<lastmod>2026-01-01\n2026-01-02</lastmod>",
        "<lastmod>&#50;026</lastmod>", "<lastmod> </lastmod>", "<lastmod>2026-02-30</lastmod>",
        "<changefreq>Daily</changefreq>", "<changefreq>x</changefreq>",
        "<changefreq>&#100;aily</changefreq>", "<priority>0.5</priority>",
        "<priority>7</priority>", "<priority> .5 </priority>",
        "<lastmod><![CDATA[2026]]></lastmod>", "text", "]]>", "&",
        '<xhtml:link rel="alternate" hreflang="de" href="/de"/>',
        "<xhtml:link rel='alternate' href='/q'>",
        '<xhtml:link rel="alternate" hreflang="de" href="/?a&amp;b" />',
        '<xhtml:link href="a>b"/>', '<xhtml:link href="/x" hreflang="fr"></xhtml:link>',
        '<xhtml:link rel="self" href="/x"/>', '<xhtml:link href="</url>"/>',
        "<image:image><image:loc>/i</image:loc></image:image>",
        "<image:image><image:loc><![CDATA[/<xhtml:link href='/x'>]]></image:loc></image:image>",
        "<image:image>\n<image:title><![CDATA[T]]></image:title></image:image>",
        "<image:image><image:loc>/i</image:title></image:image>",
        "<image:loc>/i</image:loc>",
        "<url>", "</url>", "<loc>/second</loc>", "<!-- x -->", "<?pi ?>",
        "<news:news><news:title>T</news:title></news:news>", "<unclosed>", "<!--", "<![CDATA[",
        "<a href='", "</loc>", "<", "<!DOCTYPE x>",
    ]
)  # fmt: skip
BETWEEN = st.sampled_from(
    [
        "", "\n", "  ", "text", "<!-- <url> -->", "<!--", "-->", "<url>", "</url>", "<url/>",
        "<url></url>", "<URL>", "<?x ?>", "<![CDATA[", "]]>", "</urlset>", "<urlset>",
        "<sitemap><loc>/s</loc></sitemap>", "<loc>/x</loc>", "<",
        "<sm:url><sm:loc>/sm</sm:loc></sm:url>", "<a href='", "&",
        '<url a="1"><loc>/attr</loc></url>', "\0",
    ]
)  # fmt: skip


@st.composite
def entries(draw: st.DrawFn) -> str:
    fields = draw(st.lists(FIELDS, max_size=4))
    before = draw(FIELDS) if draw(st.integers(0, 9)) == 0 else ""
    return f"<url>{before}<loc>{draw(LOCS)}</loc>{''.join(fields)}</url>"


PLAIN = st.just(entry(A, "<lastmod>2026-05-06</lastmod>"))
DOCUMENTS = st.tuples(
    st.sampled_from(
        ["<urlset>", "<sm:urlset xmlns:sm='x'>", "<sitemapindex>", "<rss>", "", "<!-- "]
    ),
    st.lists(st.one_of(PLAIN, PLAIN, entries(), BETWEEN), max_size=12),
    st.sampled_from(["</urlset>", "", "</urlset>\n<!-- made by x -->"]),
).map(lambda parts: parts[0] + "".join(parts[1]) + parts[2])


@given(DOCUMENTS, st.integers(1, 200), st.sampled_from([1, 3, 5_000]))
@settings(max_examples=1_000)
def test_both_roads_agree(document: str, piece_bytes: int, batch_entries: int) -> None:
    body = document.encode(errors="surrogatepass")
    exact = read(body, reader_class=ExactReader)
    assert read(body) == exact
    piece_bytes = max(piece_bytes, len(body) // 50)
    limits = SitemapLimits(piece_bytes=piece_bytes, batch_entries=batch_entries)
    assert read(body, limits=limits).pages == exact.pages
    in_pieces = read(body, limits=limits, reader_class=ExactReader)
    assert (in_pieces.pages, in_pieces.children) == (exact.pages, exact.children)


@given(st.lists(st.one_of(PLAIN, entries(), BETWEEN), max_size=8), st.lists(st.integers(0, 400)))
@settings(max_examples=1_000)
def test_both_scanners_agree_on_any_cut(parts: list[str], cuts: list[int]) -> None:
    text = "<urlset>" + "".join(parts)
    edges = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    pieces = [text[start:end] for start, end in pairwise(edges)]
    assert scanned(PlainUrlScanner, pieces) == scanned(MarkupScanner, [text])


def scanned(scanner_class: type[MarkupScanner], pieces: list[str]) -> object:
    findings = Findings()
    sink = EntrySink(findings)
    scanner = scanner_class(sink, "https://shop.example/")
    for piece in pieces:
        scanner.feed(piece)
    scanner.close(is_complete=True)
    batches = sink.pages.take(1_000), sink.children.take(1_000)
    return batches, scanner.kind, scanner.is_cut, findings.as_list()


@pytest.mark.parametrize(
    "more",
    [
        "",
        "<lastmod>2026-05-06T07:08:09+00:00</lastmod>",
        "<lastmod>2026-05-06</lastmod><changefreq>daily</changefreq><priority>0.5</priority>",
        f'<xhtml:link rel="alternate" hreflang="de" href="{A}"/><lastmod>2026</lastmod>',
        f"<lastmod>2026</lastmod><image:image><image:loc>{A}</image:loc></image:image>",
    ],
)
@pytest.mark.parametrize("loc", [A, f"{A}?x&amp;y", f"<![CDATA[{A}?x&y]]>", f"\n  {A}é\n"])
def test_usual_entries_take_the_fast_road(
    loc: str, more: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = urlset(entry(loc, more) * 100)
    expected = read(document, reader_class=ExactReader)
    fed: list[str] = []
    feed = MarkupTokenizer.feed

    def recording_feed(self: MarkupTokenizer, text: str, *, is_final: bool = False) -> None:
        fed.append(text)
        feed(self, text, is_final=is_final)

    monkeypatch.setattr(MarkupTokenizer, "feed", recording_feed)
    assert read(document) == expected
    assert len(expected.pages) == 100
    assert "<url>" not in "".join(fed)
