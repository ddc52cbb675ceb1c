"""``scrapy crawl discover -a domain=example.com``: the whole waterfall."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sitecrawl.spiders.site import SiteSpider
from sitecrawl.stages.checks import ChecksStage
from sitecrawl.stages.crawl import CrawlStage
from sitecrawl.stages.entry import EntryStage
from sitecrawl.stages.sitemaps import SitemapStage

if TYPE_CHECKING:
    from sitecrawl.stages.base import Stage


class DiscoverSpider(SiteSpider):
    """Find every URL of a site: one stage after another, each only as far as it is needed."""

    name = "discover"
    stages: ClassVar[tuple[type[Stage], ...]] = (
        EntryStage,
        SitemapStage,
        CrawlStage,
        ChecksStage,
    )
