"""One URL per line, for other programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitecrawl.exporters.pages import PageExporter
from sitecrawl.printable import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sitecrawl.exporters.rows import RowMaker
    from sitecrawl.store.inventory import PageTuple


class TextPageExporter(PageExporter):
    """The URLs alone."""

    def write_pages(self, pages: Sequence[PageTuple], maker: RowMaker) -> None:
        self.file.write("".join(f"{printable(page[1])}\n" for page in pages).encode())
