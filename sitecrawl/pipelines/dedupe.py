"""Identity: the id of each page, and whether this scan has met it before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitecrawl.items import mention_batches
from sitecrawl.pipelines import InventoryPipeline
from sitecrawl.urls.columns import ColumnMemo, page_ids

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from sitecrawl.scan import Scan
    from sitecrawl.urls.columns import SharedOrigin
    from sitecrawl.urls.seen import SeenIds

_MAX_LINKED = 50_000


class DedupePipeline(InventoryPipeline):
    """Fill ``ids`` and ``is_new``.

    Settings: ``SITECRAWL_KEY_FOLD_*``.
    """

    def __init__(self, scan: Scan):
        super().__init__(scan)
        self._key_rules = scan.config.key_rules()
        self._seen: SeenIds | None = None
        self._link_ids = ColumnMemo(self._ids)
        self._linked: set[int] = set()  # seen ids that were linked lately

    def process_item(self, item: Any) -> Any:
        for batch in mention_batches(item):
            is_link = batch.sources is not None
            if not batch.is_stored:
                batch.ids = (
                    self._link_ids.all(batch.urls)
                    if is_link
                    else self._ids(batch.urls, batch.origin)
                )
            batch.is_new = (
                self._are_new(batch.ids) if is_link else self._seen_ids().add_all(batch.ids)
            )
        return item

    async def conclude(self) -> None:
        # The rest of the scan needs the memory, and has no more mentions.
        self._seen = None

    def _ids(self, urls: Sequence[str], origin: SharedOrigin | None = None) -> list[int]:
        return page_ids(urls, self.scan.record.seed, self._key_rules, origin)

    def _are_new(self, ids: list[int]) -> list[bool]:
        """The same as ``SeenIds.add_all``, which is slow for the few links of a page."""
        linked = self._linked
        unknown = [row for row, page_id in enumerate(ids) if page_id not in linked]
        is_new = [False] * len(ids)
        if unknown:
            new = self._seen_ids().add_all([ids[row] for row in unknown])
            for row, each in zip(unknown, new, strict=True):
                is_new[row] = each
            if len(linked) > _MAX_LINKED:
                linked.clear()
            linked.update(ids)
        return is_new

    def _seen_ids(self) -> SeenIds:
        if self._seen is None:
            from sitecrawl.urls.seen import SeenIds  # NumPy would hold up the first request

            self._seen = SeenIds()
            if self.scan.resumption:
                self._seen.add_all(self.scan.resumption.seen_ids)
        return self._seen
