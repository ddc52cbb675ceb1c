"""Running a spider of the project inside this process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitecrawl.config import ConfigError
from sitecrawl.errors import ExitCode, StoppedError
from sitecrawl.scan.lifecycle import exit_code
from sitecrawl.spiders.arguments import SpiderArguments
from sitecrawl.spiders.resuming import check_arguments

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy.settings import Settings

    from sitecrawl.spiders.preview import RobotsSpider, Survey


def run_spider(name: str, settings: Settings, arguments: Mapping[str, str]) -> ExitCode:
    """Run the spider to its end; ``ConfigError`` when it cannot start."""
    from scrapy.crawler import AsyncCrawlerProcess

    check_arguments(arguments, settings, name)
    process = AsyncCrawlerProcess(settings)
    crawler = process.create_crawler(name)
    process.crawl(crawler, **arguments)
    process.start()
    return ExitCode.FAILED if process.bootstrap_failed else exit_code(crawler)


def run_survey(
    spider_class: type[RobotsSpider], settings: Settings, arguments: Mapping[str, str]
) -> Survey:
    """Run a spider that looks at a site without storing anything, and give what it saw."""
    from scrapy.crawler import AsyncCrawlerProcess

    SpiderArguments.parse(arguments)
    process = AsyncCrawlerProcess(settings)
    crawler = process.create_crawler(spider_class)
    process.crawl(crawler, **arguments)
    process.start()
    spider = crawler.spider
    if isinstance(spider, spider_class) and spider.is_stopped:
        raise StoppedError("stopped by the user")
    if not isinstance(spider, spider_class) or spider.survey is None:
        raise ConfigError("the preview could not run; the message above says why")
    return spider.survey
