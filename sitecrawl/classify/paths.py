"""What the address alone says of a page: depth, section and a hint of its language.

Contract:

* canonical URLs go in (any other text does no harm), nothing is fetched or looked up;
* ``depth`` is the number of path segments, so ``/`` is 0 and ``/blog/a`` is 2;
* a section is the first path segment of a page below it;
* the hint of a language is a first segment such as ``de`` or ``pt-br``; it is only a hint.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

# ISO 639-1, without codes that are words or units in addresses far more often than languages:
# as, be, do, id, in, io, is, it, my, no, or, so, to, tv.
_CODES = """
    af am ar az bg bn bs ca cs cy da de el en eo es et eu fa fi fr ga gl gu he hi hr hu hy ja ka kk
    km kn ko ky lo lt lv mk ml mn mr ms mt ne nl pa pl pt ro ru sk sl sq sr sv sw ta te th tl tr uk
    ur uz vi zh
"""
LANGUAGE_CODES = frozenset(_CODES.split())
_AUTHORITY_PARTS = 3  # "https:", "" and the host
_REGION = re.compile(r"(?:[a-z]{2}|419|arab|cyrl|hans|hant|latn)\Z")


def path_depths(urls: Sequence[str]) -> list[int]:
    """
    >>> path_depths(["https://a.example/", "https://a.example/b", "https://a.example/b/?x=/y"])
    [0, 1, 1]
    """
    depths = [url.count("/") - 2 - url.endswith("/") for url in urls]
    for row in [row for row, url in enumerate(urls) if "?" in url or "#" in url]:
        depths[row] = _depth(urls[row])
    # Refused rows may hold any text, with fewer slashes than an address has.
    return depths if min(depths, default=0) >= 0 else [max(depth, 0) for depth in depths]


def _depth(url: str) -> int:
    path = _without_query(url)
    return path.count("/") - 2 - (path[-1:] == "/")


def section(url: str) -> str:
    """The section, or ``""`` for the root and what lies directly in it.

    >>> section("https://a.example/blog/x"), section("https://a.example/about?x=/y/")
    ('/blog', '')
    """
    parts = url.split("/", 4)
    if len(parts) <= _AUTHORITY_PARTS + 1 or "?" in parts[3] or "#" in parts[3]:
        return ""
    return "/" + parts[3]


def language_hints(segments: Sequence[str]) -> dict[int, str]:
    """The rows whose first path segment looks like a language.

    >>> language_hints(["de", "pt-BR", "design", "en?page=2"])
    {0: 'de', 1: 'pt-br', 3: 'en'}
    """
    # A batch has few different first segments.
    words = {segment: word for segment in set(segments) if (word := _language(segment))}
    if not words:
        return {}
    return {row: words[segment] for row, segment in enumerate(segments) if segment in words}


def _language(segment: str) -> str:
    if segment[:2].lower() not in LANGUAGE_CODES:
        return ""
    word = _without_query(segment).lower().replace("_", "-")
    is_code = len(word) == 2 or (word[2:3] == "-" and _REGION.match(word[3:]))  # noqa: PLR2004
    return word if is_code else ""


def _without_query(text: str) -> str:
    return text.partition("?")[0].partition("#")[0]
