"""The row of a feed: one page, the same in every format."""

from __future__ import annotations

import json
from itertools import chain
from json.encoder import encode_basestring
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from sitecrawl.classify.languages import is_other_language
from sitecrawl.store.classified_columns import page_columns
from sitecrawl.store.facts import VisitFields
from sitecrawl.store.vocabulary import PageStatus
from sitecrawl.urls.canonical import page_keys

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sitecrawl.classify.classifier import PageClassifier
    from sitecrawl.classify.pages import PageClass
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
    "category",
    "type",
    "language",
    "language_source",
    "other_language",
    "template",
    "priority",
    "parent",
    "source",
    "sources",
    "status",
    "discovered_at",
    "reason",
    "rule",
    "title",
    "file_kind",
    "changefreq",
    "sitemap_priority",
    "robots_allowed",
    "robots_rule",
    "importance",
    "region",
    "anchor",
    "inlinks",
    *VisitFields._fields,
)
# The store's columns start with what differs from page to page: id, url, lastmod, depth. From here
# on, nearly all pages of a document have the same.
_FIRST_SHARED: Final = 4
_SHARED_FIELDS: Final = FIELDS[FIELDS.index("parent") :]
_MAX_TAILS: Final = 10_000
_MAX_CLASSES: Final = 100_000
_encode: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class RowMaker:
    """Turns the store's tuples of *columns* into rows of a feed.

    *languages* are those that the scan has chosen: pages in another one are marked.
    """

    def __init__(
        self,
        columns: Sequence[str],
        key_rules: KeyRules,
        references: PageReferences,
        classifier: PageClassifier,
        languages: Sequence[str] = (),
    ):
        self._columns = columns
        self._shared_columns = columns[_FIRST_SHARED:]
        self._key_rules = key_rules
        self._references = references
        self._classifier = classifier
        self._languages = languages
        self._tails: dict[tuple[Any, ...], str] = {}
        self._shared_rows: dict[tuple[Any, ...], Row] = {}
        self._class_texts: dict[PageClass, str] = {}

    def rows(self, pages: Sequence[PageTuple]) -> list[Row]:
        keys = page_keys([page[1] for page in pages], self._key_rules)
        classes = self._classifier.classify(page_columns(self._columns, pages))
        return [
            {
                "url": url,
                "key": key,
                "lastmod": lastmod,
                "depth": depth,
                **self._class_fields(found),
                **self._rest(tuple(shared), id_),
            }
            for key, found, (id_, url, lastmod, depth, *shared) in zip(
                keys, classes, pages, strict=True
            )
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
            f'{{"url":"{url}","key":"{key}","lastmod":{lastmod},"depth":{depth},{found}'
            for url, key, lastmod, depth, found in zip(
                urls,
                # Folding takes nothing away that was escaped.
                page_keys(urls, self._key_rules),
                _quoted(lastmods),
                depths if None not in depths else ["null" if d is None else d for d in depths],
                self._json_classes(pages),
                strict=True,
            )
        ]
        tails = self._json_tails(ids, shared, end)
        if isinstance(tails, str):
            return tails.join([*heads, ""])
        return "".join(chain.from_iterable(zip(heads, tails, strict=True)))

    def _json_classes(self, pages: Sequence[PageTuple]) -> list[str]:
        texts = self._class_texts
        classes = self._classifier.classify(page_columns(self._columns, pages))
        return [texts.get(found) or self._class_text(found) for found in classes]

    def _class_text(self, found: PageClass) -> str:
        if len(self._class_texts) >= _MAX_CLASSES:
            self._class_texts.clear()
        text = self._class_texts[found] = _encode(self._class_fields(found))[1:-1] + ","
        return text

    def _class_fields(self, found: PageClass) -> Row:
        language = found.language or None
        return {
            "clusters": list(found.clusters),
            "category": found.category,
            "type": found.page_type,
            "language": language,
            "language_source": found.language_source,
            "other_language": is_other_language(language, self._languages),
            "template": found.template,
            "priority": found.priority,
        }

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
            "file_kind": facts.get("category"),
        }
        if visit is not None:
            facts |= visit._asdict()
        return {name: facts.get(name) for name in _SHARED_FIELDS}


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
