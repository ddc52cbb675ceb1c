"""``sitecrawl discover``: run a scan."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path  # noqa: TC003  Typer reads the annotations
from typing import Annotated

import typer

from sitecrawl.cli.workplace import PROFILE_OPTION, SETTING_OPTION, apply_assignments

_FEED_FORMATS = ("jsonl", "json", "csv")


def discover(  # noqa: PLR0913, PLR0917  the options of the command
    domain: Annotated[
        str, typer.Argument(help="A domain (example.com) or a URL (https://example.com/docs/).")
    ] = "",
    profile: Annotated[str, PROFILE_OPTION] = "default",
    output: Annotated[
        list[Path] | None,
        typer.Option("--output", "-o", help="A feed: .jsonl, .json or .csv; may be repeated."),
    ] = None,
    base: Annotated[
        list[str] | None,
        typer.Option(help="Only what is below this URL or path; may be repeated."),
    ] = None,
    skip: Annotated[
        list[str] | None,
        typer.Option(help="Refuse this path pattern, too, such as /tag/*; may be repeated."),
    ] = None,
    setting: Annotated[list[str] | None, SETTING_OPTION] = None,
    sitemaps_only: Annotated[bool, typer.Option(help="Run the sitemap stage alone.")] = False,
    demo: Annotated[bool, typer.Option(help="Discover the bundled demo site on loopback.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show the log.")] = False,
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
    from sitecrawl.profiles import load_settings

    if bool(domain) == demo:
        raise ConfigError("give a domain or a URL to discover, or --demo, and not both")
    settings = load_settings(profile)
    settings.set("LOG_LEVEL", "INFO" if verbose else "WARNING", "cmdline")
    if not verbose:
        settings.set("LOG_FORMAT", "%(levelname)s: %(message)s", "cmdline")
    apply_assignments(setting or [], settings)
    settings.set("FEEDS", _feeds(output or []), "cmdline")
    with ExitStack() as stack:
        if demo:
            from sitecrawl.demo.server import DemoServer

            domain = stack.enter_context(DemoServer.on_usual_port()).url
        arguments = {"domain": domain, "base": ",".join(base or []), "skip": ",".join(skip or [])}
        code = run_spider(
            "sitemap" if sitemaps_only else "discover",
            settings,
            {name: value for name, value in arguments.items() if value},
        )
    raise typer.Exit(code)


def _feeds(outputs: list[Path]) -> dict[str, dict[str, object]]:
    from sitecrawl.config import ConfigError

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
