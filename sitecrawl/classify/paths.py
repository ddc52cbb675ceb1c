"""What the address alone says of a page: depth and section.

Contract:

* canonical URLs go in (any other text does no harm), nothing is fetched or looked up;
* ``depth`` is the number of path segments, so ``/`` is 0 and ``/blog/a`` is 2;
* a section is the first path segment of a page below it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_AUTHORITY_PARTS = 3  # "https:", "" and the host
_HOST_SLASHES = 2


def path_depth(url: str) -> int:
    """The depth; that of a text with fewer slashes than an address has is 0.

    >>> path_depth("https://a.example/"), path_depth("https://a.example/b/?x=/y")
    (0, 1)
    """
    return max(_without_query(url).removesuffix("/").count("/") - _HOST_SLASHES, 0)


def section(url: str) -> str:
    """The section, or ``""`` for the root and what lies directly in it.

    >>> section("https://a.example/blog/x"), section("https://a.example/about?x=/y/")
    ('/blog', '')
    """
    parts = url.split("/", 4)
    if len(parts) <= _AUTHORITY_PARTS + 1 or "?" in parts[3] or "#" in parts[3]:
        return ""
    return "/" + parts[3]


def bare_addresses(urls: Sequence[str], marked: Sequence[int]) -> Sequence[str]:
    """Without queries and fragments, which the *marked* rows have, and with a path.

    >>> bare_addresses(["http://a.test/b", "http://a.test/c?d", "http://a.test#e"], [1, 2])
    ['http://a.test/b', 'http://a.test/c', 'http://a.test/']
    """
    if not marked:
        return urls
    addresses = list(urls)
    for row in marked:
        address = _without_query(urls[row])
        addresses[row] = address if address.count("/") > _HOST_SLASHES else f"{address}/"
    return addresses


def _without_query(text: str) -> str:
    return text.partition("?")[0].partition("#")[0]
