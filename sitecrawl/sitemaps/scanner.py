"""The exact parser of sitemaps and feeds: finds the root, then reads the entries of its format."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitecrawl.parsing.findings import FindingKind
from sitecrawl.sitemaps.assembler import MapAssembler
from sitecrawl.sitemaps.entries import SitemapKind
from sitecrawl.sitemaps.feeds import AtomAssembler, RssAssembler
from sitecrawl.sitemaps.markup import MarkupTokenizer

if TYPE_CHECKING:
    from sitecrawl.sitemaps.assembler import EntryAssembler
    from sitecrawl.sitemaps.entries import EntrySink


MAX_JUNK_CHARACTERS = 1_048_576
# More do not occur by accident, and each one takes more time than a good tag.
MAX_BROKEN_TAGS = 100_000


_ROOT_KINDS = {
    "urlset": SitemapKind.URLSET,
    "sitemapindex": SitemapKind.INDEX,
    "rss": SitemapKind.RSS,
    "rdf": SitemapKind.RSS,
    "feed": SitemapKind.ATOM,
    # Entries without a root around them.
    "url": SitemapKind.URLSET,
    "sitemap": SitemapKind.INDEX,
}
_ENTRY_ROOTS = frozenset({"url", "sitemap"})
# Elements that servers print before a document: warnings, database errors.
_JUNK_NAMES = frozenset(
    {"a", "b", "br", "center", "code", "div", "em", "font", "hr", "i", "p", "pre", "script"}
    | {"small", "span", "strong", "style", "sub", "sup", "tt", "u"}
    | {"table", "tbody", "td", "th", "thead", "tr"}
)
_HTML_NAMES = frozenset({"html", "head", "body", "title", "meta", "frameset"})


class MarkupScanner:
    """The exact parser: every character goes through the tokenizer."""

    def __init__(self, sink: EntrySink, document_url: str):
        self.kind = SitemapKind.INVALID
        self.is_done = False
        self.is_cut = False
        self.assembler: EntryAssembler | None = None
        self._sink = sink
        self._document_url = document_url
        self._is_fragment = False
        self._tokenizer = MarkupTokenizer(_RootFinder(self))

    def feed(self, text: str) -> None:
        self._tokenizer.feed(text)
        if self._tokenizer.broken_tags > MAX_BROKEN_TAGS and not self.is_done:
            self.is_done = self.is_cut = True
            detail = f"more than {MAX_BROKEN_TAGS:,} broken tags"
            self._sink.findings.note(FindingKind.OVER_LIMIT, detail)

    def close(self, *, is_complete: bool) -> None:
        self._tokenizer.close()
        if self.assembler is None:
            if not self.is_done:
                self.refuse("markup without a root of a sitemap or feed")
            return
        self.assembler.finish()
        if not (self.assembler.is_root_closed or self._is_fragment):
            self.is_cut = True
            self._sink.findings.note(FindingKind.TRUNCATED, "the document ends before its root")

    def refuse(self, detail: str) -> None:
        self.is_done = True
        self._sink.findings.note(FindingKind.NOT_A_SITEMAP, detail)

    def note_junk(self, detail: str) -> None:
        if FindingKind.LEADING_JUNK not in self._sink.findings:
            self._sink.findings.note(FindingKind.LEADING_JUNK, detail)

    def open_root(self, prefix: str, name: str, attributes: str, *, is_empty: bool) -> None:
        self.kind = _ROOT_KINDS[name]
        if self.kind is SitemapKind.RSS or self.kind is SitemapKind.ATOM:
            feed = RssAssembler if self.kind is SitemapKind.RSS else AtomAssembler
            self.assembler = feed(
                self._sink, prefix, name, attributes=attributes, document_url=self._document_url
            )
        else:
            self.assembler = MapAssembler(self._sink, prefix, name)
        self._tokenizer.handler = self.assembler
        if name in _ENTRY_ROOTS:
            self._is_fragment = True
            self._sink.findings.note(FindingKind.MISSING_ROOT, f"starts with <{name}>")
            self.assembler.start(prefix, name, attributes, is_empty=is_empty)
        elif is_empty:
            self.assembler.is_root_closed = True


class _RootFinder:
    """Handler of everything before the root; decides what the document is."""

    def __init__(self, scanner: MarkupScanner):
        self.wants_text = True
        self._scanner = scanner
        self._junk_size = 0

    def start(self, prefix: str, name: str, attributes: str, *, is_empty: bool) -> None:
        if self._scanner.is_done:
            return
        if name in _ROOT_KINDS:
            self._scanner.open_root(prefix, name, attributes, is_empty=is_empty)
        elif name in _JUNK_NAMES:
            self._scanner.note_junk(f"<{name}> before the document")
        elif name in _HTML_NAMES:
            self._scanner.refuse("an HTML page")
        else:
            self._scanner.refuse(f"a document with the root <{name}>")

    def end(self, prefix: str, name: str) -> None:
        """End tags before the root mean nothing."""

    def text(self, data: str) -> None:
        junk = data.strip().strip("\ufeff")
        if not junk or self._scanner.is_done:
            return
        self._scanner.note_junk("text before the document")
        self._junk_size += len(junk)
        if self._junk_size > MAX_JUNK_CHARACTERS:
            self._scanner.refuse("text without a sitemap in it")

    def declaration(self, head: str) -> None:
        if head[2:].lower().split()[:2] == ["doctype", "html"] and not self._scanner.is_done:
            self._scanner.refuse("an HTML page")
