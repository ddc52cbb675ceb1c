"""The ``sitecrawl`` command.

Each command imports Scrapy, Rich and the store when it runs, so that ``--help`` answers at once.
"""

from __future__ import annotations

import sys
from typing import Annotated

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
    mcp,
    monitor,
    plan,
    report,
    retention,
    robots,
    scrapyd,
    serve,
    settings,
    site,
    sql,
    structure,
    user,
)
from sitecrawl.console.streams import discard_output
from sitecrawl.errors import (
    CrawlNeededError,
    ExitCode,
    SitecrawlError,
    SiteUnreachableError,
    StoppedError,
)
from sitecrawl.safety.text import printable

app = typer.Typer(
    name="sitecrawl",
    help="Find every URL of a site, politely, and say for each one why it is on the list.",
    epilog="Exit codes: 0 done, 1 failed, 2 wrong usage, 3 done in part, 4 --fail-on."
    " Docs: docs/cli.md.",
    no_args_is_help=True,
    # Rich would take longer to draw a help page than everything else together.
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.command()(discover.discover)
app.command()(discover.resume)
app.command()(discover.fetch)
app.command()(inventory.scans)
app.command()(inventory.urls)
app.command()(inventory.index)
app.command()(inventory.why)
app.command()(changes.changes)
app.command()(changes.diff)
app.command()(structure.tree)
app.command()(structure.graph)
app.command()(comparison.orphans)
app.command()(comparison.unlisted)
app.command()(comparison.sitemap_diff)
app.add_typer(export.app)
app.command()(sql.sql)
app.command()(report.report)
app.command()(robots.robots)
app.command()(plan.plan)
app.add_typer(channel.app)
app.command()(serve.serve)
app.add_typer(user.app)
app.command()(dive.dive)
app.command()(dive.search)
app.command()(dive.ask)
app.command()(dive.gaps)
app.command()(dive.similar)
app.command()(dive.topics)
app.command()(mcp.mcp)
app.command()(retention.body)
app.command()(retention.prune)
app.add_typer(site.app)
app.add_typer(group.app)
app.add_typer(job.app)
app.add_typer(monitor.app)
app.command()(monitor.worker)
app.command()(scrapyd.scrapyd)
app.command()(maintenance.backup)
app.command()(maintenance.restore)
app.command()(maintenance.migrate)
app.command()(maintenance.partition)
app.command()(settings.profiles)
app.command()(settings.settings)
app.command()(settings.doctor)


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
        sys.stderr.write(f"sitecrawl: {printable(str(error))}\n")
        sys.exit(_exit_code(error))


def _exit_code(error: SitecrawlError) -> ExitCode:
    from sitecrawl.store.errors import StoreError

    if isinstance(error, StoppedError):
        return ExitCode.PARTIAL
    is_failure = isinstance(error, (StoreError, SiteUnreachableError, CrawlNeededError))
    return ExitCode.FAILED if is_failure else ExitCode.USAGE
