"""The options that ``discover`` and ``resume`` share, and the settings that they make."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003  Typer reads the annotations
from typing import TYPE_CHECKING

import typer

from sitecrawl.cli.workplace import apply_assignments

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy.settings import Settings

OUTPUT_OPTION = typer.Option(
    "--output", "-o", help="A feed: .jsonl, .json or .csv; may be repeated."
)
VERBOSE_OPTION = typer.Option("--verbose", "-v", help="Show the log.")

_FEED_FORMATS = ("jsonl", "json", "csv")


def scan_settings(
    profile: str,
    assignments: Sequence[str] | None,
    outputs: Sequence[Path] | None,
    *,
    verbose: bool,
) -> Settings:
    """The settings of a run that a person watches."""
    from sitecrawl.config.profiles import load_settings

    settings = load_settings(profile)
    settings.set("LOG_LEVEL", "INFO" if verbose else "WARNING", "cmdline")
    if not verbose:
        settings.set("LOG_FORMAT", "%(levelname)s: %(message)s", "cmdline")
    apply_assignments(list(assignments or ()), settings)
    settings.set("FEEDS", _feeds(outputs or ()), "cmdline")
    return settings


def _feeds(outputs: Sequence[Path]) -> dict[str, dict[str, object]]:
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
