"""``sitecrawl discover``, ``resume``, ``stop`` and ``fetch``: run a scan."""

from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path  # noqa: TC003  Typer reads the annotations
from typing import TYPE_CHECKING, Annotated, Final

import typer

from sitecrawl.cli.options import (
    DatabaseOption,
    ProfileOption,
    SettingOption,
    parse_assignments,
    tell_contradictions,
)
from sitecrawl.config import ConfigError
from sitecrawl.safety.text import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

_OUTPUT_OPTION = typer.Option(
    "--output", "-o", help="A feed: .jsonl, .json, .csv, .xml, .xlsx or .parquet; may be repeated."
)
_VERBOSE_OPTION = typer.Option("--verbose", "-v", help="Show the log.")
_FEED_FORMATS: Final = ("jsonl", "json", "csv", "xml", "xlsx", "parquet")


def discover(  # noqa: PLR0913, PLR0917  the options of the command
    domain: Annotated[
        str, typer.Argument(help="A domain (example.com) or a URL (https://example.com/docs/).")
    ] = "",
    profile: ProfileOption = "default",
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
    setting: SettingOption = None,
    sitemaps_only: Annotated[
        bool, typer.Option(help="Read the sitemaps only, without a crawl.")
    ] = False,
    demo: Annotated[bool, typer.Option(help="Scan the bundled demo site on loopback.")] = False,
    verbose: Annotated[bool, _VERBOSE_OPTION] = False,
    database: DatabaseOption = "",
) -> None:
    """Find the URLs of a site and store them with the evidence.

    \b
    sitecrawl discover example.com
    sitecrawl discover https://example.com/docs/ -o urls.csv
    sitecrawl discover example.com --profile audit -s SITECRAWL_MAX_SITEMAP_URLS=500
    sitecrawl discover --demo
    """
    from sitecrawl.services.scans import ScanRequest, run_scan

    if bool(domain) == demo:
        raise ConfigError("give either a domain or URL, or --demo")
    tell_contradictions(profile)
    with ExitStack() as stack:
        if demo:
            from sitecrawl.demo.server import DemoServer

            domain = stack.enter_context(DemoServer.on_usual_port()).url
        arguments = {
            "base": ",".join(base or []),
            "skip": ",".join(skip or []),
            "render": render,
        }
        request = ScanRequest(
            domain=domain,
            spider="sitemap" if sitemaps_only else "discover",
            profile=profile,
            database=database,
            settings=_settings(setting, verbose=verbose),
            arguments={name: value for name, value in arguments.items() if value},
            feeds=_feeds(output or ()),
        )
        code = run_scan(request)
    raise typer.Exit(code)


def resume(
    scan: Annotated[
        int | None,
        typer.Argument(help="Number of the scan. Default: the newest that did not finish."),
    ] = None,
    output: Annotated[list[Path] | None, _OUTPUT_OPTION] = None,
    setting: SettingOption = None,
    verbose: Annotated[bool, _VERBOSE_OPTION] = False,
    database: DatabaseOption = "",
) -> None:
    """Resume a scan that did not finish.

    It was killed, stopped, or ended by a limit or a database error. Arguments, settings and feeds
    are those of the scan; -s overrides single settings, -o the feeds. Of a scan that was killed
    while it wrote its feeds, these are written.

    \b
    sitecrawl resume
    sitecrawl resume 12 -o urls.csv
    sitecrawl resume -s SITECRAWL_MAX_SCAN_MINUTES=120
    """
    from sitecrawl.scan.arguments import as_feeds
    from sitecrawl.services.scans import ScanRequest, resumable_scan, run_scan, write_feeds
    from sitecrawl.store.engine import open_database
    from sitecrawl.store.vocabulary import ScanStatus

    request = ScanRequest(
        database=database,
        settings=_settings(setting, verbose=verbose),
        feeds=_feeds(output or ()),
    )
    with open_database(request.database_url(), create=False) as store:
        chosen = resumable_scan(store, scan, has_output=bool(output))
        if not output and chosen.pending_feeds:
            request = replace(request, feeds=as_feeds(chosen.pending_feeds))
        if chosen.status == ScanStatus.FINISHED:
            for path, number in write_feeds(store, chosen, request):
                words = f"scan {chosen.id} has finished: {number:,} URLs written to {path}"
                typer.echo(printable(words), err=True)
            return
    because = f": {chosen.reason}" if chosen.reason else ""
    words = f"resuming scan {chosen.id} of {chosen.root_url} ({chosen.status}{because})"
    typer.echo(printable(words), err=True)
    spider = chosen.settings.get("spider", "discover")
    raise typer.Exit(run_scan(replace(request, spider=spider, resume=chosen.id)))


def stop(
    scan: Annotated[int, typer.Argument(help="Number of a running scan.")],
    database: DatabaseOption = "",
) -> None:
    """Stop a running scan, wherever it runs.

    It ends within seconds; what it has found is kept, and sitecrawl resume goes on with it.

    \b
    sitecrawl stop 12
    """
    from sitecrawl.services.database import reading
    from sitecrawl.services.scans import stop_scan

    with reading(database, to_write=True) as store:
        stopped = stop_scan(store, scan)
    typer.echo(printable(f"scan {stopped.id} of {stopped.root_url} is being stopped"))


def fetch(
    scan: Annotated[int, typer.Argument(help="Number of a running scan with SITECRAWL_FETCHERS.")],
    setting: SettingOption = None,
    verbose: Annotated[bool, _VERBOSE_OPTION] = False,
    database: DatabaseOption = "",
) -> None:
    """Fetch pages for a running scan, until it ends.

    It fetches beside the fetchers of the scan itself.

    \b
    sitecrawl fetch 12 --database postgresql://...
    """
    from sitecrawl.services.scans import ScanRequest, fetch_for

    request = ScanRequest(
        spider="fetch",
        resume=scan,
        database=database,
        settings=_settings(setting, verbose=verbose),
    )
    raise typer.Exit(fetch_for(request))


def _settings(assignments: Sequence[str] | None, *, verbose: bool) -> dict[str, str]:
    """The settings of a scan that is started by hand."""
    quiet = {"LOG_LEVEL": "WARNING", "LOG_FORMAT": "%(levelname)s: %(message)s"}
    shown = {"LOG_LEVEL": "INFO"} if verbose else quiet
    return shown | parse_assignments(assignments or ())


def _feeds(outputs: Sequence[Path]) -> dict[str, dict[str, object]]:
    feeds: dict[str, dict[str, object]] = {}
    for path in outputs:
        suffix = path.suffix.lstrip(".").lower()
        if suffix not in _FEED_FORMATS:
            expected = ", ".join(f".{name}" for name in _FEED_FORMATS)
            raise ConfigError(f"-o {path}: expected a file that ends with one of {expected}")
        _check_writable(path)
        feeds[str(path)] = {"format": suffix, "overwrite": True}
    return feeds


def _check_writable(path: Path) -> None:
    """Find before a scan what would keep its feed from being written after it."""
    folder = path.absolute().parent
    if not folder.is_dir():
        raise ConfigError(f"-o {path}: the folder {path.parent} does not exist")
    # The feed is written beside the file, and put in its place; a pipe or a device is written to.
    is_special = path.exists() and not path.is_file()
    if path.is_dir():
        raise ConfigError(f"-o {path}: is a folder")
    if not os.access(path if is_special else folder, os.W_OK):
        raise ConfigError(
            f"-o {path}: you may not write {'it' if is_special else f'into {folder}'}"
        )
