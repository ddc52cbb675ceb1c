"""JSON and JSON lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitecrawl.exporters.pages import PageExporter

if TYPE_CHECKING:
    from sitecrawl.exporters.rows import RowMaker
    from sitecrawl.store.pagechunks import PageChunk


class JsonLinesPageExporter(PageExporter):
    """One object per line."""

    def write_pages(self, pages: PageChunk, maker: RowMaker) -> None:
        self.file.write(maker.json_rows(pages, "\n"))


class JsonPageExporter(PageExporter):
    """One list of objects, one per line."""

    _has_rows = False

    def start_exporting(self) -> None:
        self.file.write(b"[")

    def write_pages(self, pages: PageChunk, maker: RowMaker) -> None:
        self.file.write(b",\n" if self._has_rows else b"\n")
        self.file.write(maker.json_rows(pages, ",\n").removesuffix(b",\n"))
        self._has_rows = True

    def finish_exporting(self) -> None:
        self.file.write(b"\n]\n")
