"""Addresses of documents: where to fetch, in contrast to the canonical URL of a page.

A document is fetched at the address it was given, as a browser would: unlike a page's URL, its
query keeps its order and all its parameters, because the query of a sitemap may be signed.
"""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import quote

from ada_url import URL, join_url

from sitecrawl.urls.canonical import MAX_RAW_LENGTH, page_key

_ASCII = bytes(range(128))
_PLAIN_AUTHORITY = re.compile(r"https?://[a-z0-9.-]+(?::[0-9]+)?(?=[/?#]|\Z)")


def resolve(url: str, base: str) -> str | None:
    """The http(s) address that *url* means in a document at *base*, or None.

    >>> resolve("/s.xml?b=1&a=2#top", "https://user:pw@example.com/robots.txt")
    'https://example.com/s.xml?b=1&a=2'
    >>> resolve("ftp://example.com/s.xml", "https://example.com/robots.txt") is None
    True
    """
    if len(url) > MAX_RAW_LENGTH:
        return None
    try:
        parsed = URL(join_url(base, url.strip()))
    except ValueError:
        return None
    if parsed.protocol not in {"http:", "https:"}:
        return None
    return f"{parsed.protocol}//{parsed.host}{parsed.pathname}{parsed.search}"


def resolve_location(location: bytes, base: str) -> str | None:
    """The http(s) address that a ``Location`` header means in an answer from *base*, or None.

    Bytes beyond ASCII are escaped as they are, whatever their encoding, as in browsers.

    >>> resolve_location("/größe".encode(), "https://example.com/a")
    'https://example.com/gr%C3%B6%C3%9Fe'
    >>> resolve_location(b"/gr\\xf6\\xdfe", "https://example.com/a")
    'https://example.com/gr%F6%DFe'
    """
    return resolve(quote(location, safe=_ASCII), base)


def origin_of(url: str) -> str:
    """
    >>> origin_of("https://Example.com:443/a?b")
    'https://example.com'
    """
    return _parsed_origin(_as_far_as_port(url))


def site_of(url: str) -> str:
    """The host and port of *url*, the same with and without ``www.``, by http and by https.

    >>> site_of("http://www.example.com/a"), site_of("https://example.com:8443")
    ('example.com', 'example.com:8443')
    """
    return _parsed_site(_as_far_as_port(url))


def _as_far_as_port(url: str) -> str:
    """The scheme, host and port of *url* if they are plain; otherwise the whole URL."""
    authority = _PLAIN_AUTHORITY.match(url)
    return authority[0] if authority else url


# Called many times for each request, with few different origins.
@lru_cache(maxsize=1024)
def _parsed_origin(url: str) -> str:
    return str(URL(url).origin)


@lru_cache(maxsize=1024)
def _parsed_site(url: str) -> str:
    return page_key(_parsed_origin(url) + "/")


# User names and passwords are never kept, shown or sent. As browsers find them: before the last @
# of the authority, with slashes of either kind, or none.
_CREDENTIALS = re.compile(r"(\b(?:https?|ftp|wss?):[/\\]*|//)[^/\\?#\s]*@", re.IGNORECASE)


def without_credentials(text: str) -> str:
    """*text* without user names and passwords; it need not be a valid URL.

    >>> without_credentials("ftp://me:secret@files.example/a@b")
    'ftp://files.example/a@b'
    """
    return _CREDENTIALS.sub(r"\1", text) if "@" in text else text
