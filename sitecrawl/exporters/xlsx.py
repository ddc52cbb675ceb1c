"""Excel workbooks (the ``excel`` extra)."""

from __future__ import annotations

import io
from typing import IO, TYPE_CHECKING, Any

from xlsxwriter import Workbook

from sitecrawl.exporters.pages import PageExporter
from sitecrawl.exporters.rows import FIELDS

if TYPE_CHECKING:
    from sitecrawl.exporters.rows import RowMaker
    from sitecrawl.store.pagechunks import PageChunk

_MAX_ROWS = 1_048_576  # of one sheet, its header included


class XlsxPageExporter(PageExporter):
    """A header and one line per page; further sheets when one is full."""

    def __init__(self, file: IO[bytes], **kwargs: Any):
        super().__init__(file, **kwargs)
        # A zip archive that cannot be finished complains on its own when it is thrown away, so it
        # is not made in the file itself.
        self._archive = io.BytesIO()
        # What a site wrote is text: it becomes neither a formula nor a link.
        self._workbook = Workbook(
            self._archive,
            {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False},
        )
        self._next_row = _MAX_ROWS

    def write_pages(self, pages: PageChunk, maker: RowMaker) -> None:
        for row in maker.rows(pages):
            if self._next_row == _MAX_ROWS:
                self._add_sheet()
            cells = [_cell(row[name]) for name in FIELDS]
            self._sheet.write_row(self._next_row, 0, cells)
            self._next_row += 1

    def finish_exporting(self) -> None:
        if self._next_row == _MAX_ROWS:
            self._add_sheet()
        self._workbook.close()
        self.file.write(self._archive.getbuffer())

    def _add_sheet(self) -> None:
        self._sheet = self._workbook.add_worksheet()
        self._sheet.freeze_panes(1, 1)
        self._sheet.set_column(0, 1, 60)
        self._sheet.write_row(0, 0, FIELDS)
        self._next_row = 1


def _cell(value: Any) -> Any:
    return " ".join(value) if isinstance(value, list) else value
