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
    def pages(self) -> int:
        """Pages of the site known in this scan, those of unchanged documents included."""
        stats = self._crawler.stats
        listed: int = stats.get_value("sitecrawl/pages/listed", 0)
        unchanged: int = stats.get_value("sitecrawl/pages/unchanged", 0)
        return listed + unchanged


def sitemaps_are_enough(config: Config, pages: int) -> bool:
    """Whether the common places need not be tried after the sitemaps that robots.txt names."""
    return pages > 0 and pages >= config.min_sitemap_urls
