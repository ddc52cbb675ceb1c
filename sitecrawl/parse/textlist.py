"""Plain text maps: one URL per line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sitecrawl.parse.columns import is_map_file
from sitecrawl.parse.findings import FindingKind
from sitecrawl.parse.scanner import SitemapKind

if TYPE_CHECKING:
    from sitecrawl.parse.columns import EntrySink

_MAX_LINE_CHARACTERS = 65_536
_LINE_END = re.compile(r"[\r\n]+")
_URL_LINE = re.compile(r"(?:^|[\r\n])[ \t\ufeff]*https?://[^\s<>]", re.IGNORECASE)
_ROOT_TAG = re.compile(r"<(?:\w+:)?(?:urlset|sitemapindex|rss|rdf|feed)[\s>]", re.IGNORECASE)


def is_text_list(head: str) -> bool:
    """Whether a document's start is that of a text map: a URL alone on a line before any markup.

    >>> is_text_list("# our pages\\r\\nhttps://shop.example/a\\r\\n")
    True
    >>> is_text_list('<a href="https://shop.example/a">')
    False
    """
    before_markup = head.partition("<")[0]
    return bool(_URL_LINE.search(before_markup)) and not _ROOT_TAG.search(head)


class TextListScanner:
    """Reads one URL per line (up to a tab); what is no http(s) URL is skipped and counted."""

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
        url = line.strip().strip("\ufeff").partition("\t")[0].strip()
        is_url = url[:8].lower().startswith(("http://", "https://"))
        if is_url and len(line) <= _MAX_LINE_CHARACTERS:
            columns = self._sink.children if is_map_file(url) else self._sink.pages
            columns.add(url, "")
        elif url:
            self._sink.findings.note(FindingKind.JUNK_LINES, url)
