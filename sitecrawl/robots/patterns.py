"""The patterns of rules: from octets as written to pieces of text between wildcards."""

from __future__ import annotations

import re
from typing import NamedTuple

from sitecrawl.robots.paths import spelled

_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")
_DIRECTORY_PAGE = b"/index.htm"
_QUERY_ESCAPES = {"%2F": "/", "%3F": "?"}


class Pattern(NamedTuple):
    """Pieces of text in their order, with anything between them, from the start of the path."""

    pieces: tuple[str, ...]  # the first may be empty, and the only one
    is_anchored: bool  # the last piece ends the path
    octets: int  # the length that decides between two patterns

    @property
    def is_everything(self) -> bool:
        return not self.is_anchored and self.pieces in {("",), ("/",)}


def parse_patterns(value: bytes, *, is_allow: bool) -> list[Pattern]:
    """Return the patterns that the value of a rule stands for; none if no path can match.

    - ``*`` is any text, ``$`` at the end is the end of the path; anywhere else it is itself.
    - The longest pattern wins by its octets as written, where one beyond ASCII counts as its
      escape.
    - As in Google's parser, who allows ``/a/index.html`` allows ``/a/`` as well.

    >>> [(pattern.pieces, pattern.octets) for pattern in parse_patterns(b"/a/*.pdf", is_allow=True)]
    [(('/a/', '.pdf'), 8)]
    """
    patterns = _spellings(value)
    slash = value.rfind(b"/")
    if is_allow and value.startswith(_DIRECTORY_PAGE, slash):
        patterns += _spellings(value[: slash + 1] + b"$")
    return patterns


def _spellings(value: bytes) -> list[Pattern]:
    octets = len(value) + 2 * len(_BEYOND_ASCII.findall(value))
    is_anchored = value.endswith(b"$")
    pieces = [spelled(piece) for piece in value.removesuffix(b"$").split(b"*")]
    if len(pieces) > 1 and not pieces[-1]:
        is_anchored = False  # what ends with anything has no end
    first, *others = pieces
    pieces = [first, *filter(None, others)]
    if not pieces[0].startswith("/") and (pieces[0] or (pieces == [""] and is_anchored)):
        return []
    return [Pattern(tuple(each), is_anchored, octets) for each in (pieces, *_other_queries(pieces))]


def _other_queries(pieces: list[str]) -> list[list[str]]:
    """Return the other ways to write slashes and question marks in the query of a pattern.

    There they are data, which may be escaped or not (RFC 9309, the table in 2.2.2). Behind a
    wildcard nobody knows where the query begins, unless the pattern says so.
    """
    for number, piece in enumerate(pieces):
        path, mark, query = piece.partition("?")
        if not mark:
            continue
        texts = [query, *pieces[number + 1 :]]
        plain, escaped = list(texts), list(texts)
        for escape, char in _QUERY_ESCAPES.items():
            plain = [text.replace(escape, char) for text in plain]
            escaped = [text.replace(char, escape) for text in escaped]
        ways = [way for way in (plain, escaped) if way != texts]
        return [[*pieces[:number], f"{path}?{way[0]}", *way[1:]] for way in ways]
    return []
