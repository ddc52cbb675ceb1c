"""The row of a feed: one page, the same in every format."""

from __future__ import annotations

import json
from itertools import chain
from json.encoder import encode_basestring
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from sitecrawl.classify.paths import section
from sitecrawl.store.facts import VisitFields
from sitecrawl.store.vocabulary import PageStatus
from sitecrawl.urls.canonical import page_keys

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sitecrawl.store.inventory import PageTuple
    from sitecrawl.store.references import PageReferences
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
    "region",
    "anchor",
    *VisitFields._fields,
)
# The store's columns start with what differs from page to page: id, url, lastmod, depth. From here
# on, nearly all pages of a document have the same.
_FIRST_SHARED: Final = 4
_SHARED_FIELDS: Final = FIELDS[FIELDS.index("parent") :]
_MAX_TAILS: Final = 10_000
_PARTS_IN_SECTION: Final = 5  # of a URL split at its first four slashes
_encode: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class RowMaker:
    """Turns the store's tuples of *columns* into rows of a feed."""

    def __init__(self, columns: Sequence[str], key_rules: KeyRules, references: PageReferences):
        self._shared_columns = columns[_FIRST_SHARED:]
        self._key_rules = key_rules
        self._references = references
        self._tails: dict[tuple[Any, ...], str] = {}
        self._shared_rows: dict[tuple[Any, ...], Row] = {}
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
                **self._rest(tuple(shared), id_),
            }
            for key, (id_, url, lastmod, depth, *shared) in zip(keys, pages, strict=True)
        ]

    def json_text(self, pages: Sequence[PageTuple], end: str) -> str:
        """``rows`` as JSON, each with *end* behind it.

        Put together by hand, for a fraction of the time: a row's own facts are formatted, and what
        it shares with its neighbours is only joined in.
        """
        if not pages:
            return ""
        ids, plain_urls, lastmods, depths, *shared = zip(*pages, strict=True)
        urls = _escaped(plain_urls)
        heads = [
            f'{{"url":"{url}","key":"{key}","lastmod":{lastmod},"depth":{depth},'
            f'"clusters":[{cluster}],'
            for url, key, lastmod, depth, cluster in zip(
                urls,
                # Folding takes nothing away that was escaped.
                page_keys(urls, self._key_rules),
                _quoted(lastmods),
                depths if None not in depths else ["null" if d is None else d for d in depths],
                self._json_clusters(urls),
                strict=True,
            )
        ]
        tails = self._json_tails(ids, shared, end)
        if isinstance(tails, str):
            return tails.join([*heads, ""])
        return "".join(chain.from_iterable(zip(heads, tails, strict=True)))

    def _json_clusters(self, urls: Sequence[str]) -> list[str]:
        clusters = self._clusters
        return [
            clusters[parts[3]] if len(parts) == _PARTS_IN_SECTION else ""
            for parts in [url.split("/", 4) for url in urls]
        ]

    def _json_tails(
        self, ids: Sequence[int], shared: Sequence[Sequence[Any]], end: str
    ) -> list[str] | str:
        """The rest of each row; one text, if it is the same for all of them."""
        further, visits = self._references.further_sources, self._references.visits
        special = (further.keys() & ids) | (visits.keys() & ids)
        if not special and all(column.count(column[0]) == len(ids) for column in shared):
            return self._tail(tuple(column[0] for column in shared), end)
        return [
            self._special_tail(facts, id_, end) if id_ in special else self._tail(facts, end)
            for id_, facts in zip(ids, zip(*shared, strict=True), strict=True)
        ]

    def _special_tail(self, shared: tuple[Any, ...], id_: int, end: str) -> str:
        further = self._references.further_sources.get(id_, ())
        if visit := self._references.visits.get(id_):
            # No other page shares it.
            return _tail_text(self._shared(shared, further, visit), end)
        return self._tail(shared, end, further)

    def _tail(self, shared: tuple[Any, ...], end: str, further: Sequence[str] = ()) -> str:
        """The rest of a row, remembered for the pages that share it."""
        key = (shared, end, *further)
        tail = self._tails.get(key)
        if tail is None:
            tail = _tail_text(self._shared(shared, further), end)
            if len(self._tails) < _MAX_TAILS:
                self._tails[key] = tail
        return tail

    def _rest(self, shared: tuple[Any, ...], id_: int) -> Row:
        """As :meth:`_tail`, of any page."""
        further = self._references.further_sources.get(id_, ())
        if visit := self._references.visits.get(id_):
            return self._shared(shared, further, visit)
        key = (shared, *further)
        row = self._shared_rows.get(key)
        if row is None:
            row = self._shared(shared, further)
            if len(self._shared_rows) < _MAX_TAILS:
                self._shared_rows[key] = row
        return row

    def _shared(
        self,
        shared: tuple[Any, ...],
        further: Sequence[str],
        visit: VisitFields | None = None,
    ) -> Row:
        references = self._references
        facts = dict(zip(self._shared_columns, shared, strict=True))
        allowed, robots_rule = references.verdicts.get(facts["verdict_id"], (None, None))
        facts |= {
            "parent": references.documents[facts["document_id"]],
            "sources": list(dict.fromkeys([facts["source"], *further])),
            "status": PageStatus.REFUSED if facts.get("reason") else PageStatus.LISTED,
            "discovered_at": references.scans[facts["first_scan_id"]],
            "robots_allowed": allowed,
            "robots_rule": robots_rule,
        }
        if visit is not None:
            facts |= visit._asdict()
        return {name: facts.get(name) for name in _SHARED_FIELDS}


class _Clusters(dict[str, str]):
    """By the first segment of an escaped URL that goes on after it: its cluster in JSON."""

    def __missing__(self, segment: str) -> str:
        name = section(f"https://host/{segment}/")
        text = f'"{name}"' if name else ""
        if len(self) < _MAX_TAILS:
            self[segment] = text
        return text


def _tail_text(facts: Row, end: str) -> str:
    return _encode(facts).removeprefix("{") + end


def _quoted(texts: Sequence[str | None]) -> list[str]:
    known = [text or "" for text in texts]
    return [f'"{text}"' if text else "null" for text in _escaped(known)]


def _escaped(texts: Sequence[str]) -> Sequence[str]:
    """Each text as it stands between the quotes of JSON; most stand there as they are."""
    joined = "".join(texts)
    if joined.isprintable() and '"' not in joined and "\\" not in joined:
        return texts
    return [encode_basestring(text)[1:-1] for text in texts]
