"""Pages as UTF-8: what the bytes show counts more than what headers and meta elements say."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from w3lib.encoding import html_body_declared_encoding, http_content_type_encoding

from sitecrawl.parse.encoding import decode_pieces
from sitecrawl.parse.findings import FindingKind

if TYPE_CHECKING:
    from sitecrawl.parse.findings import Findings

_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")
_UTF8_MARK = b"\xef\xbb\xbf"
_ESCAPE = b"\x1b"
_SNIFF_BYTES = 512
# The 8-bit and multi-byte encodings that browsers know, by Python's names. Others, such as
# punycode, are no encodings of documents and may cost without bounds.
_KNOWN = re.compile(
    r"cp(?:125[0-8]|866|874|93[26]|949|950)|iso8859-\d{1,2}|koi8-[ru]|mac-(?:roman|cyrillic)"
    r"|gb(?:k|2312|18030)|hz|big5(?:hkscs)?|euc_(?:jp|kr)|shift_jis(?:_2004|x0213)?"
    r"|iso2022_(?:jp|kr)(?:_\w+)?|tis-620|johab|latin-1"
)
_STATEFUL = ("iso2022", "hz")


def page_as_utf8(body: bytes, content_type: str, findings: Findings) -> bytes:
    """Give a page's bytes in UTF-8, without null characters."""
    if body.startswith(_WIDE_MARKS) or b"\0" in body[:_SNIFF_BYTES]:
        # Wide encodings, with a mark or shown by their zero bytes.
        return "".join(decode_pieces((body,), findings)).encode("utf-8", "replace")
    if b"\0" in body:
        findings.note(FindingKind.NULL_CHARACTERS, "null characters were dropped")
        body = body.replace(b"\0", b"")
    body = body.removeprefix(_UTF8_MARK)
    try:
        # Text that happens to be right in UTF-8 is UTF-8, whatever it is said to be.
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
        # Bytes that are no UTF-8 are read as windows-1252.
        return "".join(decode_pieces((body,), findings)).encode("utf-8", "replace")
    text = body.decode(name, "replace")
    if "\ufffd" in text:
        findings.note(FindingKind.ENCODING, f"some bytes are not in the declared {name}")
    return text.encode("utf-8", "replace")
