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
# Some lists have several addresses on a line.
_BETWEEN_URLS = re.compile(r"[\s,;]+(?=https?://)", re.IGNORECASE)


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
        text = line.strip().strip("\ufeff").partition("\t")[0].strip()
        is_url = text[:8].lower().startswith(("http://", "https://"))
        if is_url and len(line) <= _MAX_LINE_CHARACTERS:
            for url in _BETWEEN_URLS.split(text):
                columns = self._sink.children if is_map_file(url) else self._sink.pages
                columns.add(url, "")
        elif text:
            self._sink.findings.note(FindingKind.JUNK_LINES, text)
