"""Whether an answer looks like an HTML page."""

from __future__ import annotations

import re

_HEAD_BYTES = 2_048
_HTML_TYPES = frozenset({"text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml"})
_OPEN_TYPES = frozenset(
    {"", "application/octet-stream", "binary/octet-stream", "text/plain", "unknown/unknown", "*/*"}
)
_XML_TYPES = frozenset({"text/xml", "application/xml"})
_SIGNATURES = (
    b"%PDF", b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"PK\x03\x04", b"\x1f\x8b", b"RIFF", b"BZh",
    b"7z\xbc\xaf", b"Rar!", b"ID3", b"OggS", b"\x00\x00\x00",
)  # fmt: skip
_HTML_START = re.compile(
    rb"<(?:!doctype\s+html|html|head|body|title|meta|link|script|div|table|p|h[1-6]|a|ul|br"
    rb"|frameset|center|font|nav|main|header|article|section)[\s/>]",
    re.IGNORECASE,
)
_ROOT = re.compile(rb"<html[\s>]", re.IGNORECASE)
_DATA_START = re.compile(rb"\s*[\[{]")


def looks_like_html(body: bytes, content_type: str) -> bool:
    """Whether a body is a page, by its type and, where that leaves it open, by its start."""
    media_type = content_type.partition(";")[0].strip().lower()
    head = body[:_HEAD_BYTES]
    if head.startswith(_SIGNATURES):
        return False
    if b"\0" in head:
        head = head.replace(b"\0", b"")
    if media_type in _HTML_TYPES:
        return not _DATA_START.match(head) or bool(_HTML_START.search(head))
    if media_type in _XML_TYPES:
        return bool(_ROOT.search(head))
    return media_type in _OPEN_TYPES and bool(_HTML_START.search(head))
