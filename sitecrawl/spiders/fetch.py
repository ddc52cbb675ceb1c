"""``sitecrawl fetch 12``: fetch pages for a running scan, beside other processes."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sitecrawl.config import Config
from sitecrawl.scan.fetch_database import FetchDatabase
from sitecrawl.spiders.site import SiteSpider
from sitecrawl.stages.fetch import FetchStage

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

    from sitecrawl.scan.database import ScanDatabase
    from sitecrawl.stages.base import Stage

# Each of them waits for the turn of its host; what is sent at once is limited per host.
_REQUESTS_OF_ALL_HOSTS = 1_000


class FetchSpider(SiteSpider):
    """Leases hosts of a scan, fetches and reads their pages; the scan's own process stores them.

    Arguments: ``resume``, the number of the scan.
    """

    name = "fetch"
    stages: ClassVar[tuple[type[Stage], ...]] = (FetchStage,)
    database_class: ClassVar[type[ScanDatabase]] = FetchDatabase

    def spider_opened(self) -> None:
        super().spider_opened()
        self.context.scan.politeness.shares = self.context.config.shards

    @classmethod
    def prepare(cls, settings: BaseSettings) -> None:
        """After the settings of the scan are known: a share of a host has a share of its pace."""
        config = Config.from_settings(settings)
        per_host = settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN")
        for name, value in {
            "CONCURRENT_REQUESTS": _REQUESTS_OF_ALL_HOSTS,
            "CONCURRENT_REQUESTS_PER_DOMAIN": max(per_host // config.shards, 1),
            "DOWNLOAD_DELAY": settings.getfloat("DOWNLOAD_DELAY") * config.shards,
            "SITECRAWL_PROGRESS": "off",
            "SITECRAWL_PAGE_ITEMS": False,
            # The scan's own process ends the scan.
            "SITECRAWL_MAX_SCAN_MINUTES": 0,
            "FEEDS": {},
        }.items():
            settings.set(name, value, "cmdline")
