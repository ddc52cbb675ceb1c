"""The reader of sitemaps: a body in, chunks of entries and findings out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Protocol

from sitecrawl.parse.columns import EntrySink
from sitecrawl.parse.compression import Decompressor
from sitecrawl.parse.encoding import decode_pieces
from sitecrawl.parse.entries import SitemapChunk
from sitecrawl.parse.findings import Finding, FindingKind, Findings
from sitecrawl.parse.plainurls import PlainUrlScanner
from sitecrawl.parse.scanner import MarkupScanner, SitemapKind
from sitecrawl.parse.sniff import describe_other, is_text_list
from sitecrawl.parse.textlist import TextListScanner

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "DEFAULT_LIMITS",
    "PROTOCOL_MAX_ENTRIES",
    "SitemapChunk",
    "SitemapKind",
    "SitemapLimits",
    "SitemapReader",
]

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

    - Any bytes are accepted and no exception comes out of them: what is wrong is a finding.
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

        So whoever shares a thread with others gets control back in time, whatever it holds.
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
        """Give the text in pieces, of which the first is long enough to tell what it is."""
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
        """Give what is collected in chunks, as long as at least `minimum` of a kind are there."""
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
