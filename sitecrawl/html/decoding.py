"""Decides whether a body is HTML, and in which encoding: its bytes count more than headers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from w3lib.encoding import html_body_declared_encoding, http_content_type_encoding

from sitecrawl.parsing.encoding import decode_pieces
from sitecrawl.parsing.findings import FindingKind

if TYPE_CHECKING:
    from sitecrawl.parsing.findings import Findings


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
    """Whether a body is an HTML page: by its content type, if that is not clear by its start."""
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


_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")
_UTF8_MARK = b"\xef\xbb\xbf"
_ESCAPE = b"\x1b"
_SNIFF_BYTES = 512
# The 8-bit and multi-byte encodings that browsers know, by Python's names. Others, such as
# punycode, are not encodings of documents and may take unbounded time.
_KNOWN = re.compile(
    r"cp(?:125[0-8]|866|874|93[26]|949|950)|iso8859-\d{1,2}|koi8-[ru]|mac-(?:roman|cyrillic)"
    r"|gb(?:k|2312|18030)|hz|big5(?:hkscs)?|euc_(?:jp|kr)|shift_jis(?:_2004|x0213)?"
    r"|iso2022_(?:jp|kr)(?:_\w+)?|tis-620|johab|latin-1"
)
_STATEFUL = ("iso2022", "hz")


def page_as_utf8(body: bytes, content_type: str, findings: Findings) -> bytes:
    """The bytes of a page in UTF-8, without null characters."""
    if body.startswith(_WIDE_MARKS) or b"\0" in body[:_SNIFF_BYTES]:
        # Wide encodings, with a mark or shown by their zero bytes.
        return "".join(decode_pieces((body,), findings)).encode("utf-8", "replace")
    if b"\0" in body:
        findings.note(FindingKind.NULL_CHARACTERS, "null characters were dropped")
        body = body.replace(b"\0", b"")
    body = body.removeprefix(_UTF8_MARK)
    try:
        # Text that is valid UTF-8 is UTF-8, whatever it is declared as.
        body.decode()
    except UnicodeDecodeError:
        return _from_declared(body, content_type, findings)
    if _ESCAPE in body and _declared(body, content_type).startswith(_STATEFUL):
        return _from_declared(body, content_type, findings)
    return body


def _declared(body: bytes, content_type: str) -> str:
    for name in (http_content_type_encoding(content_type), html_body_declared_encoding(body)):
        if name and _KNOWN.fullmatch(name):
            return name
    return ""


def _from_declared(body: bytes, content_type: str, findings: Findings) -> bytes:
    name = _declared(body, content_type)
    if not name:
        # Bytes that are not UTF-8 are read as windows-1252.
        return "".join(decode_pieces((body,), findings)).encode("utf-8", "replace")
    text = body.decode(name, "replace")
    if "\ufffd" in text:
        findings.note(FindingKind.ENCODING, f"some bytes are not in the declared {name}")
    return text.encode("utf-8", "replace")
