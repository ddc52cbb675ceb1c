"""``sitecrawl report``: what a site consists of, how complete the list is, what is wrong."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from sitecrawl.cli.options import DatabaseOption, ScanOption, SiteArgument, format_by_ending
from sitecrawl.config import ConfigError
from sitecrawl.services.formats import ReportFormat

if TYPE_CHECKING:
    from sitecrawl.report.data import ReportData


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
    domain: SiteArgument,
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
    scan: ScanOption = None,
    database: DatabaseOption = "",
) -> None:
    """Report what a site consists of, and what is wrong with it.

    The report also says how complete the list is.

    \b
    sitecrawl report example.com
    sitecrawl report example.com -o example.html
    sitecrawl report example.com --terminal
    sitecrawl report example.com --format md
    sitecrawl report example.com -o report.json
    sitecrawl report example.com -o tables.zip
    sitecrawl report example.com -o tables.xlsx
    """
    from sitecrawl.exporters.output import opened_output
    from sitecrawl.services.database import asking
    from sitecrawl.services.reports import report_data, write_report

    wanted = _wanted_format(format_, output, is_terminal=terminal)
    target = output if output or format_ else _DEFAULT_FILE
    with asking(database, domain, scan) as asked:
        if wanted is None:
            _print_short(report_data(asked))
            return
        with opened_output(target) as file:
            write_report(asked, wanted, file)
    if target:
        typer.echo(f"report of {asked.scan.root_url} written to {target}", err=True)


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


def _print_short(data: ReportData) -> None:
    from rich.console import Console

    from sitecrawl.console.report import terminal_report

    Console(highlight=False).print(terminal_report(data))
