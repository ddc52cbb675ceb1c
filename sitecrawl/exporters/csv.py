"""CSV that a spreadsheet can open without running what a site wrote into it."""

from __future__ import annotations

import csv
import io
from typing import IO, TYPE_CHECKING, Any

from sitecrawl.exporters.pages import PageExporter
from sitecrawl.exporters.rows import FIELDS

if TYPE_CHECKING:
    from sitecrawl.exporters.rows import RowMaker
    from sitecrawl.store.pagechunks import PageChunk

# A cell that starts with one of these is a formula, or the way into one, to a spreadsheet.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def safe_cell(value: Any) -> Any:
    """
    >>> safe_cell("=HYPERLINK(1)"), safe_cell("plain"), safe_cell(None), safe_cell(["a", "b"])
    ("'=HYPERLINK(1)", 'plain', '', 'a b')
    """
    if value is None:
        return ""
    if isinstance(value, list):
        value = " ".join(value)
    if isinstance(value, str) and value.startswith(_FORMULA_STARTS):
        return f"'{value}"
    return value


class CsvPageExporter(PageExporter):
    """A header, then one line per page; lists are separated by blanks."""

    def __init__(self, file: IO[bytes], **kwargs: Any):
        super().__init__(file, **kwargs)
        # Its own text layer must not close Scrapy's file when it goes.
        self._text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
        self._writer = csv.writer(self._text)

    def start_exporting(self) -> None:
        self._writer.writerow(FIELDS)

    def write_pages(self, pages: PageChunk, maker: RowMaker) -> None:
        self._writer.writerows(
            [safe_cell(row[name]) for name in FIELDS] for row in maker.rows(pages)
        )

    def finish_exporting(self) -> None:
        self._text.detach()
