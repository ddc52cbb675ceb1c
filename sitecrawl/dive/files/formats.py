"""The formats of files: how they are recognised, and why a file is not read."""

from __future__ import annotations

import re
from enum import StrEnum
from importlib.util import find_spec
from typing import Final
from urllib.parse import unquote, urlsplit

from sitecrawl.errors import SitecrawlError

# Readers may skip bytes before the signature (ISO 32000-1, annex H.3.4.1).
_PDF_HEAD_BYTES: Final = 1_024
_ZIP: Final = b"PK\x03\x04"
# Old office files, and new ones with a password.
_COMPOUND: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_TEXT_ENDINGS: Final = frozenset({"txt", "text", "md", "markdown"})
_ENDING: Final = re.compile(r"\.([a-z0-9]{1,8})$", re.IGNORECASE)


class FileFormat(StrEnum):
    HTML = "html"
    PDF = "pdf"
    WORD = "docx"
    SLIDES = "pptx"
    SHEETS = "xlsx"
    OPEN_TEXT = "odt"
    OPEN_SLIDES = "odp"
    OPEN_SHEETS = "ods"
    EPUB = "epub"
    TEXT = "text"
    UNKNOWN = "unknown"
    """Of a file that could not be read."""


class FileProblem(StrEnum):
    """Why a file was not read."""

    ENCRYPTED = "encrypted"
    """It needs a password."""
    DAMAGED = "damaged"
    """Its content does not match its format, or the format cannot be read."""
    TOO_LARGE = "too_large"
    """Unpacked, or in memory."""
    TOO_SLOW = "too_slow"


class UnreadableFileError(SitecrawlError):
    """A file that cannot be read, with the problem."""

    def __init__(self, problem: FileProblem, message: str):
        super().__init__(message)
        self.problem = problem


def is_pdf_readable() -> bool:
    """Whether the package that reads PDF files is installed."""
    return find_spec("pypdf") is not None


def is_pdf(body: bytes) -> bool:
    return b"%PDF-" in body[:_PDF_HEAD_BYTES]


def is_file(body: bytes, url: str) -> bool:
    """Whether the body is a file and not an HTML page.

    >>> is_file(b"%PDF-1.7 ...", "https://example.com/a"), is_file(b"<p>", "https://example.com/a")
    (True, False)
    >>> is_file(b"Read me", "https://example.com/README.md")
    True
    """
    is_binary = is_pdf(body) or body.startswith((_ZIP, _COMPOUND))
    return is_binary or (ending_of(url) in _TEXT_ENDINGS and not body.lstrip().startswith(b"<"))


def is_archive(body: bytes) -> bool:
    return body.startswith(_ZIP)


def is_compound(body: bytes) -> bool:
    return body.startswith(_COMPOUND)


def ending_of(url: str) -> str:
    """The ending of the last part of the path, in lower case.

    >>> ending_of("https://example.com/a/Prices.PDF?v=2"), ending_of("https://example.com/a.b/c")
    ('pdf', '')
    """
    found = _ENDING.search(urlsplit(url).path)
    return found[1].lower() if found else ""


def name_of(url: str) -> str:
    """The name of a file, as the title of one without a title.

    >>> name_of("https://example.com/files/price%20list-2026.pdf")
    'price list-2026.pdf'
    """
    return unquote(urlsplit(url).path.rpartition("/")[2])
