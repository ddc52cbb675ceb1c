from __future__ import annotations

import pytest

from sitecrawl.parse.links.kinds import looks_like_html

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
