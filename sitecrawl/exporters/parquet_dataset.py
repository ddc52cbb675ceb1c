"""Writes inventories as a folder of Parquet files, a folder per site and scan (Hive style).

``pages/site=example.com/scan=12/part-0.parquet``, and so with ``changes`` and ``mentions``. The
rows of a file are sorted by URL, so that its statistics tell where a URL cannot be. A scan that is
there already is not written again.
"""

from __future__ import annotations

import os
import shutil
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from sitecrawl.store.queries.arrow import (
    arrow_batches,
    arrow_schema,
    change_batches,
    mention_batches,
)
from sitecrawl.store.queries.page_filter import ALL_PAGES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    import pyarrow as pa

    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.scans import Scan

# Sorted in memory: some 400 MB of pages.
_ROWS_PER_FILE: Final = 500_000
_ROWS_PER_GROUP: Final = 100_000
_LEVEL: Final = 3


def write_scan(database: Database, scan: Scan, folder: Path) -> dict[str, int] | None:
    """Write the scan into the folder; return its rows by table, None if it is there already."""
    arrow_schema()  # says which extra is missing before anything is written
    place = f"site={quote(scan.site_key, safe='')}/scan={scan.id}"
    # Written last: its presence says that the scan is complete.
    if (folder / "pages" / place).exists():
        return None
    written = {}
    for table, batches in (
        ("mentions", mention_batches(database, scan)),
        ("changes", change_batches(database, scan)),
        ("pages", arrow_batches(database, scan, ALL_PAGES)),
    ):
        written[table] = _write_table(batches, folder / table / place)
    return written


def _write_table(batches: Iterable[pa.RecordBatch], target: Path) -> int:
    draft = target.with_name(f".{target.name}.{os.getpid()}.part")
    draft.mkdir(parents=True)
    try:
        rows = 0
        for number, table in enumerate(_tables(batches)):
            _parquet().write_table(
                table.sort_by("url"),
                draft / f"part-{number}.parquet",
                compression="zstd",
                compression_level=_LEVEL,
                row_group_size=_ROWS_PER_GROUP,
                write_statistics=True,
            )
            rows += table.num_rows
        if target.exists():  # of a run that was cut off
            shutil.rmtree(target)
        draft.rename(target)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return rows


def _tables(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    gathered: list[Any] = []
    for batch in batches:
        gathered.append(batch)
        if sum(each.num_rows for each in gathered) >= _ROWS_PER_FILE:
            yield import_module("pyarrow").Table.from_batches(gathered)
            gathered = []
    if gathered:
        yield import_module("pyarrow").Table.from_batches(gathered)


def _parquet() -> Any:
    return import_module("pyarrow.parquet")
