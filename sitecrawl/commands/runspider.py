"""``scrapy runspider FILE``: Scrapy's command, with checked arguments and exit codes that tell."""

from __future__ import annotations

from scrapy.commands.runspider import Command as ScrapyRunSpiderCommand

from sitecrawl.commands import CheckedSpiderMixin


class Command(CheckedSpiderMixin, ScrapyRunSpiderCommand):
    """Scrapy's command; the exit code says whether the scan is whole."""
