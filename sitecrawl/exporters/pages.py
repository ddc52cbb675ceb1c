"""What the feed exporters share: they write pages of the inventory, not items."""

from __future__ import annotations

from abc import abstractmethod
from typing import IO, TYPE_CHECKING, Any, NoReturn

from scrapy.exporters import BaseItemExporter

from sitecrawl.exporters.rows import RowMaker

if TYPE_CHECKING:
    from sitecrawl.store.engine import Database
    from sitecrawl.store.pagechunks import PageChunk
    from sitecrawl.store.queries.pages import PageFilter
    from sitecrawl.urls.canonical import KeyRules


class PageExporter(BaseItemExporter):
    """Writes one row per page; Scrapy opens, closes and stores the file."""

    def __init__(self, file: IO[bytes], **kwargs: Any):
        super().__init__(dont_fail=True, **kwargs)
        self.file = file

    def export_item(self, item: Any) -> NoReturn:
        raise NotImplementedError("feeds are written by export_scan")

    def export_scan(
        self,
        database: Database,
        scan_id: int,
        key_rules: KeyRules,
        wanted: PageFilter,
    ) -> int:
        """Write the pages of the scan and return their number."""
        # SQLAlchemy would hold up the first request of a scan that writes a feed at its end.
        from sitecrawl.store.queries.classification import classifier_of
        from sitecrawl.store.queries.pages import export_columns, page_chunks
        from sitecrawl.store.queries.scans import scan_by_id
        from sitecrawl.store.references import page_references

        scan = scan_by_id(database, scan_id)
        assert scan is not None
        maker = RowMaker(
            key_rules,
            page_references(database, scan),
            classifier_of(database, scan),
            scan.settings.get("languages", ()),
        )
        columns = export_columns(database, scan.site_id, wanted)
        number = 0
        for chunk in page_chunks(database, scan, wanted, columns):
            self.write_pages(chunk, maker)
            number += len(chunk)
        return number

    @abstractmethod
    def write_pages(self, pages: PageChunk, maker: RowMaker) -> None:
        """Write one row for each page; *maker* makes the rows."""
