"""The report as CSV: a zip file with one CSV file per table, because one table cannot hold it."""

from __future__ import annotations

import csv
import io
from typing import IO, TYPE_CHECKING, Final
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from sitecrawl.exporters.cells import safe_cell
from sitecrawl.report.tables import page_table, report_tables

if TYPE_CHECKING:
    from sitecrawl.report.data import ReportData
    from sitecrawl.report.tables import ReportTable

# Zip files carry times; with this one the same report gives the same bytes.
_NO_TIME: Final = (1980, 1, 1, 0, 0, 0)
_READABLE_BY_ALL: Final = 0o644 << 16


def write_csv(report: ReportData, file: IO[bytes]) -> None:
    # Built in memory: standard output cannot be sought in.
    archive = io.BytesIO()
    with ZipFile(archive, "w") as folder:
        for table in (*report_tables(report), page_table(report)):
            entry = ZipInfo(f"{table.name}.csv", _NO_TIME)
            entry.compress_type = ZIP_DEFLATED
            entry.external_attr = _READABLE_BY_ALL
            folder.writestr(entry, csv_text(table).encode("utf-8", "backslashreplace"))
    file.write(archive.getvalue())


def csv_text(table: ReportTable) -> str:
    """A header and a line per row, in which no cell is a formula to a spreadsheet."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(table.columns)
    writer.writerows([safe_cell(cell) for cell in row] for row in table.rows)
    return text.getvalue()
