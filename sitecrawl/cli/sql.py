"""``sitecrawl sql``: questions to exported Parquet files."""

from __future__ import annotations

import csv
import sys
from datetime import date, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from sitecrawl.store.dataset_sql import QueryAnswer


class RowFormat(StrEnum):
    """How rows are written."""

    TEXT = "text"
    CSV = "csv"
    JSONL = "jsonl"


def sql(
    query: Annotated[str, typer.Argument(help="One SELECT over pages, changes and mentions.")],
    folder: Annotated[
        Path, typer.Option("--folder", "-f", help="What export parquet has written.")
    ] = Path("parquet"),
    format_: Annotated[RowFormat, typer.Option("--format", help="How rows are written.")] = (
        RowFormat.TEXT
    ),
    memory: Annotated[int, typer.Option(min=64, help="MB that it may take.")] = 1_024,
    seconds: Annotated[float, typer.Option(min=0.1, help="Time that it may take.")] = 60,
) -> None:
    """Ask exported inventories by SQL (DuckDB); they are only read.

    \b
    sitecrawl export parquet --all -o parquet/
    sitecrawl sql 'SELECT site, status, count(*) FROM pages GROUP BY ALL ORDER BY 3 DESC'
    sitecrawl sql 'DESCRIBE SELECT * FROM pages' --folder parquet/
    """
    from sitecrawl.services.exports import ask_files
    from sitecrawl.store.dataset_sql import QueryLimits

    with ask_files(folder, query, QueryLimits(memory, seconds)) as answer:
        _write(answer, format_)


def _write(answer: QueryAnswer, format_: RowFormat) -> None:
    if format_ is RowFormat.JSONL:
        import json

        for row in answer.rows:
            named = dict(zip(answer.columns, map(_plain, row), strict=True))
            typer.echo(json.dumps(named, ensure_ascii=False))
        return
    if format_ is RowFormat.CSV:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(answer.columns)
        writer.writerows(answer.rows)
        return
    from sitecrawl.cli.tables import print_table

    rows = [tuple("" if value is None else str(value) for value in row) for row in answer.rows]
    print_table(answer.columns, rows)


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, date | datetime) else value
