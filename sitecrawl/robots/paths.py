"""What rules are compared with: the path and query of a URL, in one spelling."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

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
