"""Decodes documents: by byte order marks and zero bytes, then by declaration, then as UTF-8.

A document that claims UTF-8 wrongly keeps all its text: bytes that are not UTF-8 are read as
windows-1252, which such documents usually were written in.
"""

from __future__ import annotations

import codecs
import re
from typing import TYPE_CHECKING

from w3lib.encoding import resolve_encoding

from sitecrawl.parsing.findings import FindingKind, Findings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


_HEAD_BYTES = 1_024
_SNIFF_BYTES = 8
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    # Before UTF-16 LE, whose mark is the start of this one.
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Where the zero bytes of ASCII text are in each wide encoding.
_ZERO_PATTERNS = (
    (re.compile(rb"(?:[^\0]\0\0\0){2}"), "utf-32-le"),
    (re.compile(rb"(?:\0\0\0[^\0]){2}"), "utf-32-be"),
    (re.compile(rb"(?:[^\0]\0){4}"), "utf-16-le"),
    (re.compile(rb"(?:\0[^\0]){4}"), "utf-16-be"),
)
_DECLARATION = re.compile(rb"""<\?xml[^>]{0,200}?encoding\s*=\s*["']\s*([A-Za-z0-9._:-]{1,40})""")
_ASCII_PROBE = b'<?xml version="1.0"?>+-\\u0041&=#%'
_ERRORS = "sitecrawl_windows_1252"


def _read_as_windows_1252(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    bad = error.object[error.start : error.end]
    # The five bytes that windows-1252 does not define are controls on the web.
    text = "".join(bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in bad)
    return text, error.end


codecs.register_error(_ERRORS, _read_as_windows_1252)


def decode_pieces(pieces: Iterable[bytes], findings: Findings) -> Iterator[str]:
    """Decode a document that arrives in pieces; byte order marks and nulls are dropped."""
    iterator = iter(pieces)
    head = b""
    for piece in iterator:
        head += piece
        if len(head) >= _HEAD_BYTES:
            break
    decoder = _TextDecoder(_encoding_of(head, findings), findings)
    text = decoder.decode(head).lstrip("\ufeff")
    if text:
        yield text
    for piece in iterator:
        yield decoder.decode(piece)
    if tail := decoder.finish():
        yield tail


class _TextDecoder:
    def __init__(self, encoding: str, findings: Findings):
        self._findings = findings
        self._is_trusted = encoding == "utf-8"
        make = codecs.getincrementaldecoder(encoding)
        self._decoder = make("strict" if self._is_trusted else _tolerant_errors(encoding))

    def decode(self, piece: bytes, *, final: bool = False) -> str:
        if not self._is_trusted:
            return self._without_nulls(self._decoder.decode(piece, final))
        state = self._decoder.getstate()
        try:
            return self._without_nulls(self._decoder.decode(piece, final))
        except UnicodeDecodeError as error:
            byte = error.object[error.start]
            detail = f"byte 0x{byte:02x} is not UTF-8; such bytes are read as windows-1252"
            self._findings.note(FindingKind.ENCODING, detail)
            self._is_trusted = False
            self._decoder = codecs.getincrementaldecoder("utf-8")(_ERRORS)
            self._decoder.setstate(state)
            return self._without_nulls(self._decoder.decode(piece, final))

    def finish(self) -> str:
        return self.decode(b"", final=True)

    def _without_nulls(self, text: str) -> str:
        if "\0" not in text:
            return text
        if FindingKind.NULL_CHARACTERS not in self._findings:
            self._findings.note(FindingKind.NULL_CHARACTERS, "null characters were dropped")
        return text.replace("\0", "")


def _encoding_of(head: bytes, findings: Findings) -> str:
    for mark, encoding in _BOMS:
        if head.startswith(mark):
            return encoding
    for pattern, encoding in _ZERO_PATTERNS:
        if pattern.match(head[:_SNIFF_BYTES]):
            return encoding
    declared = _DECLARATION.search(head)
    return _usable(declared[1].decode("ascii"), findings) if declared else "utf-8"


def _usable(declared: str, findings: Findings) -> str:
    """Python's name of a declared encoding, or UTF-8 if the declaration cannot be true.

    Only encodings that read ASCII as ASCII qualify (the declaration itself was read so): that
    leaves out UTF-16 declared over 8-bit text, UTF-7, escapes, and Python's own oddities.
    """
    name = resolve_encoding(declared) or ""
    try:
        # `bytes.decode` refuses what is a codec but no text encoding, such as zlib; a text
        # encoding that insists on strictness is refused by its own decoder.
        text = _ASCII_PROBE.decode(name)
        decoder = codecs.getincrementaldecoder(name)(_tolerant_errors(name))
        is_ascii_based = text == decoder.decode(_ASCII_PROBE, True) == _ASCII_PROBE.decode("ascii")
    except (LookupError, UnicodeError):
        is_ascii_based = False
    if not is_ascii_based:
        findings.note(FindingKind.ENCODING, f"declared as {declared}, read as UTF-8")
        return "utf-8"
    return name


def _tolerant_errors(encoding: str) -> str:
    return _ERRORS if encoding == "cp1252" else "replace"
