from __future__ import annotations

import codecs
import gzip
import json
import subprocess
import sys
import textwrap
import time
import tracemalloc
import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitecrawl.sitemaps.reader import SitemapLimits, SitemapReader
from tests.sitemaps.reading import URL, entry, read, urlset

DATA = Path(__file__).parent / "data" / "sitemaps"
FILES = sorted(path for path in DATA.iterdir() if path.suffix != ".json" and "50k" not in path.name)
A, C = "https://shop.example/a", "https://shop.example/c"
MEBIBYTE = 1024 * 1024


def test_a_gzip_bomb_adds_little_memory() -> None:
    """512 MiB of a map's text in some 500 kB, read in a process of its own to see its memory."""
    script = """
        import json, resource, zlib
        from sitecrawl.sitemaps.reader import SitemapReader

        packer = zlib.compressobj(9, wbits=31)
        start = b"<urlset><url><loc>https://shop.example/a</loc></url><url><loc>"
        body = packer.compress(start)
        block = b"a" * 1048576
        for _ in range(512):
            body += packer.compress(block)
        body += packer.flush()
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        reader = SitemapReader(body, "https://shop.example/bomb.xml.gz")
        locs = [loc for chunk in reader for loc in chunk.pages.locs]
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        kinds = [finding.kind for finding in reader.findings]
        size = reader.decompressed_bytes
        print(json.dumps([locs, kinds, reader.truncated, size, after - before]))
    """
    command = [sys.executable, "-c", textwrap.dedent(script)]
    answer = subprocess.run(command, capture_output=True, check=True, timeout=240)
    locs, kinds, truncated, size, added_kilobytes = json.loads(answer.stdout)
    assert locs == [A]
    assert "over_limit" in kinds
    assert truncated
    assert size == 52_428_800
    assert added_kilobytes < 100_000


@pytest.mark.parametrize("layers", [1, 2])
def test_a_bomb_of_zeros_is_cut(layers: int) -> None:
    body = b"\0" * (64 * MEBIBYTE)
    for _ in range(layers):
        body = gzip.compress(body, 1)
    tracemalloc.start()
    reading = read(body)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert {"over_limit", "null_characters"} <= reading.kinds
    assert reading.truncated
    assert peak < 20 * MEBIBYTE


def test_entries_before_the_limit_survive() -> None:
    body = urlset(entry(A) + entry(C) * 1_000).encode()
    reading = read(gzip.compress(body), limits=SitemapLimits(max_bytes=1_000))
    assert reading.locs[0] == A
    assert 10 < len(reading.locs) < 30
    assert reading.truncated
    assert {"over_limit", "truncated"} <= reading.kinds


def test_an_uncompressed_body_has_the_same_limit() -> None:
    exact = f"{A}\n{C}\n".encode()
    assert not read(exact, limits=SitemapLimits(max_bytes=len(exact))).truncated
    cut = read(exact, limits=SitemapLimits(max_bytes=len(exact) - 2))
    assert cut.truncated
    assert cut.locs == [A]


def test_deep_nesting_costs_no_depth() -> None:
    deep = "<a>" * 20_000 + "</a>" * 20_000
    document = urlset(f"{deep}<url>{deep}<loc>{A}</loc></url><url><loc>{deep}{C}</loc></url>")
    started = time.process_time()
    assert read(document).locs == [A, C]
    assert read(urlset(entry(A) + "<url>" * 20_000 + entry(C))).locs == [A, C]
    stray_ends = "<url>" + "<a>" * 50_000 + "</b>" * 50_000 + "</url>"
    assert read(urlset(stray_ends + entry(C))).locs == [C]
    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    ("place", "inside"),
    [
        ("loc", "{}"),
        ("loc", "<![CDATA[{}]]>"),
        ("loc", "<b>{}</b>"),
        ("lastmod", "{}"),
        ("lastmod", "<!-- {} -->"),
        ("image:caption", "{}"),
        ("junk", "<?x {} ?>"),
    ],
)
def test_huge_text_is_not_kept(place: str, inside: str) -> None:
    text = inside.format("x" * (11 * MEBIBYTE))
    document = urlset(entry(A, f"<{place}>{text}</{place}>") + text + entry(C)).encode()
    tracemalloc.start()
    reader = SitemapReader(document, URL)
    locs = [loc for chunk in reader for loc in chunk.pages.locs]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [loc for loc in locs if loc] == [A, C]
    assert peak < 8 * MEBIBYTE


@pytest.mark.parametrize(
    "filler",
    ["<", "<a ", "<a '", "<!", "<!-", "&", "</", "<url>", "<a/>", "<!DOCTYPE [", "<?", "<loc>",
     "]]>", "a=", "a ", "<url><loc>", "<![CDATA["],
)  # fmt: skip
def test_no_repetition_takes_long(filler: str) -> None:
    noise = filler * (2 * MEBIBYTE // len(filler))
    started = time.process_time()
    read(urlset(entry(A) + noise))
    read(urlset(entry(f"{A}{noise[:60_000]}")))
    read(urlset(entry(A, f"<xhtml:link {noise[:60_000].replace('<', '')}/>")))
    read(f"https://shop.example/\n{noise}")
    assert time.process_time() - started < 15


def test_markup_that_is_only_broken_is_given_up() -> None:
    reading = read(urlset(entry(A) + "<" * 400_000 + entry(C)))
    assert reading.locs == [A]
    assert reading.truncated
    assert "over_limit" in reading.kinds


@pytest.mark.parametrize(
    "document",
    [
        urlset(entry(A, "<lastmod>2026-05-06</lastmod>") + entry(f"<![CDATA[{C}]]>")),
        f"<rss><channel><item><link>{A}</link></item><item><link>{C}</link></item></channel></rss>",
        f"{A}\n{C}\n",
    ],
)  # fmt: skip
def test_a_cut_at_any_byte_gives_only_whole_addresses(document: str) -> None:
    whole = document.encode()
    packed = gzip.compress(whole)
    for end in range(len(whole)):
        reading = read(whole[:end])
        if reading.kind != "text":  # a list of lines does not show that its last one is cut
            assert set(reading.locs) <= {A, C}
            assert reading.truncated or reading.kind == "invalid" or end >= len(whole) - 1
    for end in range(len(packed)):
        assert set(read(packed[:end]).locs) <= {A, C}


def test_a_date_that_is_cut_off_is_dropped() -> None:
    reading = read(f"<urlset><url><loc>{A}</loc><lastmod>2026-05-0")
    assert [row[:2] for row in reading.pages] == [(A, "")]


def test_null_bytes_are_dropped() -> None:
    reading = read(urlset(f"\0<u\0rl><loc>{A}\0</loc></url>\0\0") + "\0" * 1_000)
    assert reading.locs == [A]
    assert "null_characters" in reading.kinds


def test_batches_have_a_size() -> None:
    document = urlset("".join(entry(f"{A}/{number}") for number in range(1_234)))
    reader = SitemapReader(document.encode(), URL, SitemapLimits(batch_entries=500))
    assert [(chunk.pages.first, len(chunk.pages)) for chunk in reader] == [
        (1, 500),
        (501, 500),
        (1001, 234),
    ]
    assert list(reader) == []


def test_batches_come_while_the_document_is_read() -> None:
    document = urlset("".join(entry(f"{A}/{number}") for number in range(50_000))).encode()
    reader = SitemapReader(gzip.compress(document, 1), URL)
    assert len(next(iter(reader)).pages) == 5_000
    assert 0 < reader.decompressed_bytes < len(document) // 4
    assert reader.kind == "urlset"


def test_a_column_without_values_is_none() -> None:
    document = urlset(entry(A) * 2 + entry(A, "<priority>0.5</priority>") + entry(A))
    reader = SitemapReader(document.encode(), URL, SitemapLimits(batch_entries=2))
    first, second = (chunk.pages for chunk in reader)
    assert (first.lastmods, first.changefreqs, first.priorities) == (None, None, None)
    assert second.priorities == [0.5, -1.0]


@pytest.mark.parametrize(
    ("limit", "expected", "is_over"), [(0, 7, False), (7, 7, False), (6, 6, True)]
)
def test_the_limit_of_entries(limit: int, expected: int, *, is_over: bool) -> None:
    document = urlset(entry(A) * 5 + entry("/s.xml") * 2)
    reading = read(document, limits=SitemapLimits(max_entries=limit, batch_entries=3))
    assert reading.entries == expected
    assert reading.truncated is is_over
    assert ("over_limit" in reading.kinds) is is_over


def test_more_than_the_protocol_allows_is_kept() -> None:
    reading = read(urlset(entry(A) * 50_001))
    assert reading.entries == 50_001
    assert not reading.truncated
    assert reading.findings == [
        ("over_limit", "50,001 entries, the protocol allows 50,000", 1),
    ]
    assert read(urlset(entry(A) * 50_000)).findings == []


@given(st.binary(max_size=300), st.sampled_from([b"", b"\x1f\x8b\x08", b"<urlset>", b"\xff\xfe"]))
@settings(max_examples=500)
def test_random_bytes_raise_nothing(noise: bytes, start: bytes) -> None:
    reading = read(start + noise)
    assert all(loc.encode() for loc in reading.locs)


@given(
    st.sampled_from(FILES),
    st.lists(st.tuples(st.floats(0, 1), st.floats(0, 0.2), st.binary(max_size=12)), max_size=4),
    st.integers(1, 400),
)
@settings(max_examples=600)
def test_damaged_cases_raise_nothing(
    file: Path, edits: list[tuple[float, float, bytes]], piece_bytes: int
) -> None:
    body = file.read_bytes()
    for place, share, new in edits:
        start = int(place * len(body))
        body = body[:start] + new + body[start + int(share * len(body)) :]
    limits = SitemapLimits(piece_bytes=piece_bytes)
    reading = read(body, limits=limits)
    assert all(loc.encode() for loc in reading.locs + reading.maps)
    if not file.name.startswith("gz_"):
        assert read(zlib.compress(body), limits=limits).locs == reading.locs


A, B = "https://shop.example/a", "http://shop.example/b?x=1&y=2"


@pytest.mark.parametrize(
    "document",
    [
        f"{A}\n{B}\n",
        f"{A}\r\n{B}",
        f"{A}\r{B}\r",
        f"\n\n  {A}  \n\n\t{B}\n",
        f"\ufeff{A}\n\ufeff{B}",
        f"{A}\t2026-05-06\tx\n{B}",
        f"{A} {B}",
        f"{A}, {B}",
    ],
)
def test_lists(document: str) -> None:
    reading = read(document)
    assert reading.kind == "text"
    assert reading.locs == [A, B]
    assert reading.findings == []


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig"])
def test_encodings(encoding: str) -> None:
    assert read(f"{A}\n{B}".encode(encoding)).locs == [A, B]
    assert read(codecs.BOM_UTF16_BE + f"{A}\n{B}".encode("utf-16-be")).locs == [A, B]


def test_junk_lines_are_skipped_and_counted() -> None:
    document = f"# our pages\n{A}\n/relative\nftp://x/\n\n<b>\n{B}\nwww.shop.example\n"
    reading = read(document)
    assert reading.locs == [A, B]
    assert reading.findings == [("junk_lines", "# our pages", 5)]


@pytest.mark.parametrize("char", ["\u200b", "\u200e", "\ufeff"])
def test_invisible_characters_around_an_address_are_left_out(char: str) -> None:
    reading = read(f"{char}{A}{char}\r\n {char} {B} {char}\r\n")
    assert (reading.locs, reading.findings) == ([A, B], [])


def test_references_are_not_resolved() -> None:
    assert read(f"{A}?x&amp;y").locs == [f"{A}?x&amp;y"]


def test_maps_go_to_the_children() -> None:
    reading = read(f"{A}\nhttps://shop.example/sitemap.xml.gz\n")
    assert (reading.locs, reading.maps) == ([A], ["https://shop.example/sitemap.xml.gz"])


@pytest.mark.parametrize("piece_bytes", [1_000, 10_000_000])
def test_a_line_without_end_is_skipped(piece_bytes: int) -> None:
    document = f"{A}\nhttps://shop.example/{'x' * 200_000}\n{B}\n"
    reading = read(document, limits=SitemapLimits(piece_bytes=piece_bytes))
    assert reading.locs == [A, B]
    assert reading.kinds == {"junk_lines"}


@pytest.mark.parametrize("piece_bytes", [1, 2, 3, 50])
def test_pieces_make_no_difference(piece_bytes: int) -> None:
    document = f"{A}\r\n{B}\r\nx\r\n"
    assert read(document, limits=SitemapLimits(piece_bytes=piece_bytes)) == read(document)
