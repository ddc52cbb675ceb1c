"""The pipelines that take what documents say into the inventory; their common base class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sitecrawl.scan import scan_of

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler

    from sitecrawl.scan import Scan


class InventoryPipeline:
    """One step between what a document said and the inventory.

    It works on the internal items of :mod:`sitecrawl.items` (documents, batches of mentions,
    visited pages, evidence), which stages hand over by ``scan.put``; every other item passes
    unchanged. ``ITEM_PIPELINES`` gives the order, as for any pipeline.
    """

    def __init__(self, scan: Scan):
        self.scan = scan

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        scan = scan_of(crawler)
        pipeline = cls(scan)
        scan.pipelines.append(pipeline)
        return pipeline

    def process_item(self, item: Any) -> Any:
        return item

    def item_lost(self, item: Any) -> None:
        """An internal error in one of the pipelines has lost the item."""

    async def conclude(self) -> None:
        """Nothing more comes; the scan is about to be finalized."""
