"""Excel workbooks (the ``excel`` extra) and Parquet files (the ``parquet`` extra)."""

from __future__ import annotations

import io
from typing import IO, TYPE_CHECKING, Any, Final

from sitecrawl.config import ConfigError
from sitecrawl.config.packages import FEED_PACKAGES
from sitecrawl.exporters.pages import ScanExporter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.page_filter import PageFilter
    from sitecrawl.store.queries.scans import Scan

_MAX_SHEET_ROWS: Final = 1_048_576  # with the header
_GROUP_ROWS: Final = 50_000


class _TableExporter(ScanExporter):
    """What both formats share: columns are known before the first row."""

    def __init__(self, file: IO[bytes], **kwargs: Any):
        # SQLAlchemy would delay the first request of a scan that writes a feed at its end.
        from sitecrawl.store.queries import feed

        super().__init__(dont_fail=True, **kwargs)
        self.file = file
        self.feed = feed
        self.columns = self.names(feed.FEED_FIELDS)

    def export_scan(self, database: Database, scan: Scan, wanted: PageFilter) -> int:
        known = [name for name in self.columns if name in self.feed.FEED_FIELDS]
        number = 0
        for columns in self.feed.feed_columns(database, scan, wanted, known):
            size = len(columns[0])
            values = dict(zip(known, columns, strict=True))
            self.write_columns([values.get(name) or [None] * size for name in self.columns])
            number += size
        return number

    def export_item(self, item: Any) -> None:
        fields = self.get_serialized_fields(item, include_empty=True)
        values = dict(fields) if self.fields_to_export else dict(item)
        shown = self.columns.values() if self.fields_to_export else self.columns
        self.write_columns([[values.get(name)] for name in shown])

    def write_columns(self, columns: Sequence[Sequence[Any]]) -> None:
        """Write some rows, which are given as columns."""
        raise NotImplementedError


def open_workbook(file: IO[bytes]) -> Any:
    """A workbook that is written row by row."""
    # What a site wrote is text: it becomes neither a formula nor a link.
    options = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    return _optional("xlsx", "xlsxwriter").Workbook(file, options)


class XlsxPageExporter(_TableExporter):
    """A header and one line per page; further sheets when one is full."""

    def __init__(self, file: IO[bytes], **kwargs: Any):
        super().__init__(file, **kwargs)
        # A zip archive that cannot be finished complains on its own when it is thrown away, so it
        # is not made in the file itself.
        self._archive = io.BytesIO()
        self._workbook = open_workbook(self._archive)
        self._next_row = _MAX_SHEET_ROWS

    def write_columns(self, columns: Sequence[Sequence[Any]]) -> None:
        for row in zip(*columns, strict=True):
            if self._next_row == _MAX_SHEET_ROWS:
                self._add_sheet()
            self._sheet.write_row(self._next_row, 0, map(_cell, row))
            self._next_row += 1

    def finish_exporting(self) -> None:
        if self._next_row == _MAX_SHEET_ROWS:
            self._add_sheet()
        self._workbook.close()
        self.file.write(self._archive.getbuffer())

    def _add_sheet(self) -> None:
        self._sheet = self._workbook.add_worksheet()
        self._sheet.freeze_panes(1, 1)
        self._sheet.set_column(0, 1, 60)
        self._sheet.write_row(0, 0, self.columns.values())
        self._next_row = 1


class ParquetPageExporter(_TableExporter):
    """Row groups of many pages, with types that do not depend on the rows."""

    def __init__(self, file: IO[bytes], **kwargs: Any):
        super().__init__(file, **kwargs)
        self._arrow = _optional("parquet", "pyarrow")
        parquet = _optional("parquet", "pyarrow.parquet")
        from sitecrawl.store.queries import arrow

        self._batches = arrow.arrow_batches
        types = zip(self.columns.values(), arrow.arrow_schema(list(self.columns)), strict=True)
        self._schema = self._arrow.schema([(shown, field.type) for shown, field in types])
        self._writer = parquet.ParquetWriter(file, self._schema, compression="zstd")
        self._waiting: list[list[Any]] = [[] for _ in self.columns]

    def export_scan(self, database: Database, scan: Scan, wanted: PageFilter) -> int:
        known = [name for name in self.columns if name in self.feed.FEED_FIELDS]
        number = 0
        for batch in self._batches(database, scan, wanted, known):
            # A field that no page has is empty.
            arrays = [
                batch.column(name)
                if name in known
                else self._arrow.nulls(batch.num_rows, field.type)
                for name, field in zip(self.columns, self._schema, strict=True)
            ]
            self._writer.write_table(self._arrow.Table.from_arrays(arrays, schema=self._schema))
            number += batch.num_rows
        return number

    def write_columns(self, columns: Sequence[Sequence[Any]]) -> None:
        for waiting, column in zip(self._waiting, columns, strict=True):
            waiting.extend(column)
        if len(self._waiting[0]) >= _GROUP_ROWS:
            self._write_group()

    def finish_exporting(self) -> None:
        if self._waiting[0]:
            self._write_group()
        self._writer.close()

    def _write_group(self) -> None:
        fields = zip(self._waiting, self._schema, strict=True)
        arrays = [self._arrow.array(column, field.type) for column, field in fields]
        self._writer.write_table(self._arrow.Table.from_arrays(arrays, schema=self._schema))
        self._waiting = [[] for _ in self.columns]


def _cell(value: Any) -> Any:
    return " ".join(value) if isinstance(value, list) else value


def _optional(format_: str, module: str) -> Any:
    from importlib import import_module

    try:
        return import_module(module)
    except ImportError as error:
        _, extra = FEED_PACKAGES[format_]
        raise ConfigError(
            f"{format_} needs the {error.name} package; pip install 'sitecrawl[{extra}]'"
        ) from error
