"""``scrapy crawl sitemap -a domain=example.com``: the sitemaps alone, whatever they give."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from scrapy.spiders import SitemapSpider as ScrapySitemapSpider

from sitecrawl.spiders.site import SiteSpider
from sitecrawl.stages.checks import ChecksStage
from sitecrawl.stages.entry import EntryStage
from sitecrawl.stages.sitemap_entries import SitemapChoice
from sitecrawl.stages.sitemaps import SitemapStage

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from scrapy.settings import BaseSettings

    from sitecrawl.stages.base import Stage


class SitemapSpider(SiteSpider, ScrapySitemapSpider):
    """Scrapy's ``SitemapSpider`` on the inventory: reads robots.txt and every sitemap.

    What a subclass of Scrapy's may set works here: ``sitemap_urls`` (else the maps of robots.txt
    and the common places), ``sitemap_follow``, ``sitemap_filter()``, ``sitemap_alternate_links``,
    and ``sitemap_rules``, whose callbacks get the pages. Every entry that the filter keeps is
    listed; only pages that a rule matches are fetched, and by default none is.
    """

    name = "sitemap"
    stages: ClassVar[tuple[type[Stage], ...]] = (EntryStage, SitemapStage, ChecksStage)

    sitemap_rules: Sequence[tuple[re.Pattern[str] | str, Any]] = ()
    sitemap_alternate_links = True

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        super().update_settings(settings)
        settings.set("SITECRAWL_CRAWL", "never", "cmdline")

    def spider_opened(self) -> None:
        super().spider_opened()
        is_filtered = type(self).sitemap_filter is not ScrapySitemapSpider.sitemap_filter
        self.context.sitemap_choice = SitemapChoice(
            urls=self.sitemap_urls,
            follow=[re.compile(pattern) for pattern in self.sitemap_follow],
            rules=[
                (re.compile(pattern), getattr(self, call) if isinstance(call, str) else call)
                for pattern, call in self.sitemap_rules
            ],
            filter=self.sitemap_filter if is_filtered else None,
            has_alternates=self.sitemap_alternate_links,
        )
