"""``sitecrawl discover``: run a scan."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path  # noqa: TC003  Typer reads the annotations
from typing import Annotated

import typer

from sitecrawl.cli.scansettings import OUTPUT_OPTION, VERBOSE_OPTION, scan_settings
from sitecrawl.cli.workplace import PROFILE_OPTION, SETTING_OPTION


def discover(  # noqa: PLR0913, PLR0917  the options of the command
    domain: Annotated[
        str, typer.Argument(help="A domain (example.com) or a URL (https://example.com/docs/).")
    ] = "",
    profile: Annotated[str, PROFILE_OPTION] = "default",
    output: Annotated[list[Path] | None, OUTPUT_OPTION] = None,
    base: Annotated[
        list[str] | None,
        typer.Option(help="Only what is below this URL or path; may be repeated."),
    ] = None,
    skip: Annotated[
        list[str] | None,
        typer.Option(help="Refuse this path pattern, too, such as /tag/*; may be repeated."),
    ] = None,
    render: Annotated[
        str | None,
        typer.Option(help="Show pages to a browser: auto (where it is needed), always or never."),
    ] = None,
    setting: Annotated[list[str] | None, SETTING_OPTION] = None,
    sitemaps_only: Annotated[bool, typer.Option(help="Run the sitemap stage alone.")] = False,
    demo: Annotated[bool, typer.Option(help="Discover the bundled demo site on loopback.")] = False,
    verbose: Annotated[bool, VERBOSE_OPTION] = False,
) -> None:
    """Find the URLs of a site and store them with the evidence.

    \b
    sitecrawl discover example.com
    sitecrawl discover https://example.com/docs/ -o urls.csv
    sitecrawl discover example.com --profile audit -s SITECRAWL_MAX_SITEMAP_URLS=500
    sitecrawl discover --demo
    """
    from sitecrawl.cli.runner import run_spider
    from sitecrawl.config import ConfigError

    if bool(domain) == demo:
        raise ConfigError("give a domain or a URL to discover, or --demo, and not both")
    settings = scan_settings(profile, setting, output, verbose=verbose)
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
        code = run_spider(
            "sitemap" if sitemaps_only else "discover",
            settings,
            {name: value for name, value in arguments.items() if value},
        )
    raise typer.Exit(code)
