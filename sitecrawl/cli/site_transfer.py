"""``sitecrawl site import`` and ``export``: watched sites as CSV and JSON."""

from __future__ import annotations

import sys
from pathlib import Path  # noqa: TC003  Typer reads the annotations
from typing import TYPE_CHECKING, Annotated

import typer

from sitecrawl.cli.options import DatabaseOption, OutputOption, format_by_ending
from sitecrawl.cli.tables import JsonOption, print_json
from sitecrawl.config import ConfigError
from sitecrawl.safety.text import printable
from sitecrawl.store.vocabulary import FIRST_WORKSPACE

if TYPE_CHECKING:
    from collections.abc import Callable

    from sitecrawl.services.site_transfer import TransferFormat

_FILE_FORMAT = typer.Option("--format", "-f", help="csv or json. Default: by the file's ending.")


def import_(
    file: Annotated[Path, typer.Argument(help="A CSV or JSON file.", exists=True, dir_okay=False)],
    format_: Annotated[str, _FILE_FORMAT] = "",
    as_json: JsonOption = False,
    database: DatabaseOption = "",
) -> None:
    """Watch every site of a file.

    It has one URL per line, or columns with a header. Sites that are watched already are skipped,
    so an import can be run again.
    Columns: root_url, name, tags, group, enabled, profile, priority, interval_minutes, cron,
    timezone, owner, settings.

    \b
    sitecrawl site import urls.txt
    sitecrawl site import sites.csv
    """
    from sitecrawl.services.database import configured, writing
    from sitecrawl.services.site_transfer import ImportStatus, import_sites

    with writing(database) as store:
        result = import_sites(
            *(
                store,
                FIRST_WORKSPACE,
                file.read_bytes(),
                _transfer_format(file, format_),
                _progress(),
            ),
            address_allow=configured().address_allow,
            allow_private=True,
        )
    if as_json:
        print_json(result.rows)
    else:
        for row in result.rows:
            if row.status is ImportStatus.INVALID:
                typer.echo(f"line {row.line}: {printable(row.message)}", err=True)
        counts = ", ".join(f"{result.count(each):,} {each}" for each in ImportStatus)
        typer.echo(f"{len(result.rows):,} rows: {counts}")
    if result.count(ImportStatus.INVALID):
        raise typer.Exit(3)


def export(
    output: OutputOption = None,
    format_: Annotated[str, _FILE_FORMAT] = "",
    short: Annotated[
        bool, typer.Option("--short", help="Number, URL, robots.txt and date only.")
    ] = False,
    database: DatabaseOption = "",
) -> None:
    """Write the watched sites, in a form that can be imported.

    \b
    sitecrawl site export -o sites.csv
    sitecrawl site export --format json
    """
    import io

    from sitecrawl.exporters.output import opened_output
    from sitecrawl.services.database import reading
    from sitecrawl.services.site_transfer import export_sites

    chosen = _transfer_format(output, format_)
    with reading(database) as store, opened_output(output) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
        number = export_sites(store, FIRST_WORKSPACE, text, chosen, is_short=short)
        text.detach()
    if output:
        sys.stderr.write(f"{number:,} sites written to {output}\n")


def _transfer_format(path: Path | None, given: str) -> TransferFormat:
    from sitecrawl.services.site_transfer import TransferFormat

    if given:
        if given not in set(TransferFormat):
            raise ConfigError(f"--format {given!r}: expected one of {', '.join(TransferFormat)}")
        return TransferFormat(given)
    endings = {"": TransferFormat.CSV, ".txt": TransferFormat.CSV}
    endings |= {f".{each}": each for each in TransferFormat}
    return format_by_ending(path, endings, TransferFormat.CSV)


def _progress() -> Callable[[int, int], None] | None:
    if not sys.stderr.isatty():
        return None

    def show(done: int, total: int) -> None:
        sys.stderr.write(f"\r{done:,} of {total:,} rows" + ("\n" if done == total else ""))
        sys.stderr.flush()

    return show
