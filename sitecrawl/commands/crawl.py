"""``scrapy crawl``: Scrapy's command, with checked arguments and exit codes that tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.commands.crawl import Command as ScrapyCrawlCommand
from scrapy.exceptions import UsageError

from sitecrawl.config import ConfigError
from sitecrawl.exitcodes import exit_code
from sitecrawl.spiders.arguments import SpiderArguments

if TYPE_CHECKING:
    import argparse

    from scrapy import Spider
    from scrapy.crawler import Crawler


class Command(ScrapyCrawlCommand):
    """A wrong setting or argument is one line and exit code 2, not a traceback."""

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        try:
            if len(args) == 1:
                SpiderArguments.parse(opts.spargs)
            super().run(args, opts)
        except ConfigError as error:
            raise UsageError(str(error), print_help=False) from error
        if not self.exitcode:
            self.exitcode = exit_code(self._crawler)

    def _create_crawler(self, spidercls: type[Spider] | str) -> Crawler:
        self._crawler = super()._create_crawler(spidercls)
        return self._crawler
