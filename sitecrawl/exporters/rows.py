"""The row of a feed: one page, the same in every format."""

from __future__ import annotations

import json
from itertools import compress
from json.encoder import encode_basestring
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from sitecrawl.classify.languages import is_other_language
from sitecrawl.store.classified_columns import page_columns
from sitecrawl.store.queries.scans import VisitFields
from sitecrawl.store.vocabulary import PageStatus
from sitecrawl.urls.batches import page_keys

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence, Set

    from sitecrawl.classify.classifier import PageClassifier
    from sitecrawl.classify.pages import PageClass
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
# What stands in JSON as it is, in bytes of UTF-8.
_PLAIN: Final = bytes(set(range(ord(" "), 256)) - set(b'"\\'))
_ROW_START: Final = '{"url":"'
_encode: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class RowMaker:
    """Turns pages of the store into rows of a feed.

    *languages* are those that the scan has chosen: pages in another one are marked.
    """

    def __init__(
        self,
        key_rules: KeyRules,
        references: PageReferences,
        classifier: PageClassifier,
        languages: Sequence[str] = (),
    ):
        self._key_rules = key_rules
        self._references = references
        self._classifier = classifier
        self._languages = languages
        self._shared_rows: dict[tuple[Any, ...], Row] = {}
        self._tails: dict[tuple[Any, ...], _Tails] = {}
        self._middles = classifier.mapped(self._json_middle)
        self._referring_to: dict[str | None, Set[int]] = {}

    def rows(self, pages: PageChunk) -> list[Row]:
        return [
            {
                "url": url,
                "key": key,
                "lastmod": lastmod,
                **self._class_fields(found),
                **self._rest(shared, number),
            }
            for url, key, lastmod, found, shared, number in zip(
                pages["url"],
                page_keys(pages["url"], self._key_rules),
                pages["lastmod"],
                self._classifier.classify(page_columns(pages)),
                pages.rows(_SHARED_COLUMNS),
                pages["number"],
                strict=True,
            )
        ]

    def json_rows(self, pages: PageChunk, end: str) -> bytes:
        """``rows`` as JSON, each with *end* behind it.

        Put together by hand, for a fraction of the time: a row's own facts are written, and what
        it shares with its neighbours is only joined in. Texts have one character for each byte of
        UTF-8, so that a letter that is not ASCII does not make all of them wider.
        """
        if not pages:
            return b""
        urls = _escaped(pages["url"])
        columns = (
            _as_bytes(urls),
            ['","key":"'] * len(pages),
            # Folding takes nothing away that was escaped.
            _as_bytes(page_keys(urls, self._key_rules)),
            ['","lastmod":'] * len(pages),
            _quoted(pages["lastmod"]),
            self._middles.of(page_columns(pages)),
            # The end of a row and the start of the next one are one piece.
            self._json_tails(pages, end + _ROW_START),
        )
        pieces = [_ROW_START] * (1 + len(columns) * len(pages))
        for place, column in enumerate(columns, 1):
            pieces[place :: len(columns)] = column
        pieces[-1] = pieces[-1].removesuffix(_ROW_START)
        return "".join(pieces).encode("latin-1")

    def _class_fields(self, found: PageClass) -> Row:
        language = found.language or None
        return {
            "depth": found.depth,
            "clusters": list(found.clusters),
            "category": found.category,
            "type": found.page_type,
            "language": language,
            "language_source": found.language_source,
            "other_language": is_other_language(language, self._languages),
            "template": found.template,
            "priority": found.priority,
        }

    def _rest(self, shared: tuple[Any, ...], number: int) -> Row:
        """The fields behind those of the class, remembered for the pages that share them."""
        further = self._references.further_sources.get(number, ())
        visit = self._references.visits.get(number)
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

    def _json_middle(self, found: PageClass) -> str:
        return _one_as_bytes(f",{_encode(self._class_fields(found))[1:-1]},")

    def _json_tails(self, pages: PageChunk, end: str) -> list[str]:
        """The rest of each row."""
        uniform, varying = pages.parted(_SHARED_COLUMNS)
        known = self._tails_like(uniform, tuple(varying), end)
        own = list(zip(*varying.values(), strict=True)) or [()] * len(pages)
        tails = [known[(), *facts] for facts in own] if varying else [known[(),]] * len(pages)
        further, visits = self._references.further_sources, self._references.visits
        numbers = pages["number"]
        for row in _rows_in(self._referring(uniform.get("source")), numbers):
            sources, visit = further.get(numbers[row], ()), visits.get(numbers[row])
            if visit is None:
                tails[row] = known[sources, *own[row]]
            else:
                # No other page shares it.
                facts = uniform | dict(zip(varying, own[row], strict=True))
                tails[row] = _tail(self._shared(facts, sources, visit), end)
        return tails

    def _referring(self, source: str | None) -> Set[int]:
        """The pages with a visit, or with further sources that add something to the first.

        That is *source* for all of them, if given.
        """
        if source not in self._referring_to:
            adding = (
                number
                for number, sources in self._references.further_sources.items()
                if source is None or sources.count(source) < len(sources)
            )
            self._referring_to[source] = {*adding, *self._references.visits}
        return self._referring_to[source]

    def _tails_like(self, uniform: Row, varying: tuple[str, ...], end: str) -> _Tails:
        """Those remembered for pages that have these facts in common and differ in others."""
        key = (*uniform.values(), varying, end)
        if key not in self._tails:
            if len(self._tails) >= _MAX_KINDS:
                self._tails.clear()

            def make(further: Sequence[str], *own: Any) -> str:
                facts = uniform | dict(zip(varying, own, strict=True))
                return _tail(self._shared(facts, further), end)

            self._tails[key] = _Tails(make)
        return self._tails[key]


class _Tails(dict[tuple[Any, ...], str]):
    """The ends of rows by the kinds of further sources and the facts in which pages differ."""

    def __init__(self, make: Callable[..., str]):
        super().__init__()
        self._make = make

    def __missing__(self, key: tuple[Any, ...]) -> str:
        if len(self) >= _MAX_TAILS:
            self.clear()
        tail = self[key] = self._make(*key)
        return tail


def _rows_in(known: Set[int], numbers: Sequence[int]) -> Iterable[int]:
    """The rows whose number is known."""
    return compress(range(len(numbers)), map(known.__contains__, numbers)) if known else ()


def _tail(facts: Row, end: str) -> str:
    return _one_as_bytes(_encode(facts).removeprefix("{") + end)


def _quoted(texts: Sequence[str | None]) -> Sequence[str]:
    return _as_bytes([encode_basestring(text) if text else "null" for text in texts])


def _as_bytes(texts: Sequence[str]) -> Sequence[str]:
    """Each escaped text with one character for each byte of UTF-8; most are ASCII."""
    return texts if "".join(texts).isascii() else [_one_as_bytes(text) for text in texts]


def _one_as_bytes(text: str) -> str:
    return text.encode().decode("latin-1")


def _escaped(texts: Sequence[str]) -> Sequence[str]:
    """Each text as it stands between the quotes of JSON; most stand there as they are."""
    if not "".join(texts).encode().translate(None, _PLAIN):
        return texts
    return [encode_basestring(text)[1:-1] for text in texts]
