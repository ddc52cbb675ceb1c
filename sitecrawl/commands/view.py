"""``scrapy view URL``: polite and guarded, as every download of the project."""

from __future__ import annotations

from scrapy.commands.view import Command as ScrapyViewCommand

from sitecrawl.commands import NamedAddressMixin


class Command(NamedAddressMixin, ScrapyViewCommand):
    """Scrapy's command; the URL that the user names may be on this machine or network."""
