"""Whether what was found is enough: decided here and nowhere else."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from sitecrawl.config import Config


class ScanProgress:
    """What the pipelines have counted so far, read from the stats they keep."""

    def __init__(self, crawler: Crawler):
        self._crawler = crawler

    @property
    def pages_in_sitemaps(self) -> int:
        """Pages that sitemaps list in this scan, those of unchanged ones included."""
        stats = self._crawler.stats
        listed: int = stats.get_value("sitecrawl/pages/in_sitemaps", 0)
        unchanged: int = stats.get_value("sitecrawl/pages/unchanged", 0)
        return listed + unchanged

    def count_lost(self) -> None:
        """Something was lost by a fault: the scan is not whole, and says so."""
        self._crawler.stats.inc_value("sitecrawl/items/lost")

    def count_visit(self) -> None:
        self._crawler.stats.inc_value("sitecrawl/crawl/visited")

    @property
    def visits(self) -> int:
        """Pages visited so far, also before an interruption."""
        visits: int = self._crawler.stats.get_value("sitecrawl/crawl/visited", 0)
        return visits

    @property
    def pages_beyond_depth(self) -> int:
        """Pages that the crawl has met and not put into its frontier."""
        beyond: int = self._crawler.stats.get_value("sitecrawl/crawl/beyond_depth", 0)
        return beyond


def sitemaps_are_enough(config: Config, pages: int) -> bool:
    """Whether the common places need not be tried after the sitemaps that robots.txt names."""
    return pages > 0 and pages >= config.min_sitemap_urls


def links_are_read(config: Config) -> bool:
    """Whether the links of the root count, even if no other page is visited."""
    return config.crawl != "never"


def crawl_is_needed(config: Config, pages_in_sitemaps: int) -> bool:
    """Whether links have to be followed after the sitemaps."""
    if config.crawl == "auto":
        return pages_in_sitemaps < config.min_sitemap_urls
    return config.crawl == "always"
