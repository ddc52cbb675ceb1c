from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.html.decoding import looks_like_html, page_as_utf8
from sitecrawl.parsing.findings import Findings
from tests.html.reading import kinds, read

PAGE = b"<!DOCTYPE html><html><body>x"


@pytest.mark.parametrize(
    ("body", "content_type", "is_page"),
    [
        (PAGE, "text/html", True),
        (PAGE, "Text/HTML; charset=utf-8", True),
        (PAGE, "application/xhtml+xml", True),
        (b"", "text/html", True),
        (b"plain words", "text/html", True),
        (b"%PDF-1.7", "text/html", False),
        (b"\x89PNG\r\n", "text/html", False),
        (b"PK\x03\x04", "", False),
        (b'{"error": 1}', "text/html", False),
        (b'[1, "<div>x</div>"]', "text/html", True),
        (b"{ <p>a page that starts oddly</p>", "text/html", True),
        (PAGE, "", True),
        (PAGE, "text/plain", True),
        (PAGE, "application/octet-stream", True),
        (b"  <a href=x>", "", True),
        (b"plain words", "text/plain", False),
        (b"", "", False),
        (b"<rss><channel>", "", False),
        (b'<?xml version="1.0"?><html xmlns="x">', "application/xml", True),
        (b"<urlset>", "application/xml", False),
        (PAGE, "application/json", False),
        (PAGE, "image/svg+xml", False),
        (PAGE, "application/pdf", False),
        ("<html>".encode("utf-16"), "", True),
    ],
)
def test_what_is_a_page(body: bytes, content_type: str, is_page: bool) -> None:
    assert looks_like_html(body, content_type) is is_page


TEXT = "<title>Grüße Привет</title>"


def decoded(body: bytes, content_type: str = "text/html") -> tuple[str, list[str]]:
    findings = Findings()
    text = page_as_utf8(body, content_type, findings).decode()
    return text, [finding.kind for finding in findings.as_list()]


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        pytest.param(TEXT.encode(), "text/html", id="nothing said"),
        pytest.param(TEXT.encode(), "text/html; charset=iso-8859-1", id="a lie in the header"),
        pytest.param(codecs.BOM_UTF8 + TEXT.encode(), "text/html", id="UTF-8 with a mark"),
        pytest.param(codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le"), "text/html", id="UTF-16 LE"),
        pytest.param(codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"), "text/html", id="UTF-16 BE"),
        pytest.param(TEXT.encode("utf-16-le"), "text/html", id="UTF-16 without a mark"),
        pytest.param(
            codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le"),
            "text/html;charset=utf-8",
            id="mark wins",
        ),
        pytest.param(TEXT.encode("gb18030"), "text/html; charset=GB2312", id="from the header"),
    ],
)
def test_the_text_is_found_whatever_is_said(body: bytes, content_type: str) -> None:
    assert decoded(body, content_type) == (TEXT, [])


@pytest.mark.parametrize(
    ("text", "encoding", "declared"),
    [
        ("Привет", "windows-1251", "windows-1251"),
        ("Привет", "koi8-r", "KOI8-R"),
        ("日本語", "shift_jis", "Shift_JIS"),
        ("日本語", "euc_jp", "euc-jp"),
        ("日本語", "iso2022_jp", "iso-2022-jp"),
        ("한국어", "cp949", "euc-kr"),
        ("繁體", "big5", "big5"),
        ("Grüße", "cp1252", "iso-8859-1"),
    ],
)
def test_a_meta_element_names_the_encoding(text: str, encoding: str, declared: str) -> None:
    body = f'<meta charset="{declared}"><p>'.encode() + text.encode(encoding)
    found, findings = decoded(body)
    assert found.endswith(f"<p>{text}")
    assert findings == []


@pytest.mark.parametrize(
    "declared", ["utf-8", "utf-16", "utf-7", "punycode", "zlib", "nonsense", ""]
)
def test_what_cannot_be_so_is_read_as_windows_1252(declared: str) -> None:
    body = f'<meta charset="{declared}">'.encode() + "Grüße".encode("cp1252")
    text, findings = decoded(body)
    assert text.endswith("Grüße")
    assert "encoding" in findings


def test_bytes_that_are_not_in_the_declared_encoding_are_a_finding() -> None:
    page = read(b"<p>\xff\xff\xff", content_type="text/html; charset=euc-jp")
    assert kinds(page) == ["encoding"]


def test_null_characters_are_dropped() -> None:
    page = read(b"<p>" + b"x" * 600 + b'</p><a hr\0ef="/a\0b">a\0b</a>')
    assert page.links.locs == ["/ab"]
    assert page.links.anchors == ["ab"]
    assert kinds(page) == ["null_characters"]


@given(
    st.binary(max_size=300), st.sampled_from(["", "text/html; charset=big5", "x; charset=utf-16"])
)
def test_any_bytes_become_utf8(body: bytes, content_type: str) -> None:
    text, _ = decoded(body, content_type)
    assert "\0" not in text
