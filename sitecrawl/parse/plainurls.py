"""The fast road through a urlset: one expression for many plain entries.

The same answer as the exact parser, because of three facts that are checked piece by piece:

- a piece starts between two entries, with the tokenizer idle;
- every `<` of the piece belongs to a match, so between the matches there is only text, which
  means nothing there;
- a match is either a plain entry, whose meaning is known, or one from `<url>` to the next
  `</url>`, which goes through the exact parser and must leave it between two entries again.

Where one does not hold, the rest of the piece goes through the exact parser.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from sitecrawl.parse.columns import is_map_file
from sitecrawl.parse.entries import Alternate, EntryDetails
from sitecrawl.parse.scanner import MarkupScanner
from sitecrawl.parse.urlset import MapAssembler, parse_alternate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sitecrawl.parse.columns import EntrySink

_START, _END = "<url>", "</url>"
# An entry that does not end within this is the exact parser's.
_MAX_HELD_CHARACTERS = 1_048_576

# What the exact parser keeps of an address as it is: no blanks, controls or invisible characters,
# and of the references only the ampersand's.
_PLAIN = r"[^<&\x00-\x20\x7f-\xa0\u1680\u2000-\u200f\u2028\u2029\u202f\u205f\u3000\ufeff]*+"
_ENTRY = re.compile(
    rf"<url>[^<]*+<loc>(https?://{_PLAIN}(?:&amp;{_PLAIN})*+)</loc>[^<]*+"
    r"(?:<lastmod>([0-9T:.+Z-]++)</lastmod>[^<]*+|)"
    r"(?:<changefreq>([A-Za-z]++)</changefreq>[^<]*+|)"
    r"(?:<priority>([0-9.]++)</priority>[^<]*+|)</url>"
    r"|(<url>[^<]*+(?:<(?!/url>)[^<]*+)*+</url>)"
)
_TAGS_OF_ENTRY, _TAGS_OF_FIELD = 4, 2

_LINKS = r"((?:<xhtml:link\s[^<>\"']*+(?:\"[^<>\"]*+\"[^<>\"']*+)*+/>[^<]*+)*+)"
_RICH_ENTRY = re.compile(
    r"<url>[^<]*+<loc>(?:([^<]*+)|\s*+<!\[CDATA\[([^<\]]*+)\]\]>\s*+)</loc>[^<]*+"
    rf"{_LINKS}(?:<lastmod>([^<]*+)</lastmod>[^<]*+|)"
    r"(?:<changefreq>([^<]*+)</changefreq>[^<]*+|)"
    rf"(?:<priority>([^<]*+)</priority>[^<]*+|){_LINKS}</url>"
)
_USUAL_LINK = re.compile(
    r'<xhtml:link\s+rel="alternate"\s+hreflang="([^"&<>\s]*+)"\s+href="([^"&<>\s]++)"\s*+/>'
)
_LINK = re.compile(r"<xhtml:link\s([^<>]*+)>")


class PlainUrlScanner(MarkupScanner):
    """A scanner that reads the plain entries of a urlset many at a time."""

    def __init__(self, sink: EntrySink, document_url: str):
        super().__init__(sink, document_url)
        self._held_text = ""

    def feed(self, text: str) -> None:
        text = self._held_text + text
        cut = text.rfind(_END) + len(_END)
        if cut < len(_END):
            if len(text) > _MAX_HELD_CHARACTERS or not self._is_between_entries():
                self._held_text = ""
                super().feed(text)
            else:
                self._held_text = text
            return
        self._held_text = text[cut:]
        start = text.find(_START)
        if 0 <= start < cut:
            super().feed(text[:start])
            self._feed_entries(text[start:cut])
        else:
            super().feed(text[:cut])

    def close(self, *, is_complete: bool) -> None:
        super().feed(self._held_text)
        super().close(is_complete=is_complete)

    def _is_between_entries(self) -> bool:
        assembler = self.assembler
        return (
            isinstance(assembler, MapAssembler)
            and assembler.is_between_entries
            and self._tokenizer.is_idle
        )

    def _feed_entries(self, piece: str) -> None:
        rows = _ENTRY.findall(piece) if self._is_between_entries() else []
        if not rows:
            super().feed(piece)
            return
        locs, lastmods, changefreqs, priorities, others = zip(*rows, strict=True)
        plain = others.count("")
        fields = 3 * plain + 3 * (len(rows) - plain)
        fields -= lastmods.count("") + changefreqs.count("") + priorities.count("")
        brackets = _TAGS_OF_ENTRY * plain + _TAGS_OF_FIELD * fields
        if plain < len(rows):
            brackets += sum(other.count("<") for other in others if other)
        if brackets != piece.count("<"):
            super().feed(piece)
            return
        if "&amp;" in piece:
            locs = "\n".join(locs).replace("&amp;", "&").split("\n")
        columns = (locs, lastmods, changefreqs, priorities)
        may_list_maps = ".xml" in piece
        done = 0
        for at, other in enumerate(others) if plain < len(rows) else ():
            if other:
                self._add_plain(columns, done, at, may_list_maps=may_list_maps)
                done = at + 1
                if not self._add_other(other):
                    rest = next(islice(_ENTRY.finditer(piece), at, None)).end()
                    super().feed(piece[rest:])
                    return
        self._add_plain(columns, done, len(rows), may_list_maps=may_list_maps)

    def _add_plain(
        self, columns: tuple[Sequence[str], ...], start: int, stop: int, *, may_list_maps: bool
    ) -> None:
        locs, lastmods, changefreqs, priorities = (column[start:stop] for column in columns)
        if may_list_maps and any(map(is_map_file, locs)):
            sink = self._sink
            for row in zip(locs, lastmods, changefreqs, priorities, strict=True):
                (sink.children if is_map_file(row[0]) else sink.pages).add(*row)
        else:
            self._sink.pages.extend(locs, lastmods, changefreqs, priorities)

    def _add_other(self, entry: str) -> bool:
        """Read an entry that is not plain; says whether the next one may be read as usual."""
        match = _RICH_ENTRY.fullmatch(entry)
        if match is None:
            super().feed(entry)
            return self._is_between_entries()
        text, cdata, links, lastmod, changefreq, priority, more_links = match.groups("")
        alternates = _read_links(links) + _read_links(more_links)
        details = EntryDetails(tuple(alternates)) if alternates else None
        loc = text or cdata.replace("&", "&amp;")
        self._sink.add(loc, lastmod, changefreq, priority, details)
        return True


def _read_links(links: str) -> list[Alternate]:
    if not links:
        return []
    usual = _USUAL_LINK.findall(links)
    if len(usual) == links.count("<"):
        return [Alternate(hreflang, href) for hreflang, href in usual]
    alternates = map(parse_alternate, _LINK.findall(links))
    return [alternate for alternate in alternates if alternate]
