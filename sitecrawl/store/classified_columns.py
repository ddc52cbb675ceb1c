"""Rows of the inventory as classification takes them; imports no database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sitecrawl.classify.pages import PageColumns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sitecrawl.store.pagechunks import PageChunk

# Of the inventory's columns, those that classification takes as they are, with their name there.
_COLUMNS: Final = {
    "title": "titles",
    "anchor": "anchors",
    "language": "languages",
    "own_language": "own_languages",
    "text_language": "text_languages",
    "lastmod": "lastmods",
    "sitemap_priority": "sitemap_priorities",
    "importance": "importances",
    "inlinks": "inlinks",
}
CLASSIFIED_COLUMNS: Final = (
    *("url", *_COLUMNS, "category", "declared_type", "region", "link_region"),
)


def page_columns(chunk: PageChunk) -> PageColumns:
    """What classification takes of the pages."""
    return PageColumns(
        urls=chunk["url"],
        # The kind of a file comes first: it has no structured data.
        kinds=_first_of(chunk.get("category"), chunk.get("declared_type")),
        # Of all links, if they were counted, else of the one that the page is listed by.
        regions=_first_of(chunk.get("link_region"), chunk.get("region")),
        **{field: chunk.get(name) for name, field in _COLUMNS.items()},
    )


def _first_of(first: Sequence[Any] | None, second: Sequence[Any] | None) -> Sequence[Any] | None:
    if first and second:
        return [a or b for a, b in zip(first, second, strict=True)]
    return first or second
