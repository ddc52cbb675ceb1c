"""``scrapy shell URL``: polite and guarded, as every download of the project."""

from __future__ import annotations

from scrapy.commands.shell import Command as ScrapyShellCommand

from sitecrawl.commands import NamedAddressMixin


class Command(NamedAddressMixin, ScrapyShellCommand):
    """Scrapy's command; the URL that the user names may be on this machine or network."""
