"""The ``sitecrawl`` command.

Each command imports Scrapy, Rich and the store when it runs, so that ``--help`` answers at once.
"""

from __future__ import annotations

import errno
import sys
from typing import TYPE_CHECKING, Annotated, Final, NoReturn

import typer

from sitecrawl import __version__
from sitecrawl.cli import (
    changes,
    channel,
    comparison,
    discover,
    dive,
    export,
    group,
    inventory,
    job,
    maintenance,
    monitor,
    plan,
    report,
    robots,
    serve,
    settings,
    site,
    structure,
    user,
)
from sitecrawl.cli.options import command_group
from sitecrawl.console.terminal import discard_output
from sitecrawl.errors import (
    CrawlNeededError,
    ExitCode,
    SitecrawlError,
    SiteUnreachableError,
    StoppedError,
)
from sitecrawl.safety.text import printable

if TYPE_CHECKING:
    from collections.abc import Callable

# Every command by the heading of the help that it stands under, in the order of the help.
_COMMANDS: Final[dict[str, tuple[Callable[..., None] | typer.Typer, ...]]] = {
    "Scan a site": (
        *(discover.discover, discover.resume, discover.stop, discover.fetch),
        *(plan.plan, robots.robots, inventory.scans),
    ),
    "Look at what was found": (
        *(inventory.urls, inventory.why, structure.tree, inventory.body, inventory.index),
    ),
    "Compare": (
        *(changes.changes, changes.diff),
        *(comparison.orphans, comparison.unlisted, comparison.sitemap_diff),
    ),
    "Write reports and files": (report.report, export.app, structure.graph, export.sql),
    "Ask what the pages say": (
        *(dive.dive, dive.search, dive.ask, dive.gaps, dive.similar, dive.topics),
    ),
    "Watch sites": (site.app, group.app, job.app, channel.app, monitor.app, monitor.worker),
    "Serve": (serve.serve, user.app, serve.mcp, serve.scrapyd),
    "Maintain the database": (
        *(maintenance.backup, maintenance.restore, maintenance.migrate, maintenance.partition),
        maintenance.prune,
    ),
    "Configure": (settings.profiles, settings.settings, settings.doctor),
}


app = command_group(
    "sitecrawl",
    "Find every URL of a site, politely, and say for each one why it is on the list.",
    epilog="Exit codes: 0 done, 1 failed, 2 wrong usage, 3 done in part, 4 --fail-on."
    " Docs: docs/cli.md.",
)
for _heading, _commands in _COMMANDS.items():
    for _command in _commands:
        if isinstance(_command, typer.Typer):
            app.add_typer(_command, rich_help_panel=_heading)
        else:
            app.command(rich_help_panel=_heading)(_command)


def _show_version(is_wanted: bool) -> None:
    if is_wanted:
        typer.echo(f"sitecrawl {__version__}")
        raise typer.Exit


@app.callback()
def options(
    _version: Annotated[
        bool,
        typer.Option(
            "--version", help="Show the version and exit.", is_eager=True, callback=_show_version
        ),
    ] = False,
) -> None: ...


def main() -> None:
    """Run the command; an error that a person can fix ends as one line, without a traceback."""
    try:
        app(prog_name="sitecrawl")
    except BrokenPipeError:
        discard_output(sys.stdout)
        sys.exit(ExitCode.FAILED)
    except SitecrawlError as error:
        _end(str(error), _exit_code(error))
    except OSError as error:
        # Of a file or folder that the user has named, or of a full disk.
        if error.filename is None and error.errno != errno.ENOSPC:
            raise
        place = f"{error.filename}: " if error.filename is not None else ""
        _end(f"{place}{error.strerror or error}", ExitCode.FAILED)


def _end(words: str, code: ExitCode) -> NoReturn:
    sys.stderr.write(f"sitecrawl: {printable(words)}\n")
    sys.exit(code)


def _exit_code(error: SitecrawlError) -> ExitCode:
    from sitecrawl.store.errors import StoreError

    if isinstance(error, StoppedError):
        return ExitCode.PARTIAL
    is_failure = isinstance(error, (StoreError, SiteUnreachableError, CrawlNeededError))
    return ExitCode.FAILED if is_failure else ExitCode.USAGE
