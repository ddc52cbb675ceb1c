from __future__ import annotations

import codecs

import pytest

from sitecrawl.parse.sitemap import SitemapLimits
from tests.parse.reading import read

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
