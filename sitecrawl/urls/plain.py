"""Recognises URLs that are canonical as they stand, as those of most sitemaps are.

Conservative on purpose: whatever is not recognised takes the long way through a real parser.
"""

from __future__ import annotations

import re
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

_ESCAPE = r"%(?:2[0-9A-CF]|3[A-F]|[89A-F][0-9A-F])"
_PATH_CHARS = r"-A-Za-z0-9/_~!$&'*+,=:@"
_QUERY_CHARS = r"-A-Za-z0-9_.~!$&()*+,;=:@/?"

# Parsing and unescaping leave such a URL as it is; only its query (group 1) may hold parameters to
# drop or to sort. What makes that certain:
# - host: no "--", hence no punycode; the last piece is of letters, hence it is no IPv4 number
# - port: 1000 to 64999, never a default one
# - path: no ";" or "(", hence no session id; no segment starts with ".", hence no dot segments
# - escapes: upper case, of reserved characters and of bytes beyond ASCII only
# Possessive quantifiers (++, *+) keep the failing match as cheap as the successful one. They stand
# behind single characters only: before 3.11.5 Python did not match some groups with them.
PLAIN_URL = re.compile(
    r"https?://(?:(?:[a-z0-9]++[.-])*[a-z]++|127\.0\.0\.1)"
    r"(?::(?:[1-5][0-9]|6[0-4]|[1-9])[0-9]{3})?"
    rf"/[{_PATH_CHARS}]*+(?:(?:(?<!/)\.|{_ESCAPE})[{_PATH_CHARS}]*+)*"
    rf"(\?[{_QUERY_CHARS}]*+(?:{_ESCAPE}[{_QUERY_CHARS}]*+)*)?"
)

HEAD_CHARACTERS = 4

_ORIGIN = re.compile(r"https?://[^/]+/")
# The path characters above, "." and the line break as a table: str.translate is ten times as fast
# as a regex.
_OTHER = "\0"
_TABLE = "".join(
    char if re.match(rf"[{_PATH_CHARS}.\n]", char) else _OTHER for char in map(chr, range(128))
)


def origin_prefix(url: str) -> str:
    """What the URLs of the same authority start with; nothing for what is no http(s) URL.

    >>> origin_prefix("https://example.com:8443/a/b")
    'https://example.com:8443/'
    """
    match = _ORIGIN.match(url)
    return match[0] if match else ""


class SharedOrigin(NamedTuple):
    """What all URLs of a batch have in common, so that one look may be enough for all of them."""

    prefix: str
    heads: frozenset[str]
    """The first characters of their paths, with the slash: a batch has few different ones."""


def shared_origin(urls: Sequence[str]) -> SharedOrigin | None:
    """The authority of all *urls*; None if there are several, or none.

    >>> shared_origin(["https://example.com/about", "https://example.com/"]).heads == {"/abo", "/"}
    True
    >>> shared_origin(["https://example.com/a", "https://example.net/"]) is None
    True
    """
    prefix = origin_prefix(urls[0]) if urls else ""
    start = len(prefix) - 1
    beginnings = set(map(itemgetter(slice(start + HEAD_CHARACTERS)), urls))
    if not prefix or not all(text.startswith(prefix) for text in beginnings):
        return None
    return SharedOrigin(prefix, frozenset(text[start:] for text in beginnings))


def shared_plain_origin(urls: Sequence[str], max_length: int) -> str | None:
    """Return the origin of a batch in which all is plain but possibly the origin, or None.

    If the origin, with its slash, is canonical then so are all the *urls*. This looks at the batch
    as one text, for a fraction of the price of a regex match per URL.

    >>> shared_plain_origin(["https://example.com/a", "https://example.com/b.html"], 2083)
    'https://example.com/'
    >>> shared_plain_origin(["https://example.com/a", "https://example.com/?b"], 2083) is None
    True
    """
    origin = origin_prefix(urls[0]) if urls else ""
    if not origin:
        return None
    text = "\n" + "\n".join(urls)
    is_plain = (
        text.isascii()
        and "/." not in text
        and text.count("\n") == len(urls) == text.count("\n" + origin)
        and _OTHER not in text.translate(_TABLE)
        and max(map(len, urls)) <= max_length
    )
    return origin if is_plain else None
