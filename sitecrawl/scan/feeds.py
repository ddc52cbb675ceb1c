"""The feeds of a scan that can be written without it: from the inventory, also days later."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

_FORMATS: Final = frozenset({"jsonl", "json", "csv", "xlsx", "parquet"})
_PLAIN_OPTIONS: Final = frozenset({"format", "overwrite"})


def plain_feeds(settings: BaseSettings) -> dict[str, str]:
    """The local files of ``FEEDS``, each with its format; only those without further options.

    One that is appended to is not among them: nobody knows what of it is there already.
    """
    return {
        str(Path(uri).absolute()): options["format"]
        for uri, options in settings.getdict("FEEDS").items()
        if options.keys() <= _PLAIN_OPTIONS
        and options.get("overwrite")
        and options.get("format") in _FORMATS
        and "://" not in str(uri)
        and "%(" not in str(uri)
    }


def as_feeds(files: dict[str, str]) -> dict[str, dict[str, object]]:
    """The same as a value of ``FEEDS``."""
    return {path: {"format": format_, "overwrite": True} for path, format_ in files.items()}
