"""``scrapy crawl``: Scrapy's command, with checked arguments and exit codes that tell.

Scrapy imports every command to find one, so what this one needs is imported when it runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.commands.crawl import Command as ScrapyCrawlCommand
from scrapy.exceptions import UsageError

if TYPE_CHECKING:
    import argparse

    from scrapy import Spider
    from scrapy.crawler import Crawler


class Command(ScrapyCrawlCommand):
    """A wrong setting or argument is one line and exit code 2, not a traceback."""

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        from sitecrawl.config import ConfigError
        from sitecrawl.scan.lifecycle import exit_code
        from sitecrawl.spiders.resuming import check_arguments
        from sitecrawl.store.errors import StoreError

        try:
            if len(args) == 1 and self.settings is not None:
                check_arguments(opts.spargs, self.settings, args[0])
            super().run(args, opts)
        except (ConfigError, StoreError) as error:
            raise UsageError(str(error), print_help=False) from error
        if not self.exitcode:
            self.exitcode = exit_code(self._crawler)

    def _create_crawler(self, spidercls: type[Spider] | str) -> Crawler:
        self._crawler = super()._create_crawler(spidercls)
        return self._crawler
