from __future__ import annotations

import pytest

from tests.sitemaps.reading import read

A, B = "https://shop.example/a", "https://shop.example/b"


def rss(items: str, attributes: str = "") -> str:
    return (
        f'<?xml version="1.0"?><rss version="2.0"{attributes}><channel><title>T</title>'
        "<link>https://shop.example/</link><image><url>https://shop.example/i.png</url>"
        "<link>https://shop.example/</link></image>"
        f'<atom:link href="https://shop.example/feed" rel="self"/>{items}</channel></rss>'
    )


def atom(entries: str, attributes: str = "") -> str:
    return (
        f'<feed xmlns="http://www.w3.org/2005/Atom"{attributes}><title>T</title>'
        '<link href="https://shop.example/"/><link rel="self" href="https://shop.example/atom"/>'
        f"{entries}</feed>"
    )


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        (f"<link>{A}</link><guid>{B}</guid>", [A]),
        (f"<link>\n{A}?x=1&amp;y=2 </link>", [f"{A}?x=1&y=2"]),
        (f"<link><![CDATA[{A}?x=1&y=2]]></link>", [f"{A}?x=1&y=2"]),
        ("<link>/rel</link>", ["/rel"]),
        (f"<guid>{A}</guid>", [A]),
        (f'<guid isPermaLink="true">{A}</guid><link/>', [A]),
        (f'<guid isPermaLink="false">{A}</guid>', []),
        ("<guid>tag:x,1</guid>", []),
        (f'<atom:link rel="self" href="{B}"/><link>{A}</link>', [A]),
        (f'<link href="{A}"/>', [A]),
        (f'<link rel="self" href="{A}"/>', []),
        (f"<link>{B}</link><feedburner:origLink>{A}</feedburner:origLink>", [A]),
        (f"<description><link>{B}</link></description><link>{A}</link>", [A]),
        (f'<enclosure url="{B}"/><source url="{B}">s</source><comments>{B}</comments>', []),
        (f"<media:content><link>{B}</link></media:content><link>{A}</link>", [A]),
        (f"<link>{A}</link><title>unclosed", [A]),
    ],
)
def test_rss_items(item: str, expected: list[str]) -> None:
    reading = read(rss(f"<item><title>1</title>{item}</item>"))
    assert reading.kind == "rss"
    assert reading.locs == expected


def test_rss_1() -> None:
    reading = read(
        '<rdf:RDF><channel rdf:about="https://shop.example/"><link>https://shop.example/</link>'
        f'</channel><item rdf:about="{B}"><link>{A}</link><dc:date>2026-05-06</dc:date></item>'
        f'<item rdf:about="{B}"/></rdf:RDF>'
    )
    assert reading.kind == "rss"
    assert [row[:2] for row in reading.pages] == [(A, "2026-05-06"), (B, "")]


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        (f'<link href="{A}"/>', [A]),
        (f'<link rel="alternate" href="{A}"></link>', [A]),
        (f'<link rel="self" href="{B}"/><link rel="edit" href="{B}"/>', []),
        (f'<link rel="enclosure" href="{B}"/><link rel="alternate" href="{A}"/>', [A]),
        (f'<link type="application/json" href="{B}"/><link type="text/html" href="{A}"/>', [A]),
        (f'<link href="{A}"/><link rel="alternate" hreflang="de" href="{B}"/>', [A]),
        (f'<source><link href="{B}"/></source><link href="{A}"/>', [A]),
        (f'<content type="xhtml"><a href="{B}"/><link href="{B}"/></content><link href="{A}"/>',
         [A]),
        (f'<link href="{A}?x=1&amp;y=2"/>', [f"{A}?x=1&y=2"]),
        (f'<link href="{A}"><title>x</title>', [A]),
        ('<link href="post/1"/>', ["post/1"]),
        (f"<id>{A}</id>", []),
    ],
)  # fmt: skip
def test_atom_entries(entry: str, expected: list[str]) -> None:
    reading = read(atom(f"<entry>{entry}</entry>"))
    assert reading.kind == "atom"
    assert reading.locs == expected


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (atom('<entry><link href="p"/></entry>', ' xml:base="/blog/"'), "/blog/p"),
        (atom('<entry xml:base="in/"><link href="p"/></entry>', ' xml:base="/b/"'), "/b/in/p"),
        (atom('<entry><link xml:base="x/" href="p"/></entry>', ' xml:base="/b/"'), "/b/x/p"),
        (rss("<item><link>p&amp;q</link></item>", ' xml:base="/blog/"'), "/blog/p&q"),
        (atom('<entry><link href="p"/></entry>', ' xml:base="ht!tp://"'), "/maps/ht!tp://p"),
    ],
)
def test_links_are_resolved_where_a_base_is_given(document: str, expected: str) -> None:
    assert read(document).locs == [f"https://shop.example{expected}"]


def test_prefixed_atom() -> None:
    document = f'<atom:feed><atom:entry><atom:link href="{A}"/></atom:entry></atom:feed>'
    assert read(document).locs == [A]


def test_dates_and_titles() -> None:
    [row] = read(
        rss(
            f"<item><title>T &amp; U</title><link>{A}</link>"
            "<pubDate>Wed, 06 May 2026 07:08:09 +0200</pubDate></item>"
        )
    ).pages
    assert row[1] == "2026-05-06T05:08:09Z"
    assert row[4] is not None
    assert (row[4].title, row[4].published) == ("T & U", "2026-05-06T05:08:09Z")
    [row] = read(
        atom(
            f'<entry><title>T</title><link href="{A}"/><published>2026-01-01</published>'
            "<updated>2026-05-06T07:08:09Z</updated></entry>"
        )
    ).pages
    assert row[1] == "2026-05-06T07:08:09Z"
    assert row[4] is not None
    assert row[4].published == "2026-01-01"


def test_findings_of_feeds() -> None:
    document = rss("<item><link>/rel</link><pubDate>soon</pubDate></item>")
    assert read(document).kinds == {"relative_loc", "invalid_lastmod"}
    assert read(rss("")).kinds == {"empty"}
    assert read(atom(f'<entry><link href="{A}"/></entry>')[:-1]).kinds == {"truncated"}
