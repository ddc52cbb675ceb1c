"""A first understanding of each page, from its address alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitecrawl.classify.paths import language_hints, path_depths
from sitecrawl.items import mention_batches
from sitecrawl.urls.refusal import Reason
from sitecrawl.urls.skip import FILE_KINDS

if TYPE_CHECKING:
    from typing import Any

    from sitecrawl.items import MentionBatch

_KIND_OF_RULE = {
    f"*.{extension}": kind for kind, extensions in FILE_KINDS.items() for extension in extensions
}


class ClassifyPipeline:
    """Fill ``depths``, ``languages`` and, for downloads, ``categories``.

    What the document says of a language comes first.
    """

    def process_item(self, item: Any) -> Any:
        for batch in mention_batches(item):
            batch.depths = path_depths(batch.urls)
            if hints := language_hints(batch.segments):
                batch.languages = batch.languages or [""] * len(batch.urls)
                for row, hint in hints.items():
                    batch.languages[row] = batch.languages[row] or hint
            batch.categories = _download_kinds(batch)
        return item


def _download_kinds(batch: MentionBatch) -> dict[int, str]:
    """Files are listed as what they are, and not fetched."""
    return {
        row: _KIND_OF_RULE.get(refusal.rule, "file")
        for row, refusal in batch.refused.items()
        if refusal.reason is Reason.SKIPPED_FILE_TYPE
    }
