"""Running a spider of the project inside this process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitecrawl.exitcodes import ExitCode, exit_code
from sitecrawl.spiders.arguments import SpiderArguments

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy.settings import Settings


def run_spider(name: str, settings: Settings, arguments: Mapping[str, str]) -> ExitCode:
    """Run the spider to its end; ``ConfigError`` when it cannot start."""
    from scrapy.crawler import AsyncCrawlerProcess

    SpiderArguments.parse(arguments)
    process = AsyncCrawlerProcess(settings)
    crawler = process.create_crawler(name)
    process.crawl(crawler, **arguments)
    process.start()
    return ExitCode.FAILED if process.bootstrap_failed else exit_code(crawler)
