"""``scrapy crawl crawl -a domain=example.com``: the bounded crawl alone, without sitemaps."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from scrapy.spiders import CrawlSpider as ScrapyCrawlSpider

from sitecrawl.config import Config, ConfigError
from sitecrawl.spiders.site import SiteSpider
from sitecrawl.stages.checks import ChecksStage
from sitecrawl.stages.crawl import CrawlStage
from sitecrawl.stages.entry import EntryStage
from sitecrawl.stages.link_rules import LinkRules

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

    from sitecrawl.stages.base import Stage


class CrawlSpider(SiteSpider, ScrapyCrawlSpider):
    """Scrapy's ``CrawlSpider`` on the inventory: follows links from the root, breadth first.

    The crawl is limited in depth and pages (``SITECRAWL_MAX_CRAWL_DEPTH``,
    ``SITECRAWL_MAX_CRAWL_PAGES``). ``rules`` of a subclass say which links are followed and which
    callbacks get the pages; without rules all links of the site are followed.
    """

    name = "crawl"
    stages: ClassVar[tuple[type[Stage], ...]] = (EntryStage, CrawlStage, ChecksStage)

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        super().update_settings(settings)
        settings.set("SITECRAWL_CRAWL", "always", "cmdline")

    @classmethod
    def prepare(cls, settings: BaseSettings) -> None:
        super().prepare(settings)
        if cls.rules and Config.from_settings(settings).fetchers:
            raise ConfigError(
                "SITECRAWL_FETCHERS: fetchers do not know the rules of this spider; set it to 0"
            )

    def spider_opened(self) -> None:
        super().spider_opened()
        if self.rules:
            self.context.link_rules = LinkRules(self, self.rules, self.context.config)
