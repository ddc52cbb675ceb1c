"""``scrapy fetch URL``: polite and guarded, as every download of the project."""

from __future__ import annotations

from scrapy.commands.fetch import Command as ScrapyFetchCommand

from sitecrawl.commands import NamedAddressMixin


class Command(NamedAddressMixin, ScrapyFetchCommand):
    """Scrapy's command; the URL that the user names may be on this machine or network."""
