"""The row of a feed: one page, the same in every format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sitecrawl.classify.paths import sections
from sitecrawl.urls.canonical import page_keys

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sitecrawl.store.inventory import PageTuple
    from sitecrawl.urls.canonical import KeyRules

FIELDS: Final = (
    "url",
    "key",
    "status",
    "reason",
    "rule",
    "source",
    "sources",
    "depth",
    "parent",
    "title",
    "lastmod",
    "changefreq",
    "sitemap_priority",
    "robots_allowed",
    "robots_rule",
    "category",
    "clusters",
    "language",
    "importance",
    "priority",
    "discovered_at",
)


class RowMaker:
    """Turns the store's tuples into rows of a feed.

    *further_sources*: by page id, the kinds of source beside the first one.
    """

    def __init__(self, key_rules: KeyRules, further_sources: Mapping[int, list[str]]):
        self._key_rules = key_rules
        self._further = further_sources

    def rows(self, pages: Sequence[PageTuple]) -> list[dict[str, Any]]:
        keys = page_keys([page[1] for page in pages], self._key_rules)
        further = self._further
        return [
            {
                "url": url,
                "key": key,
                "status": status,
                "reason": reason,
                "rule": rule,
                "source": source,
                "sources": [source, *further[id_]] if id_ in further else [source],
                "depth": depth,
                "parent": parent,
                "title": title,
                "lastmod": lastmod,
                "changefreq": changefreq,
                "sitemap_priority": sitemap_priority,
                "robots_allowed": None,
                "robots_rule": None,
                "category": category,
                "clusters": sections(url),
                "language": language,
                "importance": importance,
                "priority": priority,
                "discovered_at": discovered_at,
            }
            for key, (
                id_,
                url,
                status,
                reason,
                rule,
                source,
                parent,
                _position,
                lastmod,
                changefreq,
                sitemap_priority,
                title,
                language,
                depth,
                category,
                importance,
                priority,
                _details,
                discovered_at,
            ) in zip(keys, pages, strict=True)
        ]
