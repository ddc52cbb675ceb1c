"""Patterns of robots rules, and the paths of URLs that they are compared with, in one spelling."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence


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
    - As in Google's parser, a rule that allows ``/a/index.html`` allows ``/a/`` as well.

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
        is_anchored = False  # a wildcard at the end matches any end
    first, *others = pieces
    pieces = [first, *filter(None, others)]
    if not pieces[0].startswith("/") and (pieces[0] or (pieces == [""] and is_anchored)):
        return []
    return [Pattern(tuple(each), is_anchored, octets) for each in (pieces, *_other_queries(pieces))]


def _other_queries(pieces: list[str]) -> list[list[str]]:
    """Return the other ways to write slashes and question marks in the query of a pattern.

    There they are data, which may be escaped or not (RFC 9309, the table in 2.2.2). After a
    wildcard the start of the query is unknown, unless the pattern has a question mark.
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


_AUTHORITY = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*:)?//[^/?#]*")
_ORIGIN = re.compile(r"https?://[^/?#]+(?=/)")
_UNPRINTABLE = re.compile(r"[^!-~]")
_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")

# An escape is the character it stands for, save where a URL means something else without it: "/",
# "?", "#" and "%" themselves, and what may not stand in a URL at all.
_EITHER_WAY = set(map(chr, range(0x21, 0x7F))) - set("/?#%")
_SPELLINGS = {
    f"%{code:02X}": chr(code) if chr(code) in _EITHER_WAY else f"%{code:02X}" for code in range(256)
}
_SPELLED_OTHERWISE = re.compile(r"%(?![0189A-F][0-9A-F]|2[035F]|[37]F)")
_PRINTABLE_LINES = bytes([*b"\n", *range(0x21, 0x7F)])


def path_of(url: str) -> str:
    """Return path and query of *url*, which may also be a path, as rules are compared with them.

    >>> path_of("https://shop.example/caf\\u00e9/%7ejoe%2fa?b=%3A#top")
    '/caf%C3%A9/~joe%2Fa?b=:'
    >>> path_of("https://shop.example?a"), path_of("/a b")
    ('/?a', '/a%20b')
    """
    authority = _AUTHORITY.match(url)
    path = (url[authority.end() :] if authority else url).partition("#")[0]
    path = spelled(path.encode("utf-8", "surrogatepass"))
    return path if path.startswith("/") else f"/{path}"


def path_lines(urls: Sequence[str]) -> str:
    """Return `path_of` all *urls* as one text, in which each path stands between two line ends.

    >>> path_lines(["https://shop.example/a", "https://shop.example/b?c"])
    '\\n/a\\n/b?c\\n'
    """
    lines = "\n".join(["", *urls, ""])
    origin = _ORIGIN.match(urls[0]) if urls else None
    # The usual batch has one origin and is spelled as it should be: then it is enough to take the
    # origin away everywhere.
    if origin is not None:
        paths = lines.replace(f"\n{origin[0]}/", "\n/")
        is_one_origin = len(lines) - len(paths) == len(urls) * len(origin[0])
        if is_one_origin and paths.count("\n") == len(urls) + 1 and _is_spelled(paths):
            return paths
    return "\n".join(["", *map(path_of, urls), ""])


def _is_spelled(paths: str) -> bool:
    return (
        paths.isascii()
        and "#" not in paths
        and not ("%" in paths and _SPELLED_OTHERWISE.search(paths))
        and not paths.encode("ascii").translate(None, _PRINTABLE_LINES)
    )


def spelled(octets: bytes) -> str:
    """Return octets of a path in the one spelling in which equal paths are equal.

    RFC 9309 (2.2.2): octets beyond ASCII are escaped, escapes of unreserved characters are not.
    Other characters may be written either way as well; only the escapes of ``/ ? # %`` differ from
    the characters.

    >>> spelled(b"/a%2Fb"), spelled(b"/a/b"), spelled(b"/%c3%a9%41*")
    ('/a%2Fb', '/a/b', '/%C3%A9A*')
    """
    text = octets.decode("latin-1")
    if not (text.isascii() and text.isprintable()) or " " in text:
        text = _UNPRINTABLE.sub(_escaped, text)
    return _ESCAPE.sub(_respelled, text) if "%" in text else text


def _escaped(char: re.Match[str]) -> str:
    return f"%{ord(char[0]):02X}"


def _respelled(escape: re.Match[str]) -> str:
    return _SPELLINGS[escape[0].upper()]
