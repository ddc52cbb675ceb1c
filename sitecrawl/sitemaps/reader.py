"""Reads sitemaps and feeds: a body in, chunks of entries and findings out.

XML goes to the scanner of markup, a plain list of URLs (one per line) is read here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Protocol

from sitecrawl.parsing.encoding import decode_pieces
from sitecrawl.parsing.findings import Finding, FindingKind, Findings
from sitecrawl.sitemaps.compression import Decompressor
from sitecrawl.sitemaps.entries import (
    INVISIBLE,
    EntrySink,
    SitemapChunk,
    SitemapKind,
    is_map_file,
)
from sitecrawl.sitemaps.fast_urlset import PlainUrlScanner

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sitecrawl.sitemaps.scanner import MarkupScanner


PROTOCOL_MAX_ENTRIES = 50_000
_HEAD_CHARACTERS = 65_536
_LATE_DECLARATION = re.compile(r"\s+<\?xml\s")


@dataclass(frozen=True, slots=True)
class SitemapLimits:
    """How much of a document is read; `max_entries` 0 means all of them."""

    max_bytes: int = 52_428_800
    max_entries: int = 0
    batch_entries: int = 5_000
    piece_bytes: int = 131_072


DEFAULT_LIMITS = SitemapLimits()


class _Scanner(Protocol):
    is_cut: bool

    @property
    def kind(self) -> SitemapKind: ...
    @property
    def is_done(self) -> bool: ...
    def feed(self, text: str) -> None: ...
    def close(self, *, is_complete: bool) -> None: ...


class SitemapReader:
    """Iterates over the entries of a sitemap or feed in chunks, while it is read.

    - Any bytes are accepted, without exceptions: errors are findings.
    - `kind`, `findings`, `entries`, `decompressed_bytes` and `truncated` grow with the iteration
      and are final after it. A reader can be iterated over once.
    - `truncated` means that the document may list more than was read: it was cut by a limit,
      its compression is damaged or its root never ends.

    >>> reader = SitemapReader(b"https://shop.example/a", "https://shop.example/sitemap.txt")
    >>> [chunk.pages.locs for chunk in reader], reader.kind.value
    ([['https://shop.example/a']], 'text')
    """

    markup_scanner: ClassVar[type[MarkupScanner]] = PlainUrlScanner

    def __init__(self, body: bytes, url: str, limits: SitemapLimits = DEFAULT_LIMITS):
        self.entries = 0
        self.truncated = False
        self._is_over = False
        self._url = url
        self._limits = limits
        self._findings = Findings()
        self._sink = EntrySink(self._findings)
        self._plain = Decompressor(
            body,
            max_bytes=limits.max_bytes,
            piece_bytes=limits.piece_bytes,
            findings=self._findings,
        )
        self._scanner: _Scanner | None = None
        self._steps = self._read()

    def __iter__(self) -> Iterator[SitemapChunk]:
        return (chunk for chunk in self._steps if chunk is not None)

    def steps(self) -> Iterator[SitemapChunk | None]:
        """The same chunks, and None after each piece of the document.

        So a caller that shares its thread gets control back regularly.
        """
        return self._steps

    @property
    def kind(self) -> SitemapKind:
        return self._scanner.kind if self._scanner else SitemapKind.INVALID

    @property
    def findings(self) -> list[Finding]:
        return self._findings.as_list()

    @property
    def decompressed_bytes(self) -> int:
        return self._plain.bytes_out

    def _read(self) -> Iterator[SitemapChunk | None]:
        for text in self._texts():
            if self._scanner is None:
                self._scanner = self._scanner_for(text)
                if self._scanner is None:
                    break
            self._scanner.feed(text)
            yield from self._ready(self._limits.batch_entries)
            yield None
            if self._scanner.is_done or self._is_over:
                break
        yield from self._finish()

    def _texts(self) -> Iterator[str]:
        """The text in pieces; the first one is long enough to recognise the format."""
        pieces = decode_pieces(self._plain, self._findings)
        head = ""
        has_blanks = False
        for piece in pieces:
            head += piece
            if head.isspace():
                has_blanks, head = True, ""
            if len(head) >= _HEAD_CHARACTERS:
                break
        if (has_blanks and head.startswith("<?xml")) or _LATE_DECLARATION.match(head):
            self._findings.note(FindingKind.LEADING_JUNK, "blanks before the XML declaration")
        if head:
            yield head
        yield from pieces

    def _scanner_for(self, head: str) -> _Scanner | None:
        head = head[:_HEAD_CHARACTERS]
        if is_text_list(head):
            return TextListScanner(self._sink)
        other = describe_other(head)
        if other:
            self._findings.note(FindingKind.NOT_A_SITEMAP, other)
            return None
        return self.markup_scanner(self._sink, self._url)

    def _finish(self) -> Iterator[SitemapChunk]:
        if self._scanner is None:
            if FindingKind.NOT_A_SITEMAP not in self._findings:
                self._findings.note(FindingKind.EMPTY, "the document is empty")
        elif not self._is_over:
            self._scanner.close(is_complete=not self._plain.is_truncated)
            yield from self._ready(1)
            if not self.entries and self.kind is not SitemapKind.INVALID:
                self._findings.note(FindingKind.EMPTY, "no entries")
        self.truncated |= self._plain.is_truncated
        self.truncated |= self._scanner is not None and self._scanner.is_cut
        if self.entries > PROTOCOL_MAX_ENTRIES:
            detail = f"{self.entries:,} entries, the protocol allows {PROTOCOL_MAX_ENTRIES:,}"
            self._findings.note(FindingKind.OVER_LIMIT, detail)

    def _ready(self, minimum: int) -> Iterator[SitemapChunk]:
        """The collected entries in chunks, while there are at least `minimum` of a kind."""
        pages, children = self._sink.pages, self._sink.children
        while max(len(pages), len(children)) >= minimum:
            room = most = self._limits.batch_entries
            if self._limits.max_entries:
                room = self._limits.max_entries - self.entries
            if room == 0:
                self._is_over = self.truncated = True
                detail = f"more than {self._limits.max_entries:,} entries"
                self._findings.note(FindingKind.OVER_LIMIT, detail)
                return
            page_batch = pages.take(min(most, room))
            child_batch = children.take(min(most, room - len(page_batch)))
            self.entries += len(page_batch) + len(child_batch)
            yield SitemapChunk(page_batch, child_batch)


_MAX_LINE_CHARACTERS = 65_536
_LINE_END = re.compile(r"[\r\n]+")
# Some lists have several addresses in a line.
_BETWEEN_URLS = re.compile(r"[\s,;]+(?=https?://)", re.IGNORECASE)


class TextListScanner:
    """Reads one URL per line (up to a tab); other lines are skipped and counted."""

    kind = SitemapKind.TEXT
    is_done = False

    def __init__(self, sink: EntrySink):
        self.is_cut = False
        self._sink = sink
        self._held = ""
        self._is_skipping = False

    def feed(self, text: str) -> None:
        *lines, self._held = _LINE_END.split(self._held + text)
        if lines and self._is_skipping:
            self._is_skipping = False
            del lines[0]
        for line in lines:
            self._read(line)
        if len(self._held) > _MAX_LINE_CHARACTERS and not self._is_skipping:
            self._is_skipping = True
            self._read(self._held)
        if self._is_skipping:
            self._held = ""

    def close(self, *, is_complete: bool) -> None:
        if is_complete:
            self._read(self._held)
        self._held = ""

    def _read(self, line: str) -> None:
        text = line.strip().strip(INVISIBLE).partition("\t")[0].strip().strip(INVISIBLE)
        is_url = text[:8].lower().startswith(("http://", "https://"))
        if is_url and len(line) <= _MAX_LINE_CHARACTERS:
            for url in _BETWEEN_URLS.split(text):
                columns = self._sink.children if is_map_file(url) else self._sink.pages
                columns.add(url, "")
        elif text:
            self._sink.findings.note(FindingKind.JUNK_LINES, text)


_URL_LINE = re.compile(rf"(?:^|[\r\n])[ \t{INVISIBLE}]*https?://[^\s<>]", re.IGNORECASE)
_ROOT_TAG = re.compile(r"<(?:\w+:)?(?:urlset|sitemapindex|rss|rdf|feed)[\s>]", re.IGNORECASE)
# As decoded: bytes above 0x7f have become windows-1252 characters.
_SIGNATURES = (
    ("%PDF", "a PDF file"),
    ("{", "JSON"),
    ("[", "JSON"),
    ("\u2030PNG", "an image"),
    ("GIF8", "an image"),
    ("PK\x03\x04", "a zip archive"),
    ("\x1f\u2039", "compressed in too many layers"),
)


def is_text_list(head: str) -> bool:
    """Whether a document is a list of URLs: a URL starts a line before any markup.

    >>> is_text_list("# our pages\\r\\nhttps://shop.example/a\\r\\n")
    True
    >>> is_text_list('<a href="https://shop.example/a">')
    False
    """
    before_markup = head.partition("<")[0]
    return bool(_URL_LINE.search(before_markup)) and not _ROOT_TAG.search(head)


def describe_other(head: str) -> str:
    """Describe a document that cannot be a sitemap; the empty string if it may be one.

    >>> describe_other('{"error": 404}'), describe_other("Warning: x\\n<urlset>")
    ('JSON', '')
    """
    if _ROOT_TAG.search(head):
        return ""
    start = head.lstrip("\ufeff \t\r\n")
    for signature, name in _SIGNATURES:
        if start.startswith(signature):
            return name
    return "" if "<" in head else "neither markup nor a list of URLs"
