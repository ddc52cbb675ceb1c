"""``scrapy parse URL``: polite and guarded, as every download of the project."""

from __future__ import annotations

from scrapy.commands.parse import Command as ScrapyParseCommand

from sitecrawl.commands import CheckedSpiderMixin, NamedAddressMixin


class Command(NamedAddressMixin, CheckedSpiderMixin, ScrapyParseCommand):
    """Scrapy's command; the URL that the user names may be on this machine or network."""
