"""One URL per line, for other programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitecrawl.console.text import printable
from sitecrawl.exporters.pages import PageExporter

if TYPE_CHECKING:
    from sitecrawl.exporters.rows import RowMaker
    from sitecrawl.store.pagechunks import PageChunk


class TextPageExporter(PageExporter):
    """The URLs alone."""

    def write_pages(self, pages: PageChunk, maker: RowMaker) -> None:
        self.file.write("".join(f"{printable(url)}\n" for url in pages["url"]).encode())
