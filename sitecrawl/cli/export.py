"""``sitecrawl export``: files that a site can serve, and Parquet for questions by SQL."""

from __future__ import annotations

import csv
import sys
from datetime import date, datetime
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from sitecrawl.cli.coverage import completeness_words
from sitecrawl.cli.options import (
    DatabaseOption,
    OutputOption,
    ScanOption,
    SiteArgument,
    command_group,
)
from sitecrawl.errors import ExitCode

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator

    from sitecrawl.exporters.sitemap import SitemapExport
    from sitecrawl.services.database import AskedScan
    from sitecrawl.store.dataset_sql import QueryAnswer

# A table is as wide as its widest cells, so all of its rows are held.
_MAX_TEXT_ROWS: Final = 10_000

app = command_group(
    "export", "Write files that a site can serve, or Parquet files. One table: sitecrawl urls -o."
)


@app.command()
def sitemap(
    domain: SiteArgument,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The folder to write to; created if needed.")
    ],
    base_url: Annotated[
        str, typer.Option(help="URL of the folder on the site. Default: the root of the site.")
    ] = "",
    gzip: Annotated[bool, typer.Option(help="Compress all files but the index.")] = True,
    scan: ScanOption = None,
    database: DatabaseOption = "",
) -> None:
    """Write XML sitemaps of the pages that belong there.

    It reports which pages were left out, and why.

    \b
    sitecrawl export sitemap example.com -o sitemaps/
    sitecrawl export sitemap example.com -o out/ --base-url https://example.com/sitemaps/
    """
    from sitecrawl.services.database import asking
    from sitecrawl.services.exports import export_sitemaps

    with asking(database, domain, scan) as asked:
        done = export_sitemaps(asked, output, base_url, compress=gzip)
        _tell(_sitemap_words(done, output), asked)
    if not done.pages:
        raise typer.Exit(ExitCode.FAILED)


@app.command()
def llms(
    domain: SiteArgument,
    output: OutputOption = None,
    title: Annotated[str, typer.Option(help="Default: the title of the root page.")] = "",
    summary: Annotated[
        str, typer.Option(help="Description of the site in a sentence or two.")
    ] = "",
    links: Annotated[int, typer.Option(min=1, max=1_000, help="Maximum number per section.")] = 20,
    scan: ScanOption = None,
    database: DatabaseOption = "",
) -> None:
    """Write an llms.txt: the main pages, for language models.

    The pages are listed by section, as llmstxt.org describes.

    \b
    sitecrawl export llms example.com -o llms.txt
    sitecrawl export llms example.com --summary 'Seeds and guides for small gardens.' --links 10
    """
    from sitecrawl.exporters.output import opened_output
    from sitecrawl.services.database import asking
    from sitecrawl.services.exports import export_llms

    with asking(database, domain, scan) as asked:
        done = export_llms(asked, title=title, summary=summary, links_per_section=links)
        with opened_output(output) as file:
            file.write(done.text.encode())
        where = f" written to {output}" if output else ""
        words = [f"{done.links:,} of {done.pages:,} pages{where}", *_left_out_words(done.left_out)]
        _tell(words, asked)


@app.command()
def parquet(
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The folder to write to; created if needed.")
    ],
    domain: Annotated[str, typer.Argument(help="A site that has been scanned.")] = "",
    all_: Annotated[bool, typer.Option("--all", help="All sites.")] = False,
    history: Annotated[
        bool, typer.Option("--history", help="Every kept scan, not only the newest of each site.")
    ] = False,
    database: DatabaseOption = "",
) -> None:
    """Write pages, changes and mentions as Parquet files.

    There is a folder per site and scan.

    Scans that are in the folder already are left as they are.

    \b
    sitecrawl export parquet example.com -o parquet/
    sitecrawl export parquet --all --history -o parquet/
    """
    from sitecrawl.config import ConfigError
    from sitecrawl.services.database import reading
    from sitecrawl.services.exports import export_parquet

    if bool(domain) == all_:
        raise ConfigError("name a site, or give --all")
    is_empty = True
    with reading(database) as store:
        for done in export_parquet(store, output, domain, history=history):
            is_empty, rows = False, done.rows
            words = (
                "there already"
                if rows is None
                else f"{rows['pages']:,} pages, {rows['mentions']:,} mentions,"
                f" {rows['changes']:,} changes"
            )
            typer.echo(f"{done.site} scan {done.scan_id}: {words}")
    if is_empty:
        typer.echo("nothing to export: there is no scan with a result", err=True)


def _sitemap_words(done: SitemapExport, output: Path) -> Iterator[str]:
    if done.pages:
        maps = "1 sitemap" if done.parts == 1 else f"{done.parts:,} sitemaps"
        yield f"{_pages(done.pages)} in {maps} and an index, written to {output}"
        if unvisited := done.pages - done.visited:
            yield f"not visited, so their status is unknown: {unvisited:,}"
    else:
        yield "no page belongs in a sitemap: nothing was written"
    yield from _left_out_words(done.left_out)
    if done.lastmods_left_out:
        yield f"{done.lastmods_left_out:,} dates left out: not a full date, or not plausible"
    if done.pages:
        yield f"add to robots.txt: Sitemap: {done.index_url}"


def _left_out_words(left_out: Counter[str]) -> Iterator[str]:
    if left_out:
        yield f"{_pages(left_out.total())} left out:"
    for reason, number in sorted(left_out.items(), key=lambda each: (-each[1], each[0])):
        yield f"{number:>9,} {reason}"


def _tell(words: Iterator[str] | list[str], asked: AskedScan) -> None:
    for line in (*words, *completeness_words(asked.coverage())):
        typer.echo(line, err=True)


def _pages(number: int) -> str:
    return f"{number:,} page{'' if number == 1 else 's'}"


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
    memory: Annotated[int, typer.Option(min=64, help="MB that the query may take.")] = 1_024,
    seconds: Annotated[float, typer.Option(min=0.1, help="Time that the query may take.")] = 60,
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

    rows = [
        tuple("" if value is None else str(value) for value in row)
        for row in islice(answer.rows, _MAX_TEXT_ROWS)
    ]
    if rows:
        print_table(answer.columns, rows)
    else:
        typer.echo("no rows", err=True)
    if next(answer.rows, None) is not None:
        words = f"these are the first {_MAX_TEXT_ROWS:,} rows; --format csv or jsonl has all"
        typer.echo(words, err=True)


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, date | datetime) else value
