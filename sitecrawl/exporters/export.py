"""Exports of the inventory outside of a scan, in every format."""

from __future__ import annotations

import sys
from typing import IO, TYPE_CHECKING

from sitecrawl.config import ConfigError
from sitecrawl.exporters.csv import CsvPageExporter
from sitecrawl.exporters.json import JsonLinesPageExporter, JsonPageExporter
from sitecrawl.exporters.output import opened_output
from sitecrawl.exporters.text import TextPageExporter
from sitecrawl.urls.canonical import KeyRules

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from sitecrawl.exporters.pages import PageExporter
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.pages import PageFilter
    from sitecrawl.store.queries.scans import Scan, Site


# Formats that need a package of an extra.
_EXTRAS = {"xlsx": "excel", "parquet": "parquet"}


def export_pages(
    database: Database,
    site: Site,
    scan: Scan,
    wanted: PageFilter,
    format_: str,
    output: Path | None,
) -> int:
    """Write the wanted pages of the scan to a file or to standard output; return their number."""
    make_exporter = _exporter(format_)
    if output is None and format_ in _EXTRAS and sys.stdout.isatty():
        raise ConfigError(f"--format {format_} is not for the screen; give a file with -o")
    with opened_output(output) as file:
        exporter = make_exporter(file)
        exporter.start_exporting()
        number = exporter.export_scan(database, scan.id, KeyRules(**site.key_rules), wanted)
        exporter.finish_exporting()
    return number


def _exporter(format_: str) -> Callable[[IO[bytes]], PageExporter]:
    if format_ in _EXTRAS:
        try:
            return _optional_exporter(format_)
        except ImportError as error:
            raise ConfigError(
                f"{format_} needs the {error.name} package;"
                f" pip install 'sitecrawl[{_EXTRAS[format_]}]'"
            ) from error
    return {
        "text": TextPageExporter,
        "jsonl": JsonLinesPageExporter,
        "json": JsonPageExporter,
        "csv": CsvPageExporter,
    }[format_]


def _optional_exporter(format_: str) -> Callable[[IO[bytes]], PageExporter]:
    if format_ == "xlsx":
        from sitecrawl.exporters.xlsx import XlsxPageExporter

        return XlsxPageExporter
    from sitecrawl.exporters.parquet import ParquetPageExporter

    return ParquetPageExporter
