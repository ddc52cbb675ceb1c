"""The ``sitecrawl`` command: the friendly front of the project.

Each command imports what it needs when it runs, so that ``--help`` answers at once.
"""

from __future__ import annotations

import typer

from sitecrawl.cli import (
    comparison,
    discover,
    export,
    inventory,
    report,
    resume,
    sitemapdiff,
    structure,
    survey,
    workplace,
)

app = typer.Typer(
    name="sitecrawl",
    help="Find every URL of a site, politely, and say for each one why it is on the list.",
    epilog="Exit codes: 0 done, 1 failed, 2 wrong usage, 3 done in part. Docs: docs/cli.md.",
    no_args_is_help=True,
    # Rich would take twice the time of everything else to draw a help page.
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.command()(discover.discover)
app.command()(resume.resume)
app.command()(inventory.scans)
app.command()(inventory.urls)
app.command()(inventory.why)
app.command()(structure.tree)
app.command()(structure.graph)
app.command()(comparison.orphans)
app.command()(comparison.unlisted)
app.command()(sitemapdiff.sitemap_diff)
app.add_typer(export.app)
app.command()(report.report)
app.command()(survey.robots)
app.command()(survey.plan)
app.command()(workplace.profiles)
app.command()(workplace.settings)
app.command()(workplace.doctor)


def main() -> None:
    from sitecrawl.cli.errors import expected_errors

    with expected_errors():
        app(prog_name="sitecrawl")
