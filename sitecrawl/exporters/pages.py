"""The formats of feeds: one row per page, written by Scrapy's exporters or by the database.

Each exporter takes items one by one, as Scrapy's do, and can also write all pages of a scan as the
database makes the rows, which is several times as fast.
"""

from __future__ import annotations

import codecs
import json
import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import lru_cache
from typing import IO, TYPE_CHECKING, Any, Final, cast

from scrapy.exporters import (
    BaseItemExporter,
    CsvItemExporter,
    JsonItemExporter,
    JsonLinesItemExporter,
)

from sitecrawl.config import ConfigError
from sitecrawl.config.packages import FEED_PACKAGES
from sitecrawl.exporters.csv_rows import safe_cell
from sitecrawl.exporters.output import opened_output
from sitecrawl.safety.text import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from io import BytesIO
    from pathlib import Path

    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.page_filter import PageFilter
    from sitecrawl.store.queries.scans import Scan

# What Scrapy gives to every exporter; others change how a row is written.
_COMMON_OPTIONS: Final = frozenset(
    {"encoding", "fields_to_export", "export_empty_fields", "indent"}
)


class ScanExporter(BaseItemExporter, ABC):
    """An exporter that can write the pages of a scan without an item for each."""

    can_export_scan = True
    """Whether its options allow it."""

    @abstractmethod
    def export_scan(self, database: Database, scan: Scan, wanted: PageFilter) -> int:
        """Write the wanted pages of the scan; return their number."""

    def names(self, known: Sequence[str]) -> dict[str, str]:
        """The fields to export, each with its name in the feed, in their order."""
        wanted: Mapping[str, str] | Iterable[str] = self.fields_to_export or known
        return dict(wanted) if isinstance(wanted, Mapping) else {name: name for name in wanted}


class JsonLinesPageExporter(JsonLinesItemExporter, ScanExporter):
    """One object per line."""

    def __init__(self, file: IO[bytes], **kwargs: Any):
        super().__init__(cast("BytesIO", file), **kwargs)
        self.can_export_scan = _is_utf8(self.encoding) and kwargs.keys() <= _COMMON_OPTIONS

    def export_scan(self, database: Database, scan: Scan, wanted: PageFilter) -> int:
        number = 0
        for rows in _json_rows(self, database, scan, wanted):
            self.file.write(b"\n".join([*rows, b""]))
            number += len(rows)
        return number


class JsonPageExporter(JsonItemExporter, ScanExporter):
    """One list of objects, one per line unless ``indent`` says otherwise."""

    def __init__(self, file: IO[bytes], **kwargs: Any):
        super().__init__(cast("BytesIO", file), **kwargs)
        is_flat = self.indent is None or self.indent <= 0
        self.can_export_scan = (
            is_flat and _is_utf8(self.encoding) and kwargs.keys() <= _COMMON_OPTIONS
        )

    def export_scan(self, database: Database, scan: Scan, wanted: PageFilter) -> int:
        number = 0
        end = b"," if self.indent is None else b",\n"
        for rows in _json_rows(self, database, scan, wanted):
            self.file.write((end if number else b"") + end.join(rows))
            number += len(rows)
        return number


class CsvPageExporter(CsvItemExporter, ScanExporter):
    """A header, then one line per page; lists are separated by blanks, and no cell is a formula."""

    def __init__(self, file: IO[bytes], join_multivalued: str = " ", **kwargs: Any):
        super().__init__(cast("BytesIO", file), join_multivalued=join_multivalued, **kwargs)
        self.can_export_scan = join_multivalued == " "

    def serialize_field(self, field: Mapping[str, Any], name: str, value: Any) -> Any:
        return safe_cell(super().serialize_field(field, name, value))

    def export_scan(self, database: Database, scan: Scan, wanted: PageFilter) -> int:
        from sitecrawl.store.queries.feed import FEED_FIELDS, feed_columns

        names = self.names(FEED_FIELDS)
        known = [name for name in names if name in FEED_FIELDS]
        if self.include_headers_line:
            self.csv_writer.writerow(names.values())
        number = 0
        for columns in feed_columns(database, scan, wanted, known, _cell_of_list):
            size = len(columns[0])
            cells = dict(zip(known, map(_cells, columns), strict=True))
            # A field that no page has is empty, as of Scrapy's exporter.
            in_order = [cells.get(name) or [""] * size for name in names]
            self.csv_writer.writerows(zip(*in_order, strict=True))
            number += size
        return number


class TextPageExporter(ScanExporter):
    """The URLs alone, one per line, for other programs."""

    def __init__(self, file: IO[bytes], **kwargs: Any):
        super().__init__(dont_fail=True, **kwargs)
        self.file = file

    def export_item(self, item: Any) -> None:
        self.file.write(f"{printable(item['url'])}\n".encode())

    def export_scan(self, database: Database, scan: Scan, wanted: PageFilter) -> int:
        from sitecrawl.store.queries.pages import page_rows

        number = 0
        for rows in page_rows(database, scan, wanted, ["url"]):
            self.file.write("".join([f"{printable(url)}\n" for (url,) in rows]).encode())
            number += len(rows)
        return number


def export_pages(
    database: Database, scan: Scan, wanted: PageFilter, format_: str, output: Path | None
) -> int:
    """Write the wanted pages of the scan to a file or to standard output; return their number."""
    if output is None and format_ in FEED_PACKAGES and sys.stdout.isatty():
        raise ConfigError(f"--format {format_} is not for the screen; give a file with -o")
    with opened_output(output) as file:
        return write_pages(database, scan, wanted, format_, file)


def write_pages(
    database: Database, scan: Scan, wanted: PageFilter, format_: str, file: IO[bytes]
) -> int:
    """Write the wanted pages of the scan to an open file; return their number."""
    exporter = _exporter(format_)(file, encoding="utf-8", indent=0)
    exporter.start_exporting()
    number = exporter.export_scan(database, scan, wanted)
    exporter.finish_exporting()
    return number


def _exporter(format_: str) -> Callable[..., ScanExporter]:
    if format_ in FEED_PACKAGES:
        from sitecrawl.exporters import tables

        return {"xlsx": tables.XlsxPageExporter, "parquet": tables.ParquetPageExporter}[format_]
    return {
        "text": TextPageExporter,
        "jsonl": JsonLinesPageExporter,
        "json": JsonPageExporter,
        "csv": CsvPageExporter,
    }[format_]


def _json_rows(
    exporter: ScanExporter, database: Database, scan: Scan, wanted: PageFilter
) -> Iterable[list[bytes]]:
    # SQLAlchemy would delay the first request of a scan that writes a feed at its end.
    from sitecrawl.store.queries.feed import FEED_FIELDS, feed_json

    if not exporter.fields_to_export:
        return feed_json(database, scan, wanted)
    names = exporter.names(FEED_FIELDS)
    known = {name: shown for name, shown in names.items() if name in FEED_FIELDS}
    return feed_json(database, scan, wanted, known)


def _cells(column: Sequence[Any]) -> Sequence[Any]:
    if column.count(None) == len(column):
        return [""] * len(column)
    if isinstance(next((each for each in column if each is not None), None), str):
        # Each text once: most columns have few.
        cells = {value: safe_cell(value) for value in set(column)}
        return [cells[value] for value in column]
    # A number is safe, and the writer leaves the cell of None empty.
    return column


@lru_cache(maxsize=10_000)
def _cell_of_list(text: str) -> str:
    """Of a list in JSON; many pages have the same."""
    return " ".join(json.loads(text))


def _is_utf8(encoding: str | None) -> bool:
    return encoding is not None and codecs.lookup(encoding).name == "utf-8"
