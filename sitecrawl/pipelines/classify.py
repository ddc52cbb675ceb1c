"""Classifies by the mention alone: which kind of file a URL is.

The rest of classification needs the whole site, and takes place in the inventory
(:mod:`sitecrawl.store.queries.classification`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitecrawl.items import mention_batches
from sitecrawl.pipelines import InventoryPipeline
from sitecrawl.urls.refusal import Reason
from sitecrawl.urls.rules import FILE_KINDS
from sitecrawl.urls.skip import file_kind

if TYPE_CHECKING:
    from typing import Any

    from sitecrawl.items import MentionBatch

_KIND_OF_RULE = {
    f"*.{extension}": kind for kind, extensions in FILE_KINDS.items() for extension in extensions
}
_OTHER_FILE = "file"


class ClassifyPipeline(InventoryPipeline):
    """Fill ``categories`` of downloads and of alternates that are no pages."""

    def process_item(self, item: Any) -> Any:
        for batch in mention_batches(item):
            batch.categories = _alternate_kinds(batch) | _download_kinds(batch)
        return item


def _download_kinds(batch: MentionBatch) -> dict[int, str]:
    """Files are listed as what they are, and not fetched."""
    return {
        row: _KIND_OF_RULE.get(refusal.rule, _OTHER_FILE)
        for row, refusal in batch.refused.items()
        if refusal.reason is Reason.SKIPPED_FILE_TYPE
    }


def _alternate_kinds(batch: MentionBatch) -> dict[int, str]:
    """Pages in another format are listed as what their type says, and not fetched."""
    return {row: file_kind(name) or _OTHER_FILE for row, name in batch.media_types.items()}
