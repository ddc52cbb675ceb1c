"""Options that several commands share, and how their values are read."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import typer

from sitecrawl.config import ConfigError
from sitecrawl.config.profiles import PROFILES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from scrapy.settings import BaseSettings

Format = TypeVar("Format")


def complete_profile(beginning: str) -> list[str]:
    return [name for name in PROFILES if name.startswith(beginning)]


DATABASE_OPTION = typer.Option(
    "--database", help="Such as sqlite:///sitecrawl.db. Default: SITECRAWL_DATABASE_URL."
)
SITE_ARGUMENT = typer.Argument(help="A site that has been scanned.")
SCAN_OPTION = typer.Option("--scan", help="Number of the scan. Default: the newest with a result.")
OUTPUT_OPTION = typer.Option("--output", "-o", help="Write to this file instead of the screen.")
PROFILE_OPTION = typer.Option(
    "--profile", help="See: sitecrawl profiles.", autocompletion=complete_profile
)
SETTING_OPTION = typer.Option(
    "--setting", "-s", help="NAME=VALUE; may be repeated; see: sitecrawl settings."
)


def parse_assignments(assignments: Iterable[str]) -> dict[str, str]:
    """What was given as ``-s NAME=VALUE``."""
    given = {}
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        if not equals or not name:
            raise ConfigError(f"-s {assignment!r}: expected NAME=VALUE")
        given[name] = value
    return given


def apply_assignments(assignments: Iterable[str], settings: BaseSettings) -> None:
    """Set what was given as ``-s NAME=VALUE``."""
    for name, value in parse_assignments(assignments).items():
        settings.set(name, value, "cmdline")


def format_by_ending(output: Path | None, formats: Mapping[str, Format], default: Format) -> Format:
    """The format of *formats*, by file name ending, that *output* has; *default* for the screen."""
    if output is None:
        return default
    ending = output.suffix.lower()
    if ending not in formats:
        known = ", ".join(name for name in formats if name)
        raise ConfigError(f"-o {output}: expected a name with one of {known}, or --format")
    return formats[ending]
