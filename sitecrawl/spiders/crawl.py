"""``scrapy crawl crawl -a domain=example.com``: the bounded crawl alone, without sitemaps."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sitecrawl.spiders.site import SiteSpider
from sitecrawl.stages.crawl import CrawlStage
from sitecrawl.stages.entry import EntryStage

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

    from sitecrawl.stages.base import Stage


class CrawlSpider(SiteSpider):
    """Follow links from the root, breadth first, whatever sitemaps would give."""

    name = "crawl"
    stages: ClassVar[tuple[type[Stage], ...]] = (EntryStage, CrawlStage)

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        super().update_settings(settings)
        settings.set("SITECRAWL_CRAWL", "always", "cmdline")
