"""``sitecrawl report``: what a site consists of, how complete the list is, what is wrong."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from sitecrawl.cli.options import DATABASE_OPTION, SCAN_OPTION, SITE_ARGUMENT, format_by_ending
from sitecrawl.config import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import IO

    from sitecrawl.report.data import ReportData


class ReportFormat(StrEnum):
    """What ``report`` can write."""

    HTML = "html"
    JSON = "json"
    MD = "md"
    CSV = "csv"
    XLSX = "xlsx"


_DEFAULT_FILE: Final = Path("report.html")
_ARCHIVES: Final = {ReportFormat.CSV: "zip", ReportFormat.XLSX: "xlsx"}
_BY_ENDING: Final = {
    ".html": ReportFormat.HTML,
    ".json": ReportFormat.JSON,
    ".md": ReportFormat.MD,
    ".zip": ReportFormat.CSV,
    ".xlsx": ReportFormat.XLSX,
}


def report(
    domain: Annotated[str, SITE_ARGUMENT],
    format_: Annotated[
        ReportFormat | None,
        typer.Option(
            "--format",
            "-f",
            help="Default: by the ending of --output, else html. csv is a zip file of tables.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="The file. Default: report.html, or the screen with --format."
        ),
    ] = None,
    terminal: Annotated[
        bool, typer.Option("--terminal", help="Print a short version to the screen.")
    ] = False,
    scan: Annotated[int | None, SCAN_OPTION] = None,
    database: Annotated[str, DATABASE_OPTION] = "",
) -> None:
    """Report what a site consists of, how complete the list is, and what is wrong.

    \b
    sitecrawl report example.com
    sitecrawl report example.com -o example.html
    sitecrawl report example.com --terminal
    sitecrawl report example.com --format md
    sitecrawl report example.com -o report.json
    sitecrawl report example.com -o tables.zip
    sitecrawl report example.com -o tables.xlsx
    """
    from sitecrawl.report.findings import MAX_ITEMS
    from sitecrawl.report.gather import gather_report
    from sitecrawl.services.database import known_site, reading, wanted_scan

    wanted = _wanted_format(format_, output, is_terminal=terminal)
    with reading(database) as store:
        chosen = wanted_scan(store, known_site(store, domain), scan)
        # Tables have every page of a finding.
        is_whole = wanted in {ReportFormat.CSV, ReportFormat.XLSX}
        max_items = sys.maxsize if is_whole else MAX_ITEMS
        data = gather_report(store, chosen, max_items=max_items)
    if wanted is None:
        _print_short(data)
    else:
        target = output if output or format_ else _DEFAULT_FILE
        _write(data, wanted, target)
        if target:
            typer.echo(f"report of {chosen.root_url} written to {target}", err=True)


def _wanted_format(
    format_: ReportFormat | None, output: Path | None, *, is_terminal: bool
) -> ReportFormat | None:
    """None: the short version."""
    if is_terminal:
        if format_ or output:
            raise ConfigError("--terminal prints to the screen: leave out --format and --output")
        return None
    if output is None or format_:
        if format_ in _ARCHIVES and output is None and sys.stdout.isatty():
            ending = _ARCHIVES[format_]
            raise ConfigError(
                f"--format {format_} is a {ending} file: use -o, as -o tables.{ending}"
            )
        return format_ or ReportFormat.HTML
    return format_by_ending(output, _BY_ENDING, ReportFormat.HTML)


def _write(data: ReportData, format_: ReportFormat, output: Path | None) -> None:
    from sitecrawl.exporters.output import opened_output

    write = _writer(format_)
    with opened_output(output) as file:
        write(data, file)


def _print_short(data: ReportData) -> None:
    from rich.console import Console

    from sitecrawl.report.terminal import terminal_report

    Console(highlight=False).print(terminal_report(data))


def _writer(format_: ReportFormat) -> Callable[[ReportData, IO[bytes]], None]:
    """One function per format, each imported only when it is wanted."""
    match format_:
        case ReportFormat.HTML:
            from sitecrawl.report.html import write_html

            return write_html
        case ReportFormat.JSON:
            from sitecrawl.report.data import write_json

            return write_json
        case ReportFormat.MD:
            from sitecrawl.report.markdown import write_markdown

            return write_markdown
        case ReportFormat.CSV:
            from sitecrawl.report.tables import write_csv

            return write_csv
        case ReportFormat.XLSX:
            from sitecrawl.report.tables import write_xlsx

            return write_xlsx
