"""``sitecrawl discover`` and ``resume``: run a scan."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path  # noqa: TC003  Typer reads the annotations
from typing import TYPE_CHECKING, Annotated, Final

import typer

from sitecrawl.cli.options import (
    DATABASE_OPTION,
    PROFILE_OPTION,
    SETTING_OPTION,
    load_profile,
)
from sitecrawl.config import Config, ConfigError, apply_environment
from sitecrawl.errors import ExitCode
from sitecrawl.safety.text import printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from scrapy.settings import Settings

    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.scans import Scan

_OUTPUT_OPTION = typer.Option(
    "--output", "-o", help="A feed: .jsonl, .json, .csv, .xml, .xlsx or .parquet; may be repeated."
)
_VERBOSE_OPTION = typer.Option("--verbose", "-v", help="Show the log.")
_FEED_FORMATS: Final = ("jsonl", "json", "csv", "xml", "xlsx", "parquet")


def discover(  # noqa: PLR0913, PLR0917  the options of the command
    domain: Annotated[
        str, typer.Argument(help="A domain (example.com) or a URL (https://example.com/docs/).")
    ] = "",
    profile: Annotated[str, PROFILE_OPTION] = "default",
    output: Annotated[list[Path] | None, _OUTPUT_OPTION] = None,
    base: Annotated[
        list[str] | None,
        typer.Option(help="Only this URL or path and what is below it; may be repeated."),
    ] = None,
    skip: Annotated[
        list[str] | None,
        typer.Option(help="Also skip this path pattern, such as /tag/*; may be repeated."),
    ] = None,
    render: Annotated[
        str | None,
        typer.Option(help="Render pages in a browser: auto (where needed), always or never."),
    ] = None,
    setting: Annotated[list[str] | None, SETTING_OPTION] = None,
    sitemaps_only: Annotated[
        bool, typer.Option(help="Read the sitemaps only, without a crawl.")
    ] = False,
    demo: Annotated[bool, typer.Option(help="Scan the bundled demo site on loopback.")] = False,
    verbose: Annotated[bool, _VERBOSE_OPTION] = False,
) -> None:
    """Find the URLs of a site and store them with the evidence.

    \b
    sitecrawl discover example.com
    sitecrawl discover https://example.com/docs/ -o urls.csv
    sitecrawl discover example.com --profile audit -s SITECRAWL_MAX_SITEMAP_URLS=500
    sitecrawl discover --demo
    """
    if bool(domain) == demo:
        raise ConfigError("give either a domain or URL, or --demo")
    settings = _scan_settings(profile, setting, output, verbose=verbose)
    with ExitStack() as stack:
        if demo:
            from sitecrawl.demo.server import DemoServer

            domain = stack.enter_context(DemoServer.on_usual_port()).url
        arguments = {
            "domain": domain,
            "base": ",".join(base or []),
            "skip": ",".join(skip or []),
            "render": render,
        }
        code = _run_spider(
            "sitemap" if sitemaps_only else "discover",
            settings,
            {name: value for name, value in arguments.items() if value},
        )
    raise typer.Exit(code)


def resume(
    scan: Annotated[
        int | None,
        typer.Argument(help="Number of the scan. Default: the newest that did not finish."),
    ] = None,
    output: Annotated[list[Path] | None, _OUTPUT_OPTION] = None,
    setting: Annotated[list[str] | None, SETTING_OPTION] = None,
    verbose: Annotated[bool, _VERBOSE_OPTION] = False,
    database: Annotated[str, DATABASE_OPTION] = "",
) -> None:
    """Resume a scan that was killed, stopped, or ended by a limit or a database error.

    Arguments and settings are those of the scan; -s overrides single settings.

    \b
    sitecrawl resume
    sitecrawl resume 12 -o urls.csv
    sitecrawl resume -s SITECRAWL_MAX_SCAN_MINUTES=120
    """
    settings = _scan_settings("default", setting, output, verbose=verbose)
    if database:
        settings.set("SITECRAWL_DATABASE_URL", database, "cmdline")
    chosen = _chosen_scan(settings, scan)
    because = f": {chosen.reason}" if chosen.reason else ""
    words = f"resuming scan {chosen.id} of {chosen.root_url} ({chosen.status}{because})"
    typer.echo(printable(words), err=True)
    spider = chosen.settings.get("spider", "discover")
    raise typer.Exit(_run_spider(spider, settings, {"resume": str(chosen.id)}))


def _chosen_scan(settings: Settings, number: int | None) -> Scan:
    from sitecrawl.store.engine import open_database
    from sitecrawl.store.queries.resume import find_dead_scans, newest_unfinished_scan
    from sitecrawl.store.queries.scans import scan_by_id

    effective = settings.copy()
    apply_environment(effective)
    with open_database(Config.from_settings(effective).database_url, create=False) as database:
        find_dead_scans(database)
        if number is None:
            scan = newest_unfinished_scan(database)
            if scan is None:
                raise ConfigError("there is no scan to resume; see: sitecrawl scans")
            return scan
        scan = scan_by_id(database, number)
        if scan is None:
            raise ConfigError(f"there is no scan {number}; see: sitecrawl scans")
        _check_resumable(database, scan)
    return scan


def _check_resumable(database: Database, scan: Scan) -> None:
    """Report now what would stop the scan when it begins."""
    from sitecrawl.store.queries.scans import scans
    from sitecrawl.store.vocabulary import ScanStatus

    if scan.status == ScanStatus.FINISHED:
        raise ConfigError(
            f"scan {scan.id} of {scan.site_key} has finished: there is nothing to resume"
        )
    if scan.status == ScanStatus.RUNNING:
        raise ConfigError(f"scan {scan.id} of {scan.site_key} is running; wait for it or stop it")
    [newest] = scans(database, 1, scan.site_id)
    if newest.id != scan.id:
        raise ConfigError(
            f"scan {scan.id} of {scan.site_key} is not its newest: scan {newest.id} came later"
        )


def _scan_settings(
    profile: str,
    assignments: Sequence[str] | None,
    outputs: Sequence[Path] | None,
    *,
    verbose: bool,
) -> Settings:
    """The settings of a scan that is started by hand."""
    settings = load_profile(profile, assignments or ())
    settings.set("LOG_LEVEL", "INFO" if verbose else "WARNING", "cmdline")
    if not verbose:
        settings.set("LOG_FORMAT", "%(levelname)s: %(message)s", "cmdline")
    settings.set("FEEDS", _feeds(outputs or ()), "cmdline")
    return settings


def _feeds(outputs: Sequence[Path]) -> dict[str, dict[str, object]]:
    feeds: dict[str, dict[str, object]] = {}
    for path in outputs:
        suffix = path.suffix.lstrip(".").lower()
        if suffix not in _FEED_FORMATS:
            expected = ", ".join(f".{name}" for name in _FEED_FORMATS)
            raise ConfigError(f"-o {path}: expected a file that ends with one of {expected}")
        if not path.absolute().parent.is_dir():
            raise ConfigError(f"-o {path}: the folder {path.parent} does not exist")
        feeds[str(path)] = {"format": suffix, "overwrite": True}
    return feeds


def _run_spider(name: str, settings: Settings, arguments: Mapping[str, str]) -> ExitCode:
    """Run the spider to its end; ``ConfigError`` when it cannot start."""
    from scrapy.crawler import AsyncCrawlerProcess

    from sitecrawl.scan.lifecycle import exit_code
    from sitecrawl.spiders.resuming import check_arguments

    check_arguments(arguments, settings, name)
    process = AsyncCrawlerProcess(settings)
    crawler = process.create_crawler(name)
    process.crawl(crawler, **arguments)
    process.start()
    return ExitCode.FAILED if process.bootstrap_failed else exit_code(crawler)
