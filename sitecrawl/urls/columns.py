"""Canonical URLs, page keys and page ids of whole columns of URLs.

A fast path: the results are those of :mod:`sitecrawl.urls.canonical` for each URL alone (tests
compare both), at about a tenth of the cost. Most columns hold plain URLs of one origin, which can
be checked as one joined text; only the few URLs with a query are canonicalized one by one.
"""

from __future__ import annotations

import re
from itertools import repeat
from operator import itemgetter
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from xxhash import xxh3_64_intdigest

from sitecrawl.urls.canonical import (
    DEFAULT_KEY_RULES,
    DEFAULT_RULES,
    PLAIN_PATH_CHARACTERS,
    PLAIN_URL,
    canonicalize,
    page_key,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sitecrawl.urls.canonical import CanonicalRules, KeyRules


T = TypeVar("T")

_AUTHORITY = re.compile(r"https?://[^/?#]+/")
# The origin and the path of a base, if each of its folders is one step.
_BASE = re.compile(
    r"(https?://[^/?#\\\s]+)/((?:(?!\.|%2[eE])[^/?#\\\s]+/)*)[^/?#\\\s]*(?:\?[^#]*)?(?:#.*)?"
)
# A slash or steps up, the path with its query, and a fragment.
_PATH_LINK = re.compile(r"(/|(?:\.\./)*)(\w[^:#]{0,999}+)?(?:#[!-~]{0,999}+)?")
_MAX_KNOWN = 20_000


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
    """The origin of all URLs, if canonicalization has found that they share one."""


def canonicalize_batch(
    urls: Sequence[str], base: str | None, rules: CanonicalRules
) -> CanonicalBatch:
    """Like :func:`canonicalize_all`, with the origin that the URLs share."""
    batch = _canonical_if_plain(urls, base, rules)
    if batch is None and base is not None:
        urls = _absolute(urls, base, rules)
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
    """Return ``[page_key(url, rules) for url in urls]``; *origin*: what they share, if known."""
    first = _AUTHORITY.match(urls[0]) if urls else None
    if rules != DEFAULT_KEY_RULES or first is None:
        return [page_key(url, rules) for url in urls]
    # URLs of one origin without a query: cut off the folded prefix and the trailing slash.
    prefix = first[0]
    folded = prefix.removesuffix(f"{page_key(prefix)}/")
    keys = list(map(str.removesuffix, map(str.removeprefix, urls, repeat(folded)), repeat("/")))
    for row in origin.query_rows if origin else _rows_apart(urls, prefix):
        keys[row] = page_key(urls[row])
    return keys


def page_ids(
    urls: Sequence[str],
    seed: int,
    rules: KeyRules = DEFAULT_KEY_RULES,
    origin: SharedOrigin | None = None,
) -> list[int]:
    """Return ``[page_id(url, seed, rules) for url in urls]``; *origin* is what they share."""
    keys = map(str.encode, page_keys(urls, rules, origin))
    return [digest - 0x8000000000000000 for digest in map(xxh3_64_intdigest, keys, repeat(seed))]


def _absolute(urls: Sequence[str], base: str, rules: CanonicalRules) -> Sequence[str]:
    """Put folders of *base* before links such as ``/a``, ``b.html``, ``../c`` and ``#d``.

    Only links that surely are paths: ``//a`` and ``/\\a`` name a host, and so does ``/`` with a tab
    before the next slash. Fragments are cut off where canonicalization drops them.
    """
    found = _BASE.fullmatch(base)
    if found is None or rules.keep_hash_routes:
        return urls
    origin, path = found.groups()
    folders = [f"{origin}/"]
    for name in path.split("/")[:-1]:
        folders.append(f"{folders[-1]}{name}/")
    innermost = len(folders) - 1
    own_page = base.partition("#")[0]
    absolute = []
    for url in urls:
        if (link := _PATH_LINK.fullmatch(url)) is None:
            absolute.append(url)
            continue
        start, rest = link.groups("")
        if not start and not rest:
            absolute.append(own_page)
        else:
            steps = innermost if start == "/" else len(start) // len("../")
            absolute.append(folders[max(0, innermost - steps)] + rest)
    return absolute


def _canonical_if_plain(
    urls: Sequence[str], base: str | None, rules: CanonicalRules
) -> CanonicalBatch | None:
    """The canonical batch if all *urls* are of one origin and plain, or have a query."""
    query_rows = rows_with_query(urls)
    first_other = next((at for at, row in enumerate(query_rows) if at != row), len(query_rows))
    if first_other == len(urls):
        return None
    plain = list(urls)
    for row in query_rows:
        plain[row] = plain[first_other]
    origin = shared_origin(plain)
    if (
        origin is None
        or not are_plain(plain, rules.max_length)
        or canonicalize(origin.prefix, None, rules) != origin.prefix
    ):
        return None
    canonical: list[str | None] = list(urls)
    for row in query_rows:
        canonical[row] = canonicalize(urls[row], base, rules)
    return CanonicalBatch(
        canonical, origin.with_query_rows({row: canonical[row] for row in query_rows})
    )


def _rows_apart(urls: Sequence[str], prefix: str) -> list[int]:
    """The rows that do not start with the prefix, or have a query or a fragment."""
    # If the smallest and the largest text have the prefix, all texts between them have it.
    if min(urls).startswith(prefix) and max(urls).startswith(prefix):
        return rows_with_query(urls)
    return [
        row
        for row, url in enumerate(urls)
        if not url.startswith(prefix) or "?" in url or "#" in url
    ]


HEAD_CHARACTERS = 4

_ORIGIN = re.compile(r"https?://[^/]+/")
_DOT_SEGMENT = re.compile(r"/\.")
# The path characters above and "." as a table: str.translate is ten times as fast as a regex.
_OTHER = "\0"
_TABLE = "".join(
    char if re.match(rf"[{PLAIN_PATH_CHARACTERS}.]", char) else _OTHER
    for char in map(chr, range(128))
)


def origin_prefix(url: str) -> str:
    """The prefix of all URLs with the same authority; empty if *url* is not an http(s) URL.

    >>> origin_prefix("https://example.com:8443/a/b")
    'https://example.com:8443/'
    """
    match = _ORIGIN.match(url)
    return match[0] if match else ""


class SharedOrigin(NamedTuple):
    """What all URLs of a batch share, so that one test may be enough for all of them."""

    prefix: str
    path_starts: frozenset[str]
    """The first characters of their paths, with the slash; a batch has few different ones."""
    query_rows: Sequence[int] = ()
    """The rows that may have a query or a fragment; most batches have few of them."""

    def with_query_rows(self, urls: Mapping[int, str | None]) -> SharedOrigin | None:
        """The same with further rows; None if one of their URLs is not of this origin."""
        start = len(self.prefix) - 1
        starts = set(self.path_starts)
        for url in urls.values():
            if url is None or not url.startswith(self.prefix):
                return None
            starts.add(url[start : start + HEAD_CHARACTERS])
        return SharedOrigin(self.prefix, frozenset(starts), list(urls))


def shared_origin(urls: Sequence[str]) -> SharedOrigin | None:
    """The origin that all *urls* share; None if they do not share one.

    >>> origin = shared_origin(["https://example.com/about", "https://example.com/?a"])
    >>> sorted(origin.path_starts), origin.query_rows
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
    starts = frozenset(text[start:] for text in beginnings)
    return SharedOrigin(prefix, starts, rows_with_query(urls))


def rows_with_query(urls: Sequence[str]) -> list[int]:
    """The rows of the *urls* that have a query or a fragment.

    >>> rows_with_query(["https://example.com/a", "https://example.com/b?c", "https://example.com/#d"])
    [1, 2]
    """
    text = "".join(urls)
    if "#" in text:
        return [row for row, url in enumerate(urls) if "?" in url or "#" in url]
    return [row for row, url in enumerate(urls) if "?" in url] if "?" in text else []


def are_plain(urls: Sequence[str], max_length: int) -> bool:
    """Whether the paths of *urls*, which share an origin, are plain: canonical as they stand.

    If the origin is canonical as well, so are all *urls*. The batch is tested as one text, at a
    fraction of the cost of a regex match per URL.

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


class ColumnMemo(Generic[T]):
    """Caches a function of a column of texts: it is only called for texts that are not known.

    When the cache is full it is cleared; the frequent texts are back at once.

    >>> memo = ColumnMemo(lambda texts: [len(text) for text in texts])
    >>> memo.all(["a", "bb", "a"])
    [1, 2, 1]
    """

    def __init__(self, compute: Callable[[list[str]], Sequence[T]]) -> None:
        self._compute = compute
        self._known: dict[str, T] = {}

    def all(self, texts: Sequence[str]) -> list[T]:
        known = self._known
        if unknown := [text for text in texts if text not in known]:
            if len(known) > _MAX_KNOWN:
                known.clear()
                unknown = list(texts)
            unknown = list(dict.fromkeys(unknown))
            known.update(zip(unknown, self._compute(unknown), strict=True))
        return [known[text] for text in texts]
