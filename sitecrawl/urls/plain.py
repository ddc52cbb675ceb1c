"""Recognises URLs that are canonical as they stand, as those of most sitemaps are.

Conservative on purpose: whatever is not recognised takes the long way through a real parser.
"""

from __future__ import annotations

import re
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
_DOT_SEGMENT = re.compile(r"/\.")
# The path characters above and "." as a table: str.translate is ten times as fast as a regex.
_OTHER = "\0"
_TABLE = "".join(
    char if re.match(rf"[{_PATH_CHARS}.]", char) else _OTHER for char in map(chr, range(128))
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
    marked: Sequence[int] = ()
    """No other rows have a query or a fragment; mostly these are few as well."""

    def with_marked(self, urls: Mapping[int, str | None]) -> SharedOrigin | None:
        """The same with more rows that may be marked; None if one of them is not of the origin."""
        start = len(self.prefix) - 1
        heads = set(self.heads)
        for url in urls.values():
            if url is None or not url.startswith(self.prefix):
                return None
            heads.add(url[start : start + HEAD_CHARACTERS])
        return SharedOrigin(self.prefix, frozenset(heads), list(urls))


def shared_origin(urls: Sequence[str]) -> SharedOrigin | None:
    """The authority of all *urls*; None if there are several, or none.

    >>> origin = shared_origin(["https://example.com/about", "https://example.com/?a"])
    >>> sorted(origin.heads), origin.marked
    (['/?a', '/abo'], [1])
    >>> shared_origin(["https://example.com/a", "https://example.net/"]) is None
    True
    """
    prefix = origin_prefix(urls[0]) if urls else ""
    if not prefix:
        return None
    start = len(prefix) - 1
    beginnings = set(map(itemgetter(slice(start + HEAD_CHARACTERS)), urls))
    if not all(text.startswith(prefix) for text in beginnings):
        return None
    heads = frozenset(text[start:] for text in beginnings)
    return SharedOrigin(prefix, heads, marked_rows(urls))


def marked_rows(urls: Sequence[str]) -> list[int]:
    """The rows of the *urls* that have a query or a fragment.

    >>> marked_rows(["https://example.com/a", "https://example.com/b?c", "https://example.com/#d"])
    [1, 2]
    """
    text = "".join(urls)
    if "#" in text:
        return [row for row, url in enumerate(urls) if "?" in url or "#" in url]
    return [row for row, url in enumerate(urls) if "?" in url] if "?" in text else []


def are_plain(urls: Sequence[str], max_length: int) -> bool:
    """Whether all is plain in a batch but possibly the origin, which must be that of all *urls*.

    If the origin, with its slash, is canonical then so are all the *urls*. This looks at the batch
    as one text, for a fraction of the price of a regex match per URL.

    >>> are_plain(["https://example.com/a", "https://example.com/b.html"], 2083)
    True
    >>> are_plain(["https://example.com/a", "https://example.com/?b"], 2083)
    False
    """
    text = "".join(urls)
    return (
        text.isascii()
        and not _DOT_SEGMENT.search(text)
        and _OTHER not in text.translate(_TABLE)
        and max(map(len, urls)) <= max_length
    )
