"""Parquet files (the ``parquet`` extra)."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Any

import pyarrow as pa
from pyarrow import parquet

from sitecrawl.exporters.pages import PageExporter
from sitecrawl.exporters.rows import FIELDS

if TYPE_CHECKING:
    from sitecrawl.exporters.rows import Row, RowMaker
    from sitecrawl.store.pagechunks import PageChunk

_ROWS_PER_GROUP = 50_000
_LISTS = {"sources", "clusters"}
_NUMBERS = {"sitemap_priority", "importance", "priority"}
_COUNTS = {"depth", "clicks", "http_status", "inlinks"}
_FLAGS = {"robots_allowed", "other_language"}


class ParquetPageExporter(PageExporter):
    """Row groups of many pages, with types that do not depend on the rows."""

    def __init__(self, file: IO[bytes], **kwargs: Any):
        super().__init__(file, **kwargs)
        self._schema = pa.schema([(name, _type(name)) for name in FIELDS])
        self._writer = parquet.ParquetWriter(file, self._schema, compression="zstd")
        self._rows: list[Row] = []

    def write_pages(self, pages: PageChunk, maker: RowMaker) -> None:
        self._rows += maker.rows(pages)
        if len(self._rows) >= _ROWS_PER_GROUP:
            self._write_group()

    def finish_exporting(self) -> None:
        if self._rows:
            self._write_group()
        self._writer.close()

    def _write_group(self) -> None:
        self._writer.write_table(pa.Table.from_pylist(self._rows, self._schema))
        self._rows = []


def _type(name: str) -> Any:
    if name in _LISTS:
        return pa.list_(pa.string())
    if name in _NUMBERS:
        return pa.float64()
    if name in _COUNTS:
        return pa.int32()
    return pa.bool_() if name in _FLAGS else pa.string()
