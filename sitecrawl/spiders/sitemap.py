"""``scrapy crawl sitemap -a domain=example.com``: the sitemaps alone, whatever they give."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sitecrawl.spiders.site import SiteSpider
from sitecrawl.stages.entry import EntryStage
from sitecrawl.stages.sitemaps import SitemapStage

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

    from sitecrawl.stages.base import Stage


class SitemapSpider(SiteSpider):
    """Read robots.txt and every sitemap, and nothing else."""

    name = "sitemap"
    stages: ClassVar[tuple[type[Stage], ...]] = (EntryStage, SitemapStage)

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        super().update_settings(settings)
        settings.set("SITECRAWL_CRAWL", "never", "cmdline")
