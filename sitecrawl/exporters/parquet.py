"""Parquet files (the ``parquet`` extra)."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Any

from sitecrawl.config import ConfigError
from sitecrawl.exporters.pages import PageExporter
from sitecrawl.exporters.rows import FIELDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sitecrawl.exporters.rows import RowMaker
    from sitecrawl.store.inventory import PageTuple

_LISTS = {"sources", "clusters"}
_NUMBERS = {"sitemap_priority", "importance", "priority"}


class ParquetPageExporter(PageExporter):
    """One row group per chunk, with types that do not depend on the rows."""

    def __init__(self, file: IO[bytes], **kwargs: Any):
        super().__init__(file, **kwargs)
        try:
            import pyarrow as pa
            from pyarrow import parquet
        except ImportError as error:
            raise ConfigError(
                "parquet needs the pyarrow package; pip install 'sitecrawl[parquet]'"
            ) from error
        self._arrow = pa
        self._schema = pa.schema([(name, self._type(name)) for name in FIELDS])
        self._writer = parquet.ParquetWriter(file, self._schema, compression="zstd")

    def write_pages(self, pages: Sequence[PageTuple], maker: RowMaker) -> None:
        self._writer.write_table(self._arrow.Table.from_pylist(maker.rows(pages), self._schema))

    def finish_exporting(self) -> None:
        self._writer.close()

    def _type(self, name: str) -> Any:
        arrow = self._arrow
        if name in _LISTS:
            return arrow.list_(arrow.string())
        if name in _NUMBERS:
            return arrow.float64()
        if name == "depth":
            return arrow.int32()
        return arrow.bool_() if name == "robots_allowed" else arrow.string()
