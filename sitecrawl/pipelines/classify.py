"""A first understanding of each page, from its address alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitecrawl.classify.paths import language_hints, path_depths
from sitecrawl.items import MentionBatch

if TYPE_CHECKING:
    from typing import Any


class ClassifyPipeline:
    """Fill ``depths`` and ``languages``; what the document says of a language comes first."""

    def process_item(self, item: Any) -> Any:
        if isinstance(item, MentionBatch):
            item.depths = path_depths(item.urls)
            if hints := language_hints(item.segments):
                item.languages = item.languages or [""] * len(item.urls)
                for row, hint in hints.items():
                    item.languages[row] = item.languages[row] or hint
        return item
