"""Rows of the inventory as classification takes them; imports no database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sitecrawl.classify.pages import PageColumns

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sitecrawl.store.inventory import PageTuple

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


def page_columns(columns: Sequence[str], pages: Sequence[PageTuple]) -> PageColumns:
    """What classification takes of *pages*; *columns* names what is in each."""
    values: dict[str, Sequence[Any]] = dict(zip(columns, zip(*pages, strict=True), strict=False))
    # What most pages do not have, most chunks have not at all; then it need not be looked at.
    values = {
        name: column
        for name, column in values.items()
        if name == "url" or column.count(None) < len(column)
    }
    return PageColumns(
        urls=values.get("url", ()),
        # The kind of a file comes first: it has no structured data.
        kinds=_first_of(values, "category", "declared_type"),
        # Of all links, if they were counted, else of the one that the page is listed by.
        regions=_first_of(values, "link_region", "region"),
        **{field: values[name] for name, field in _COLUMNS.items() if name in values},
    )


def _first_of(values: Mapping[str, Sequence[Any]], first: str, second: str) -> Sequence[Any] | None:
    if first in values and second in values:
        return [a or b for a, b in zip(values[first], values[second], strict=True)]
    return values.get(first, values.get(second))
