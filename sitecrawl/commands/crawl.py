"""``scrapy crawl``: Scrapy's command, with checked arguments and exit codes that tell."""

from __future__ import annotations

from scrapy.commands.crawl import Command as ScrapyCrawlCommand

from sitecrawl.commands import CheckedSpiderMixin


class Command(CheckedSpiderMixin, ScrapyCrawlCommand):
    """Scrapy's command; the exit code says whether the scan is whole."""
