"""``scrapy shell URL``: polite and guarded, as every download of the project."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.commands.shell import Command as ScrapyShellCommand

from sitecrawl.commands import NamedAddressMixin

if TYPE_CHECKING:
    import argparse


class Command(NamedAddressMixin, ScrapyShellCommand):
    """Scrapy's command; the URL that the user names may be on this machine or network.

    Skip rules say which links are not followed. In the shell a person names each URL.
    """

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        super().process_options(args, opts)
        assert self.settings is not None
        for name, value in (
            ("SITECRAWL_SKIP_PATHS", []),
            ("SITECRAWL_SKIP_EXTENSIONS", []),
            ("SITECRAWL_QUERY_STRINGS", "keep"),
        ):
            self.settings.set(name, value, "cmdline")
