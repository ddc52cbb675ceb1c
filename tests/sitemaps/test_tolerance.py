from __future__ import annotations

import codecs

import pytest

from tests.sitemaps.reading import NAMESPACE, entry, read, urlset

A, B, C = (f"https://shop.example/{name}" for name in "abc")
GOOD = entry(C)


def loc(text: str) -> str:
    return urlset(entry(text) + GOOD)


@pytest.mark.parametrize(
    ("document", "pages"),
    [
        # Tags
        (urlset(entry(A)).upper().replace(A.upper(), A), [A]),
        (f"<UrlSet><Url><Loc>{A}</LOC></URL></urlset>", [A]),
        (urlset(f'<url id="1" ><loc lang="x">{A}</loc ></url >'), [A]),
        (urlset(f"<url/><url><loc/></url>{GOOD}"), [C]),
        (urlset(f"<url>\n\t<loc\n>{A}</loc\n></url>"), [A]),
        # Nesting that is not closed
        (urlset(f"<url><loc>{A}</loc>{GOOD}"), [A, C]),
        (urlset(f"<url><loc>{A}</url>{GOOD}"), [A, C]),
        (urlset(f"<url><loc>{A}<loc></url>{GOOD}"), [A, C]),
        (urlset(f"<url><loc>{A}<lastmod>2026</lastmod></url>{GOOD}"), [A, C]),
        (urlset(f"<url><loc>{A}</lco></url>{GOOD}"), [A, C]),
        (urlset(f"<url><loc>{A}</loc </url>{GOOD}"), [A, C]),
        (urlset(f"<url></b><loc>{A}</loc></i></url>{GOOD}"), [A, C]),
        (f"<urlset><url><loc>{A}</loc></urlset>", [A]),
        # Documents in a row, or without a root
        (urlset(entry(A)) + urlset(GOOD), [A, C]),
        (f'<?xml version="1.0"?><?xml version="1.0"?><urlset>{entry(A)}</urlset>', [A]),
        (entry(A) + GOOD, [A, C]),
        (f"<urlset><urlset>{entry(A)}</urlset></urlset>", [A]),
        (urlset(entry(A)) + "<script>alert('<url>')</script>", [A]),
        # Prefixes
        (f"<sm:urlset><sm:url><sm:loc>{A}</sm:loc></sm:url></sm:urlset>", [A]),
        (f"<urlset><sm:url><sm:loc>{A}</sm:loc></sm:url></urlset>", [A]),
        (f"<sm:urlset><url><loc>{A}</loc></url></sm:urlset>", [A]),
        (urlset(f"<url><image:loc>{B}</image:loc><loc>{A}</loc></url>"), [A]),
        (urlset(f"<url><video:video><loc>{B}</loc></video:video><loc>{A}</loc></url>"), [A]),
        (urlset(f"<url><image><loc>{B}</loc></image><loc>{A}</loc></url>"), [A]),
        (urlset(f"<url><loc>{A}</loc><xhtml:link href='{B}'><lastmod>2026</lastmod></url>"), [A]),
        # Text
        (loc(f"\n\t {A}\n "), [A, C]),
        (loc("https://shop.example/lo\n   ng"), ["https://shop.example/long", C]),
        (loc(f"\u200b{A}\ufeff\u00a0"), [A, C]),
        (loc("https://shop.example/\x01a\x7f"), [A, C]),
        (loc(f"<!-- x -->{A}"), [A, C]),
        (loc("<![CDATA[https://shop]]><![CDATA[.example/a]]>"), [A, C]),
        (loc(f"<b>{A}</b>"), [A, C]),
        (loc(f'<a href="{A}"></a>'), [A, C]),
        (loc(f"{A}</loc>garbage"), [A, C]),
        (loc("https://shop.example/?q=<b"), ["https://shop.example/?q=<b", C]),
        (loc(""), [C]),
        (loc(" \n "), [C]),
        # References
        (loc("https://shop.example/&#97;"), [A, C]),
        (loc("https://shop.example/&#x61;"), [A, C]),
        (loc("https://shop.example/caf&eacute;"), ["https://shop.example/café", C]),
        (loc(f"&nbsp;{A}&nbsp;"), [A, C]),
        (loc(f"{A}?x=1&amp;amp;y"), [f"{A}?x=1&amp;y", C]),
        (loc(f"{A}?x=1&copy=2&y"), [f"{A}?x=1&copy=2&y", C]),
        (loc(f"<![CDATA[{A}?x=1&amp;y]]>"), [f"{A}?x=1&amp;y", C]),
        (loc(f"{A}&xxe;"), [C]),
        (loc(f"{A}&#0;"), [C]),
        (loc(f"{A}&#xD800;"), [C]),
        (loc(f"{A}&#99999999;"), [C]),
        # Before the root
        ("\n\n  " + urlset(entry(A)), [A]),
        ("Notice: see\nhttp://php.example/x\n" + urlset(entry(A)), [A]),
        ('<div id="error"><p><strong>WordPress database error</strong></p></div>'
         + urlset(entry(A)), [A]),
        (f'<?xml version="1.0"><urlset>{entry(A)}</urlset>', [A]),
        (f"<!-- {entry(B)} -->" + urlset(entry(A)), [A]),
        ('<!DOCTYPE urlset [<!ENTITY a "]><urlset>"> <!-- \' -->]>' + urlset(entry(A)), [A]),
        ("\ufeff\ufeff" + urlset(entry(A)), [A]),
        # Several addresses in one entry
        (urlset(f"<url><loc>{A}</loc><loc>{B}</loc></url>"), [A, B]),
        # Extensions that mean nothing here
        (urlset(f"{entry(A, '<PageMap><DataObject><loc>x</loc></DataObject></PageMap>')}"), [A]),
        (urlset(f'<xi:include href="file:///etc/passwd"/>{entry(A)}'), [A]),
        (urlset(f"<wrapper><deep>{entry(A)}</deep></wrapper>"), [A]),
        (urlset(f"<loc>{B}</loc>{entry(A)}"), [A]),
    ],
)  # fmt: skip
def test_pages_survive(document: str, pages: list[str]) -> None:
    reading = read(document)
    assert reading.locs == pages
    assert reading.maps == []
    assert reading.kind == "urlset"


@pytest.mark.parametrize(
    ("document", "kind"),
    [
        (loc(f"{A}&x;"), "undefined_entity"),
        (loc(f"{A}?x&y"), "raw_ampersand"),
        (loc(""), "bad_loc"),
        (urlset("<url></url>"), "bad_loc"),
        (urlset(f"<loc>{A}</loc>"), "bad_loc"),
        (loc("/relative"), "relative_loc"),
        (loc("x" * 70_000), "oversized_text"),
        ("\n" + urlset(GOOD), "leading_junk"),
        (entry(A), "missing_root"),
        (urlset(""), "empty"),
        (urlset(f"<sitemap><loc>{A}</loc></sitemap>"), "misplaced_entry"),
        (urlset(entry("https://shop.example/s.xml")), "misplaced_entry"),
        (urlset(entry(A, "<lastmod>yesterday</lastmod>")), "invalid_lastmod"),
        (urlset(entry(A, "<priority>2</priority>")), "invalid_priority"),
        (urlset(entry(A, "<changefreq>often</changefreq>")), "invalid_changefreq"),
        (f"<urlset>{GOOD}", "truncated"),
        (urlset(GOOD + "\0"), "null_characters"),
        ('<?xml version="1.0" encoding="klingon"?><urlset/>', "encoding"),
        ('<?xml version="1.0" encoding="zlib"?><urlset/>', "encoding"),
        ('<?xml version="1.0" encoding="UTF-16"?><urlset/>', "encoding"),
    ],
)
def test_findings(document: str, kind: str) -> None:
    assert kind in read(document).kinds


def test_a_finding_counts_and_keeps_the_first_example() -> None:
    dates = ("tomorrow", "2026-01-01", "", "yesterday", "&#116;oday")
    document = urlset("".join(entry(A, f"<lastmod> {date}</lastmod>") for date in dates))
    assert read(document).findings == [("invalid_lastmod", "tomorrow", 3)]


@pytest.mark.parametrize(
    ("document", "detail"),
    [
        ("<!DOCTYPE html><p>Not found <a href='https://shop.example/'>home</a></p>", "HTML"),
        (f"<html><body><pre>{urlset(GOOD)}</pre></body></html>", "HTML"),
        (f"\n<HTML><loc>{A}</loc></HTML>", "HTML"),
        (f"<h1>404</h1>{urlset(GOOD)}", "<h1>"),
        (f"<!-- {urlset(GOOD)} -->", "root"),
        ('<xsl:stylesheet><xsl:template match="urlset"><url/></xsl:template></xsl:stylesheet>',
         "<stylesheet>"),
        (f'{{"version": "https://jsonfeed.org/version/1", "items": ["{A}"]}}', "JSON"),
        (f'["{A}"]', "JSON"),
        ("User-agent: *\nSitemap: https://shop.example/s.xml\n", "neither"),
        ("Not found", "neither"),
        ("%PDF-1.4\nhttps:", "PDF"),
        ("<p>a</p>", "root"),
        ("<", "root"),
    ],
)  # fmt: skip
def test_what_is_no_map_is_refused(document: str, detail: str) -> None:
    reading = read(document)
    assert (reading.kind, reading.locs, reading.maps) == ("invalid", [], [])
    details = {finding.kind.value: finding.detail for finding in reading.findings}
    assert detail in details["not_a_sitemap"]


@pytest.mark.parametrize("document", [b"", b" \r\n ", b"\0\0\0\0\0", codecs.BOM_UTF8])
def test_nothing_is_an_empty_document(document: bytes) -> None:
    reading = read(document)
    assert reading.kind == "invalid"
    assert "empty" in reading.kinds


def test_an_index_keeps_the_dates_of_its_maps() -> None:
    reading = read(
        f"<sitemapindex {NAMESPACE}><sitemap><loc>/s1.xml</loc><lastmod>2026-05-06</lastmod>"
        f"</sitemap><sitemap><loc>{B}</loc></sitemap></sitemapindex>"
    )
    assert reading.kind == "index"
    assert [row[:2] for row in reading.children] == [("/s1.xml", "2026-05-06"), (B, "")]
    assert reading.pages == []


def test_maps_are_told_from_pages() -> None:
    maps = ["https://shop.example/s1.xml", "https://shop.example/s.xml.gz?v=1#x"]
    pages = [f"{A}?f=s.xml", f"{B}.xmlx"]
    document = urlset("".join(map(entry, maps + pages)) + f"<sitemap><loc>{C}</loc></sitemap>")
    reading = read(document)
    assert reading.maps == [*maps, C]
    assert reading.locs == pages


def test_extensions_are_kept() -> None:
    reading = read(
        urlset(
            f'<url><loc>{A}</loc><xhtml:link rel="alternate" hreflang="de" href="{B}?x&amp;y"/>'
            f"<xhtml:link rel='alternate' hreflang='fr' href='{C}'></xhtml:link>"
            f'<link rel="canonical" href="{C}"/>'
            "<image:image><image:loc>1</image:loc></image:image><image:loc>2</image:loc>"
            "<video:video><video:title>no</video:title></video:video>"
            "<news:news><news:publication><news:name>N</news:name></news:publication>"
            "<news:publication_date>2026-01-02T03:04Z</news:publication_date>"
            "<news:title>T &amp; U</news:title></news:news>"
            "<lastmod> 2026-05-06 </lastmod><changefreq>Daily</changefreq>"
            "<priority>0.8</priority></url>"
        )
    )
    [(loc, lastmod, changefreq, priority, details)] = reading.pages
    assert (loc, lastmod, changefreq, priority) == (A, "2026-05-06", "daily", 0.8)
    assert details is not None
    assert details.alternates == (("de", f"{B}?x&y"), ("fr", C))
    assert (details.images, details.videos) == (2, 1)
    assert (details.title, details.published) == ("T & U", "2026-01-02T03:04:00Z")
