from __future__ import annotations

import codecs
from datetime import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.robots.file import RobotsFile
from sitecrawl.robots.lines import (
    MAX_BYTES,
    MAX_LINE_BYTES,
    MAX_LINES,
    Field,
    RobotsText,
    SitemapLine,
    parse_crawl_delay,
    parse_request_rate,
)

MAP = "https://shop.example/sitemap.xml"


def sitemap_lines(body: bytes) -> tuple[SitemapLine, ...]:
    return RobotsFile.parse(body, "sitecrawl").sitemaps


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
        (f"My-Sitemap: {MAP}\nthe Sitemap {MAP}\nSitemap {MAP} and {MAP}", []),
        # As in Google's parser: a longer word, and a colon that is missing.
        (f"Sitemaps: {MAP}\nSitemap-index: /b.xml", [MAP, "/b.xml"]),
        (f"Sitemap {MAP}\nsitemap\t/b.xml # b", [MAP, "/b.xml"]),
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


def read(body: bytes | str) -> list[tuple[int, Field | None, bytes]]:
    body = body.encode() if isinstance(body, str) else body
    return [(line.number, line.field, line.value) for line in RobotsText(body)]


@pytest.mark.parametrize(
    ("line", "field", "value"),
    [
        ("User-agent: a", Field.USER_AGENT, "a"),
        ("USER-AGENT:a", Field.USER_AGENT, "a"),
        ("Useragent: a b", Field.USER_AGENT, "a b"),
        ("User agent: a", Field.USER_AGENT, "a"),
        ("User-agent a", Field.USER_AGENT, "a"),
        ("User agent a", None, ""),
        ("User-agent: a # b", Field.USER_AGENT, "a"),
        ("User-agent:", Field.USER_AGENT, ""),
        ("Allow: /a", Field.ALLOW, "/a"),
        ("Allowed: /a", Field.ALLOW, "/a"),
        (" \tDisallow \t:\t /a \t", Field.DISALLOW, "/a"),
        ("Disallow /a", Field.DISALLOW, "/a"),
        ("Disallow /a b", None, ""),
        ("Disallow: /a b", Field.DISALLOW, "/a b"),
        ("Disallow: /a:b", Field.DISALLOW, "/a:b"),
        ("Disallow:/a#b", Field.DISALLOW, "/a"),
        *[
            (f"{typo}: /a", Field.DISALLOW, "/a")
            for typo in ("dissallow", "dissalow", "Disalow", "diasllow", "disallaw")
        ],
        ("Alow: /a", None, "/a"),
        ("Crawl-delay: 2", Field.CRAWL_DELAY, "2"),
        ("crawl delay: 2", Field.CRAWL_DELAY, "2"),
        ("Crawl-delay 2", Field.CRAWL_DELAY, "2"),
        ("Request-rate: 1/5", Field.REQUEST_RATE, "1/5"),
        ("Noindex: /a", None, "/a"),
        (": /a", None, "/a"),
        ("/a", None, ""),
        ("Sitemap /a.xml", Field.SITEMAP, "/a.xml"),
    ],
)
def test_fields(line: str, field: Field | None, value: str) -> None:
    assert read(line) == [(1, field, value.encode())]


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_line_ends(end: str) -> None:
    lines = read(end.join(["# a", "", "Allow: /b", "", "Allow: /c", ""]))
    assert lines == [(3, Field.ALLOW, b"/b"), (5, Field.ALLOW, b"/c")]


@pytest.mark.parametrize("char", ["\v", "\f", "\x1c", "\x85", "\u2028", "\u2029"])
def test_nothing_else_ends_a_line(char: str) -> None:
    assert read(f"# a{char}Allow: /b") == []


@pytest.mark.parametrize("mark", [b"", b"\xef", b"\xef\xbb", b"\xef\xbb\xbf"])
def test_a_byte_order_mark_may_be_cut(mark: bytes) -> None:
    assert read(mark + b"Allow: /a") == [(1, Field.ALLOW, b"/a")]


@pytest.mark.parametrize("mark", [b"\xef\x11\xbf", b"\xbb\xbf"])
def test_other_bytes_are_no_byte_order_mark(mark: bytes) -> None:
    assert [field for _, field, _ in read(mark + b"Allow: /a\nAllow: /b")] == [None, Field.ALLOW]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_wide_encodings_become_utf_8(encoding: str) -> None:
    assert read("Allow: /é\n".encode(encoding)) == [(1, Field.ALLOW, "/é".encode())]


def test_other_bytes_stay_as_they_are() -> None:
    [line] = RobotsText(b"Allow: /caf\xe9\0")
    assert (line.value, line.text) == (b"/caf\xe9", "Allow: /café")


def test_a_line_that_the_limit_cuts_does_not_count() -> None:
    rule = b"Disallow: /private\n"
    start = b"#" * (MAX_BYTES - len(rule) - 9) + b"\n"
    text = RobotsText(start + rule * 2)
    assert (text.is_cut, [line.value for line in text]) == (True, [b"/private"])


def test_a_long_line_is_cut() -> None:
    text = RobotsText(b"Disallow: /" + b"a" * MAX_LINE_BYTES + b"\nAllow: /b")
    assert text.long_lines == [1]
    assert [len(line.raw) for line in text] == [MAX_LINE_BYTES, len(b"Allow: /b")]


GROUP = b"\nUser-agent: *\nDisallow: /\n"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"<html>not found</html>", "HTML"),
        (b"<html>\n<script>\n  userAgent: window.navigator\n</script>", "HTML"),
        (b"\r\n <!DOCTYPE html>\n" + GROUP, ""),
        (b"<?xml version='1.0'?>", "HTML"),
        (b"<!-- no rules -->", "markup"),
        (b"<!-- rules -->" + GROUP, ""),
        (b"<<<" + GROUP, ""),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "binary data"),
        (b"\x1f\x8b\x08\0\0\0", "binary data"),
        (bytes(range(32)) * 10, "binary data"),
        (bytes(range(1, 9)) + GROUP, ""),
        (b"", ""),
        (b"not found", ""),
        (b'{"error": 404}', ""),
    ],
)
def test_what_is_no_text(body: bytes, expected: str) -> None:
    text = RobotsText(body)
    assert text.not_text == expected
    assert not expected or list(text) == []


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("0", 0.0), ("2", 2.0), ("2.5", 2.5), ("2.", 2.0), (".5", 0.5), ("86400", 86400.0)],
)
def test_crawl_delay(value: str, seconds: float) -> None:
    assert parse_crawl_delay(value, 7) == (seconds, 7)


@pytest.mark.parametrize(
    "value", ["", "-1", "2s", "1,5", "inf", "nan", "1e3", "1_0", "٣", "9" * 400, "two"]
)
def test_what_is_no_crawl_delay(value: str) -> None:
    assert parse_crawl_delay(value, 7) is None


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("1/5", (1, 5, None, None)),
        ("1/5s", (1, 5, None, None)),
        ("10 / 1M", (10, 60, None, None)),
        ("1/2h", (1, 7200, None, None)),
        ("3/1d", (3, 86400, None, None)),
        ("1/10m 0600-0845", (1, 600, time(6), time(8, 45))),
        ("1/10m 6:00 - 8:45 UTC", (1, 600, time(6), time(8, 45))),
        ("1/1 2200-2400", (1, 1, time(22), time.max)),
    ],
)
def test_request_rate(value: str, expected: tuple[object, ...]) -> None:
    assert parse_request_rate(value, 7) == (*expected, 7)


@pytest.mark.parametrize(
    "value", ["", "1", "0/5", "1/0", "-1/5", "1/5w", "1/5 0600", "1/5 2500-2600", "a/b", "1/5 x"]
)
def test_what_is_no_request_rate(value: str) -> None:
    assert parse_request_rate(value, 7) is None


@pytest.mark.parametrize(
    ("hours", "inside", "outside"),
    [("0600-0845", time(8, 45), time(8, 46)), ("2200-0600", time(23), time(12))],
)
def test_hours(hours: str, inside: time, outside: time) -> None:
    rate = parse_request_rate(f"2/10 {hours}", 1)
    assert rate is not None
    assert (rate.holds_at(inside), rate.holds_at(outside)) == (True, False)
    assert rate.seconds_between == 5.0
