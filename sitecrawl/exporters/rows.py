"""The row of a feed: one page, the same in every format."""

from __future__ import annotations

import json
from json.encoder import encode_basestring
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from sitecrawl.classify.paths import section
from sitecrawl.urls.canonical import page_keys

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sitecrawl.store.inventory import PageTuple
    from sitecrawl.urls.canonical import KeyRules

Row: TypeAlias = dict[str, Any]

FIELDS: Final = (
    "url",
    "key",
    "lastmod",
    "depth",
    "clusters",
    "parent",
    "source",
    "sources",
    "status",
    "discovered_at",
    "reason",
    "rule",
    "title",
    "changefreq",
    "sitemap_priority",
    "robots_allowed",
    "robots_rule",
    "category",
    "language",
    "importance",
    "priority",
)
# The store's columns start with what differs from page to page: id, url, lastmod, depth. From here
# on, nearly all pages of a document have the same.
_FIRST_SHARED: Final = 4
_SHARED_FIELDS: Final = FIELDS[FIELDS.index("parent") :]
_MAX_TAILS: Final = 10_000
_PARTS_IN_SECTION: Final = 5  # of a URL split at its first four slashes
_encode: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class RowMaker:
    """Turns the store's tuples into rows of a feed.

    *columns*: what the tuples hold; *documents*: URLs by id; *further_sources*: by page id, the
    kinds of source of further mentions.
    """

    def __init__(
        self,
        columns: Sequence[str],
        key_rules: KeyRules,
        documents: Mapping[int, str],
        further_sources: Mapping[int, list[str]],
    ):
        self._shared_columns = columns[_FIRST_SHARED:]
        self._key_rules = key_rules
        self._documents = documents
        self._further = further_sources
        self._tails: dict[tuple[Any, ...], str] = {}
        self._clusters = _Clusters()

    def rows(self, pages: Sequence[PageTuple]) -> list[Row]:
        keys = page_keys([page[1] for page in pages], self._key_rules)
        return [
            {
                "url": url,
                "key": key,
                "lastmod": lastmod,
                "depth": depth,
                "clusters": [name] if (name := section(url)) else [],
                **self._shared(tuple(shared), id_),
            }
            for key, (id_, url, lastmod, depth, *shared) in zip(keys, pages, strict=True)
        ]

    def json_rows(self, pages: Sequence[PageTuple]) -> list[str]:
        """``rows`` as JSON texts, put together by hand: a fraction of the time."""
        urls = _escaped([page[1] for page in pages])
        # Folding takes nothing away that was escaped, so a key can be had from the escaped URL.
        keys = page_keys(urls, self._key_rules)
        lastmods = _escaped([page[2] or "" for page in pages])
        further, clusters = self._further, self._clusters
        last_shared, last_tail = None, ""
        lines = []
        for url, key, lastmod, page in zip(urls, keys, lastmods, pages, strict=True):
            shared = page[_FIRST_SHARED:]
            if page[0] in further:
                tail = self._tail(shared, page[0])
            else:
                if shared != last_shared:
                    last_shared, last_tail = shared, self._tail(shared, page[0])
                tail = last_tail
            parts = url.split("/", 4)
            cluster = clusters[parts[3]] if len(parts) == _PARTS_IN_SECTION else ""
            lines.append(
                f'{{"url":"{url}","key":"{key}","lastmod":{_quoted(lastmod)},'
                f'"depth":{"null" if page[3] is None else page[3]},'
                f'"clusters":[{cluster}],{tail}'
            )
        return lines

    def _tail(self, shared: tuple[Any, ...], id_: int) -> str:
        """The end of a row, remembered for the pages that share it."""
        key = (shared, *self._further.get(id_, ()))
        tail = self._tails.get(key)
        if tail is None:
            tail = _encode(self._shared(shared, id_)).removeprefix("{")
            if len(self._tails) < _MAX_TAILS:
                self._tails[key] = tail
        return tail

    def _shared(self, shared: tuple[Any, ...], id_: int) -> Row:
        facts = dict(zip(self._shared_columns, shared, strict=True))
        facts["parent"] = self._documents[facts["document_id"]]
        facts["sources"] = list(dict.fromkeys([facts["source"], *self._further.get(id_, ())]))
        return {name: facts.get(name) for name in _SHARED_FIELDS}


class _Clusters(dict[str, str]):
    """By the first segment of an escaped URL that goes on after it: its cluster in JSON."""

    def __missing__(self, segment: str) -> str:
        name = section(f"https://host/{segment}/")
        text = f'"{name}"' if name else ""
        if len(self) < _MAX_TAILS:
            self[segment] = text
        return text


def _quoted(escaped: str) -> str:
    return f'"{escaped}"' if escaped else "null"


def _escaped(texts: list[str]) -> list[str]:
    """Each text as it stands between the quotes of JSON, escaped as one long text."""
    joined = "\n".join(texts)
    if "\\" not in joined:
        escaped = encode_basestring(joined)[1:-1].split("\\n")
        if len(escaped) == len(texts):
            return escaped
    return [encode_basestring(text)[1:-1] for text in texts]
