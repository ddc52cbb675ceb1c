from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.parse.robots import MAX_BYTES, MAX_LINES, sitemap_lines

MAP = "https://shop.example/sitemap.xml"


def values(body: bytes | str) -> list[str]:
    body = body.encode() if isinstance(body, str) else body
    return [line.value for line in sitemap_lines(body)]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"Sitemap: {MAP}", [MAP]),
        (f"sitemap:{MAP}\n", [MAP]),
        (f"SITEMAP :\t{MAP}  \n", [MAP]),
        (f"Site-map: {MAP}", [MAP]),
        (f"  \tSitemap: {MAP}", [MAP]),
        (f"User-agent: *\rDisallow: /\rSitemap: {MAP}\r", [MAP]),
        (f"User-agent: *\r\nSitemap: {MAP}\r\nSitemap: /b.xml\r\n", [MAP, "/b.xml"]),
        (f"Sitemap: {MAP} # the map", [MAP]),
        (f"Sitemap: {MAP}#the-map", [MAP]),
        (f"#Sitemap: {MAP}", []),
        ("Sitemap:", []),
        ("Sitemap: # none", []),
        (f"My-Sitemap: {MAP}\nSitemaps: {MAP}\nSitemap {MAP}", []),
        (f"\n<html><body>\nSitemap: {MAP}\n</body></html>", []),
        ("", []),
        (codecs.BOM_UTF8 + f"Sitemap: {MAP}".encode(), [MAP]),
        (codecs.BOM_UTF16_LE + f"Sitemap: {MAP}\r\n".encode("utf-16-le"), [MAP]),
        (b"Sitemap: /caf\xe9.xml", ["/café.xml"]),
    ],
)
def test_values(body: bytes | str, expected: list[str]) -> None:
    assert values(body) == expected


def test_lines_are_numbered() -> None:
    [line] = sitemap_lines(f"# a\r\n\r\n  Sitemap: {MAP} # b \r\n".encode())
    assert line == (3, f"Sitemap: {MAP} # b", MAP)


def test_only_the_start_of_a_huge_body_is_read() -> None:
    filler = "x" * (MAX_BYTES - 20)
    assert values(f"Sitemap: /a\n{filler}\nSitemap: /b") == ["/a"]


def test_the_number_of_lines_is_limited() -> None:
    assert len(values("Sitemap: /a\n" * (MAX_LINES + 1))) == MAX_LINES


@given(st.binary(max_size=200))
def test_any_bytes_are_a_robots_txt(body: bytes) -> None:
    assert all(line.value and line.line > 0 for line in sitemap_lines(b"Sitemap: /\n" + body))
