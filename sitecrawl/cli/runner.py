"""Running a spider of the project inside this process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitecrawl.config import ConfigError
from sitecrawl.exitcodes import ExitCode, exit_code
from sitecrawl.spiders.arguments import SpiderArguments

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy.settings import Settings

    from sitecrawl.spiders.survey import Survey


def run_spider(name: str, settings: Settings, arguments: Mapping[str, str]) -> ExitCode:
    """Run the spider to its end; ``ConfigError`` when it cannot start."""
    from scrapy.crawler import AsyncCrawlerProcess

    SpiderArguments.parse(arguments)
    process = AsyncCrawlerProcess(settings)
    crawler = process.create_crawler(name)
    process.crawl(crawler, **arguments)
    process.start()
    return ExitCode.FAILED if process.bootstrap_failed else exit_code(crawler)


def run_survey(name: str, settings: Settings, arguments: Mapping[str, str]) -> Survey:
    """Run a spider that looks at a site without storing anything, and give what it saw."""
    from scrapy.crawler import AsyncCrawlerProcess

    from sitecrawl.spiders.survey import RobotsSpider

    SpiderArguments.parse(arguments)
    process = AsyncCrawlerProcess(settings)
    crawler = process.create_crawler(name)
    process.crawl(crawler, **arguments)
    process.start()
    if not isinstance(crawler.spider, RobotsSpider) or crawler.spider.survey is None:
        raise ConfigError(f"the spider {name} could not run; the message above says why")
    return crawler.spider.survey
