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
# Of the store's columns, those from here on are null for most pages, and left out of the tuples
# when they are null for all.
_FIRST_RARE: Final = 8
_NOTHING_RARE: Final = (None,) * 9
_encode: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_RARE_FIELDS: Final = FIELDS[FIELDS.index("reason") :]


class RowMaker:
    """Turns the store's tuples into rows of a feed.

    *documents*: URLs by id; *further_sources*: by page id, the kinds of source beside the first.
    """

    def __init__(
        self,
        key_rules: KeyRules,
        documents: Mapping[int, str],
        further_sources: Mapping[int, list[str]],
    ):
        self._key_rules = key_rules
        self._documents = documents
        self._further = further_sources
        self._ends: dict[tuple[Any, ...], str] = {}

    def rows(self, pages: Sequence[PageTuple]) -> list[Row]:
        keys = page_keys([page[1] for page in pages], self._key_rules)
        return [self._row(key, page) for key, page in zip(keys, pages, strict=True)]

    def json_rows(self, pages: Sequence[PageTuple]) -> list[str]:
        """``rows`` as JSON texts.

        A page of which only the common facts are known is written by hand, in a fraction of the
        time; every other one goes the long way.
        """
        keys = page_keys([page[1] for page in pages], self._key_rules)
        texts = zip(
            _escaped([page[1] for page in pages]),
            _escaped(keys),
            _escaped([page[2] or "" for page in pages]),
            strict=True,
        )
        further, ends = self._further, self._ends
        lines = []
        for (url, key, lastmod), plain_key, page in zip(texts, keys, pages, strict=True):
            rare = page[_FIRST_RARE:]
            if (rare and rare != _NOTHING_RARE) or page[0] in further:
                lines.append(_encode(self._row(plain_key, page)))
                continue
            modified = f'"{lastmod}"' if lastmod else "null"
            cluster = f'"{name}"' if (name := section(url)) else ""
            end = ends.get(page[4:_FIRST_RARE]) or self._end(page[4:_FIRST_RARE])
            lines.append(
                f'{{"url":"{url}","key":"{key}","lastmod":{modified},"depth":{page[3]},'
                f'"clusters":[{cluster}],{end}'
            )
        return lines

    def _row(self, key: str, page: PageTuple) -> Row:
        id_, url, lastmod, depth, document, source, status, discovered_at = page[:_FIRST_RARE]
        rare = page[_FIRST_RARE:] or _NOTHING_RARE
        reason, rule, title, changefreq, sitemap_priority, *classes = rare
        category, language, importance, priority = classes
        return {
            "url": url,
            "key": key,
            "lastmod": lastmod,
            "depth": depth,
            "clusters": [name] if (name := section(url)) else [],
            "parent": self._documents[document],
            "source": source,
            "sources": [source, *self._further.get(id_, ())],
            "status": status,
            "discovered_at": discovered_at,
            "reason": reason,
            "rule": rule,
            "title": title,
            "changefreq": changefreq,
            "sitemap_priority": sitemap_priority,
            "robots_allowed": None,
            "robots_rule": None,
            "category": category,
            "language": language,
            "importance": importance,
            "priority": priority,
        }

    def _end(self, same: tuple[Any, ...]) -> str:
        """The end of a row, which nearly all pages of a document share."""
        document, source, status, discovered_at = same
        known = {
            "parent": self._documents[document],
            "source": source,
            "sources": [source],
            "status": status,
            "discovered_at": discovered_at,
        }
        row = known | dict.fromkeys(_RARE_FIELDS)
        end = self._ends[same] = _encode(row).removeprefix("{")
        return end


def _escaped(texts: list[str]) -> list[str]:
    """Each text as it stands between the quotes of JSON, escaped as one long text."""
    joined = "\n".join(texts)
    if "\\" not in joined:
        escaped = encode_basestring(joined)[1:-1].split("\\n")
        if len(escaped) == len(texts):
            return escaped
    return [encode_basestring(text)[1:-1] for text in texts]
