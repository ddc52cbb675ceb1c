"""The row of a feed: one page, the same in every format."""

from __future__ import annotations

import json
from itertools import chain, repeat
from json.encoder import encode_basestring
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from sitecrawl.classify.languages import is_other_language
from sitecrawl.store.facts import VisitFields
from sitecrawl.store.vocabulary import PageStatus
from sitecrawl.urls.canonical import page_keys

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from sitecrawl.classify.pages import PageClass
    from sitecrawl.store.classification import InventoryClasses
    from sitecrawl.store.pagechunks import PageChunk
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
# Of the store's columns, those that nearly all pages of a document have in common.
_SHARED_COLUMNS: Final = (
    *("document_id", "source", "verdict_id", "first_scan_id", "reason", "rule", "title"),
    *("changefreq", "sitemap_priority", "category", "importance", "region", "anchor", "inlinks"),
)
_SHARED_FIELDS: Final = FIELDS[FIELDS.index("parent") :]
_MAX_REMEMBERED: Final = 10_000
# Where every page has a title of its own, nothing is shared: little of it is kept.
_MAX_TAILS: Final = 2_000
_MAX_KINDS: Final = 20
_encode: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class RowMaker:
    """Turns pages of the store into rows of a feed.

    *languages* are those that the scan has chosen: pages in another one are marked.
    """

    def __init__(
        self,
        key_rules: KeyRules,
        references: PageReferences,
        classes: InventoryClasses,
        languages: Sequence[str] = (),
    ):
        self._key_rules = key_rules
        self._references = references
        self._classes = classes
        self._languages = languages
        self._shared_rows: dict[tuple[Any, ...], Row] = {}
        self._tails: dict[tuple[Any, ...], _Tails] = {}
        self._middles: dict[tuple[PageClass, int | None], bytes] = {}

    def rows(self, pages: PageChunk) -> list[Row]:
        return [
            {
                "url": url,
                "key": key,
                "lastmod": lastmod,
                "depth": depth,
                **self._class_fields(found),
                **self._rest(shared, id_),
            }
            for url, key, lastmod, depth, found, shared, id_ in zip(
                pages["url"],
                page_keys(pages["url"], self._key_rules),
                pages["lastmod"],
                pages["depth"],
                self._classes.of(pages),
                pages.rows(_SHARED_COLUMNS),
                pages["id"],
                strict=True,
            )
        ]

    def json_rows(self, pages: PageChunk, end: bytes) -> bytes:
        """``rows`` as JSON, each with *end* behind it.

        Put together by hand, for a fraction of the time: a row's own facts are written, and what
        it shares with its neighbours is only joined in.
        """
        if not pages:
            return b""
        urls = _escaped(pages["url"])
        pieces = zip(
            repeat(b'{"url":"'),
            _encoded(urls),
            repeat(b'","key":"'),
            # Folding takes nothing away that was escaped.
            _encoded(page_keys(urls, self._key_rules)),
            repeat(b'","lastmod":'),
            _quoted(pages.get("lastmod")),
            self._json_middles(pages),
            self._json_tails(pages, end),
            strict=False,  # what is the same in all rows has no end
        )
        return b"".join(chain.from_iterable(pieces))

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

    def _rest(self, shared: tuple[Any, ...], id_: int) -> Row:
        """The fields behind those of the class, remembered for the pages that share them."""
        further = self._references.further_sources.get(id_, ())
        visit = self._references.visits.get(id_)
        key = (shared, *further)
        row = None if visit else self._shared_rows.get(key)
        if row is None:
            facts = dict(zip(_SHARED_COLUMNS, shared, strict=True))
            row = self._shared(facts, further, visit)
            if visit is None and len(self._shared_rows) < _MAX_REMEMBERED:
                self._shared_rows[key] = row
        return row

    def _shared(self, facts: Row, further: Sequence[str], visit: VisitFields | None = None) -> Row:
        references = self._references
        allowed, robots_rule = references.verdicts.get(facts["verdict_id"], (None, None))
        known = {
            **facts,
            "parent": references.documents[facts["document_id"]],
            "sources": list(dict.fromkeys([facts["source"], *further])),
            "status": PageStatus.REFUSED if facts["reason"] else PageStatus.LISTED,
            "discovered_at": references.scans[facts["first_scan_id"]],
            "robots_allowed": allowed,
            "robots_rule": robots_rule,
            "file_kind": facts["category"],
        }
        if visit is not None:
            known |= visit._asdict()
        return {name: known.get(name) for name in _SHARED_FIELDS}

    # --- JSON ----------------------------------------------------------------------------------

    def _json_middles(self, pages: PageChunk) -> list[bytes]:
        """Depth and class of each page."""
        known = self._middles
        pairs = zip(self._classes.of(pages), pages["depth"], strict=True)
        return [known.get(pair) or self._json_middle(*pair) for pair in pairs]

    def _json_middle(self, found: PageClass, depth: int | None) -> bytes:
        fields = {"depth": depth, **self._class_fields(found)}
        if len(self._middles) >= _MAX_REMEMBERED:
            self._middles.clear()
        text = self._middles[found, depth] = f",{_encode(fields)[1:-1]},".encode()
        return text

    def _json_tails(self, pages: PageChunk, end: bytes) -> list[bytes]:
        """The rest of each row."""
        columns = {name: pages[name] for name in _SHARED_COLUMNS}
        varying = {name: column for name, column in columns.items() if not _is_uniform(column)}
        uniform = {name: columns[name][0] for name in columns if name not in varying}
        known = self._tails_like(uniform, tuple(varying), end)
        keys = list(zip(repeat((), len(pages)), *varying.values(), strict=True))
        tails = [known[key] for key in keys]
        further, visits = self._references.further_sources, self._references.visits
        for row, id_ in enumerate(pages["id"]):
            if id_ in visits:
                # No other page shares it.
                facts = uniform | {name: column[row] for name, column in varying.items()}
                tails[row] = _tail(self._shared(facts, further.get(id_, ()), visits[id_]), end)
            elif id_ in further:
                tails[row] = known[tuple(further[id_]), *keys[row][1:]]
        return tails

    def _tails_like(self, uniform: Row, varying: tuple[str, ...], end: bytes) -> _Tails:
        """Those remembered for pages that have these facts in common and differ in others."""
        key = (*uniform.values(), varying, end)
        if key not in self._tails:
            if len(self._tails) >= _MAX_KINDS:
                self._tails.clear()

            def make(further: Sequence[str], *own: Any) -> bytes:
                facts = uniform | dict(zip(varying, own, strict=True))
                return _tail(self._shared(facts, further), end)

            self._tails[key] = _Tails(make)
        return self._tails[key]


class _Tails(dict[tuple[Any, ...], bytes]):
    """The ends of rows by the kinds of further sources and the facts in which pages differ."""

    def __init__(self, make: Callable[..., bytes]):
        super().__init__()
        self._make = make

    def __missing__(self, key: tuple[Any, ...]) -> bytes:
        if len(self) >= _MAX_TAILS:
            self.clear()
        tail = self[key] = self._make(*key)
        return tail


def _is_uniform(column: Sequence[Any]) -> bool:
    return column.count(column[0]) == len(column)


def _tail(facts: Row, end: bytes) -> bytes:
    return _encode(facts).removeprefix("{").encode() + end


def _quoted(texts: Sequence[str | None] | None) -> Iterable[bytes]:
    if texts is None:
        return repeat(b"null")
    known = _escaped([text or "" for text in texts])
    return _encoded([f'"{text}"' if text else "null" for text in known])


def _encoded(texts: Sequence[str]) -> list[bytes]:
    """Each escaped text as bytes; at once, as they have no line breaks."""
    return "\n".join(texts).encode().split(b"\n")


def _escaped(texts: Sequence[str]) -> Sequence[str]:
    """Each text as it stands between the quotes of JSON; most stand there as they are."""
    joined = "".join(texts)
    if joined.isprintable() and '"' not in joined and "\\" not in joined:
        return texts
    return [encode_basestring(text)[1:-1] for text in texts]
