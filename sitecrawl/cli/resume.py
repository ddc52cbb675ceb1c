"""``sitecrawl resume``: go on with a scan that did not come to its end."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003  Typer reads the annotations
from typing import TYPE_CHECKING, Annotated

import typer

from sitecrawl.cli.inventory import DATABASE_OPTION
from sitecrawl.cli.scansettings import OUTPUT_OPTION, VERBOSE_OPTION, scan_settings
from sitecrawl.cli.workplace import SETTING_OPTION

if TYPE_CHECKING:
    from scrapy.settings import Settings

    from sitecrawl.store.engine import Database
    from sitecrawl.store.facts import Scan


def resume(
    scan: Annotated[
        int | None,
        typer.Argument(help="Its number; default: the newest that was interrupted or is partial."),
    ] = None,
    output: Annotated[list[Path] | None, OUTPUT_OPTION] = None,
    setting: Annotated[list[str] | None, SETTING_OPTION] = None,
    verbose: Annotated[bool, VERBOSE_OPTION] = False,
    database: Annotated[str, DATABASE_OPTION] = "",
) -> None:
    """Go on with a scan that was killed, stopped, or ran out of its budget.

    What was asked for, and the settings, are those of the scan; -s changes some of them.

    \b
    sitecrawl resume
    sitecrawl resume 12 -o urls.csv
    sitecrawl resume -s SITECRAWL_MAX_SCAN_MINUTES=120
    """
    from sitecrawl.cli.runner import run_spider
    from sitecrawl.console.text import printable

    settings = scan_settings("default", setting, output, verbose=verbose)
    if database:
        settings.set("SITECRAWL_DATABASE_URL", database, "cmdline")
    chosen = _chosen_scan(settings, scan)
    because = f": {chosen.reason}" if chosen.reason else ""
    words = f"going on with scan {chosen.id} of {chosen.root_url} ({chosen.status}{because})"
    typer.echo(printable(words), err=True)
    spider = chosen.settings.get("spider", "discover")
    raise typer.Exit(run_spider(spider, settings, {"resume": str(chosen.id)}))


def _chosen_scan(settings: Settings, number: int | None) -> Scan:
    from sitecrawl.config import Config, ConfigError, apply_environment
    from sitecrawl.store.engine import open_database
    from sitecrawl.store.queries import scan_by_id
    from sitecrawl.store.unfinished import find_dead_scans, newest_unfinished_scan

    effective = settings.copy()
    apply_environment(effective)
    with open_database(Config.from_settings(effective).database_url, create=False) as database:
        find_dead_scans(database)
        if number is None:
            scan = newest_unfinished_scan(database)
            if scan is None:
                raise ConfigError("no scan is left to go on with; see: sitecrawl scans")
            return scan
        scan = scan_by_id(database, number)
        if scan is None:
            raise ConfigError(f"there is no scan {number}; see: sitecrawl scans")
        _check(database, scan)
    return scan


def _check(database: Database, scan: Scan) -> None:
    """Say at once what would stop the scan when it begins."""
    from sitecrawl.config import ConfigError
    from sitecrawl.store.queries import scans
    from sitecrawl.store.vocabulary import ScanStatus

    if scan.status == ScanStatus.FINISHED:
        raise ConfigError(
            f"scan {scan.id} of {scan.site_key} has ended: nothing is left to go on with"
        )
    if scan.status == ScanStatus.RUNNING:
        raise ConfigError(f"scan {scan.id} of {scan.site_key} is running; wait for it or end it")
    [newest] = scans(database, 1, scan.site_id)
    if newest.id != scan.id:
        raise ConfigError(
            f"scan {scan.id} of {scan.site_key} is not its newest: scan {newest.id} came after it"
        )
