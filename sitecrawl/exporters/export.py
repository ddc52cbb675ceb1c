"""Exports of the inventory outside of a scan, in every format."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING

from sitecrawl.config import ConfigError
from sitecrawl.exporters.csv import CsvPageExporter
from sitecrawl.exporters.json import JsonLinesPageExporter, JsonPageExporter
from sitecrawl.exporters.text import TextPageExporter
from sitecrawl.urls.canonical import KeyRules

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from sitecrawl.exporters.pages import PageExporter
    from sitecrawl.store.engine import Database
    from sitecrawl.store.facts import Scan, Site
    from sitecrawl.store.inventory import PageFilter


def export_pages(
    database: Database,
    site: Site,
    scan: Scan,
    wanted: PageFilter,
    format_: str,
    output: Path | None,
) -> int:
    """Write the wanted pages of the scan to a file or to standard output; return their number."""
    with _opened(output, format_) as file:
        exporter = _exporter(format_)(file)
        exporter.start_exporting()
        number = exporter.export_scan(database, scan.id, KeyRules(**site.key_rules), wanted)
        exporter.finish_exporting()
    return number


def _exporter(format_: str) -> Callable[[IO[bytes]], PageExporter]:
    if format_ == "xlsx":
        from sitecrawl.exporters.xlsx import XlsxPageExporter

        return XlsxPageExporter
    if format_ == "parquet":
        from sitecrawl.exporters.parquet import ParquetPageExporter

        return ParquetPageExporter
    return {
        "text": TextPageExporter,
        "jsonl": JsonLinesPageExporter,
        "json": JsonPageExporter,
        "csv": CsvPageExporter,
    }[format_]


@contextmanager
def _opened(output: Path | None, format_: str) -> Iterator[IO[bytes]]:
    if output is None:
        if format_ in {"xlsx", "parquet"} and sys.stdout.isatty():
            raise ConfigError(f"--format {format_} is not for the screen; give a file with -o")
        yield sys.stdout.buffer
        return
    try:
        with output.open("wb") as file:
            yield file
    except OSError as error:
        raise ConfigError(f"-o {output}: {error.strerror or error}") from error
