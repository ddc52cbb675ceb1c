"""The `Sitemap:` lines of a robots.txt."""

from __future__ import annotations

import re
from typing import NamedTuple

from sitecrawl.parse.encoding import decode_pieces
from sitecrawl.parse.findings import Findings

MAX_BYTES = 512_000
MAX_LINES = 10_000
_LINE_END = re.compile(r"\r\n|\r|\n")
_SITEMAP = re.compile(r"\s*site-?map\s*:\s*([^#]*)", re.IGNORECASE)


class SitemapLine(NamedTuple):
    """A line that names a sitemap: its 1-based number, the line, and the value as written."""

    line: int
    text: str
    value: str


def sitemap_lines(body: bytes) -> list[SitemapLine]:
    """Find the sitemaps that a robots.txt names, which belong to no group.

    - A value may be relative; what follows a `#` is a comment, as in every other line.
    - At most `MAX_BYTES` of the body are read and `MAX_LINES` lines given.
    - A page of HTML in the place of a robots.txt names nothing.

    >>> sitemap_lines(b"User-agent: *\\rSITEMAP:/map.xml # the map")
    [SitemapLine(line=2, text='SITEMAP:/map.xml # the map', value='/map.xml')]
    """
    text = "".join(decode_pieces([body[:MAX_BYTES]], Findings()))
    if text.lstrip("\ufeff \t\r\n").startswith("<"):
        return []
    found = []
    for number, line in enumerate(_LINE_END.split(text), start=1):
        match = _SITEMAP.match(line)
        value = match[1].strip() if match else ""
        if value:
            found.append(SitemapLine(number, line.strip(), value))
            if len(found) == MAX_LINES:
                break
    return found
