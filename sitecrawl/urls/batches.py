"""Canonical forms, keys and ids of columns of URLs: as of each alone, but much faster.

Most columns hold plain URLs of one origin: then one look at all of them together is enough, and
only the few that have a query are looked at one by one.
"""

from __future__ import annotations

import re
from itertools import repeat
from typing import TYPE_CHECKING, NamedTuple

from xxhash import xxh3_64_intdigest

from sitecrawl.urls.canonical import DEFAULT_KEY_RULES, DEFAULT_RULES, canonicalize, page_key
from sitecrawl.urls.plain import PLAIN_URL, are_plain, marked_rows, origin_prefix, shared_origin

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sitecrawl.urls.canonical import CanonicalRules, KeyRules
    from sitecrawl.urls.plain import SharedOrigin

_ORIGIN = re.compile(r"https?://[^/?#]+/")


def canonicalize_all(
    urls: Sequence[str], base: str | None = None, rules: CanonicalRules = DEFAULT_RULES
) -> list[str | None]:
    """Return ``[canonicalize(url, base, rules) for url in urls]``.

    >>> canonicalize_all(["https://example.com/a", "b#x", "tel:1"], base="https://example.com/")
    ['https://example.com/a', 'https://example.com/b', None]
    """
    return canonicalize_batch(urls, base, rules).urls


class CanonicalBatch(NamedTuple):
    urls: list[str | None]
    origin: SharedOrigin | None
    """Of all of them, where it came out on the way."""


def canonicalize_batch(
    urls: Sequence[str], base: str | None, rules: CanonicalRules
) -> CanonicalBatch:
    """The same as :func:`canonicalize_all`, for those who want to know more of the URLs."""
    batch = _canonical_if_plain(urls, base, rules)
    if batch is None and base is not None:
        urls = _with_origin(urls, base)
        batch = _canonical_if_plain(urls, base, rules)
    if batch is not None:
        return batch
    match, max_length = PLAIN_URL.fullmatch, rules.max_length
    canonical = [
        url
        if (plain := match(url)) and plain.lastindex is None and len(url) <= max_length
        else canonicalize(url, base, rules)
        for url in urls
    ]
    return CanonicalBatch(canonical, None)


def page_keys(
    urls: Sequence[str],
    rules: KeyRules = DEFAULT_KEY_RULES,
    origin: SharedOrigin | None = None,
) -> list[str]:
    """Return ``[page_key(url, rules) for url in urls]``; *origin* is that of all, if known."""
    first = _ORIGIN.match(urls[0]) if urls else None
    if rules != DEFAULT_KEY_RULES or first is None:
        return [page_key(url, rules) for url in urls]
    # Of one origin and without a query, all begin with what is folded and end with their path.
    prefix = first[0]
    folded = prefix.removesuffix(f"{page_key(prefix)}/")
    keys = list(map(str.removesuffix, map(str.removeprefix, urls, repeat(folded)), repeat("/")))
    for row in origin.marked if origin else _rows_apart(urls, prefix):
        keys[row] = page_key(urls[row])
    return keys


def page_ids(
    urls: Sequence[str],
    seed: int,
    rules: KeyRules = DEFAULT_KEY_RULES,
    origin: SharedOrigin | None = None,
) -> list[int]:
    """Return ``[page_id(url, seed, rules) for url in urls]``; *origin* is that of all, if known."""
    keys = map(str.encode, page_keys(urls, rules, origin))
    return [digest - 0x8000000000000000 for digest in map(xxh3_64_intdigest, keys, repeat(seed))]


def _with_origin(urls: Sequence[str], base: str) -> Sequence[str]:
    """Put the origin before paths such as ``/a``, as most links are written.

    Only where the first character of the path leaves no doubt: ``//a`` and ``/\\a`` name a host,
    and so would ``/`` with a tab before the next slash.
    """
    origin = origin_prefix(base)
    if not origin:
        return urls
    return [
        origin + url[1:] if url[:1] == "/" and (url[1:2].isalnum() or url == "/") else url
        for url in urls
    ]


def _canonical_if_plain(
    urls: Sequence[str], base: str | None, rules: CanonicalRules
) -> CanonicalBatch | None:
    """The same, if all *urls* are plain ones of one origin, but for a few that have a query."""
    marked = marked_rows(urls)
    first_other = next((at for at, row in enumerate(marked) if at != row), len(marked))
    if first_other == len(urls):
        return None
    plain = list(urls)
    for row in marked:
        plain[row] = plain[first_other]
    origin = shared_origin(plain)
    if (
        origin is None
        or not are_plain(plain, rules.max_length)
        or canonicalize(origin.prefix, None, rules) != origin.prefix
    ):
        return None
    canonical: list[str | None] = list(urls)
    for row in marked:
        canonical[row] = canonicalize(urls[row], base, rules)
    return CanonicalBatch(canonical, origin.with_marked({row: canonical[row] for row in marked}))


def _rows_apart(urls: Sequence[str], prefix: str) -> list[int]:
    """The rows that do not begin with the prefix, or have a query or a fragment."""
    # What lies between two texts in their order begins with whatever both of them begin with.
    if min(urls).startswith(prefix) and max(urls).startswith(prefix):
        return marked_rows(urls)
    return [
        row
        for row, url in enumerate(urls)
        if not url.startswith(prefix) or "?" in url or "#" in url
    ]
