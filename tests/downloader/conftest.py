from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.downloader.measuring import PACE

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.downloader.measuring import Fetch
    from tests.site import SiteServer
    from tests.site.project import CrawlResult


@pytest.fixture
def fetch(site: SiteServer, crawl: Callable[..., CrawlResult]) -> Fetch:
    """Fetches pages of the site, under the default settings with shorter gaps."""

    def run(*pages: str, spider: str = "pages", **settings: object) -> CrawlResult:
        values = {
            "SPIDER_MODULES": "tests.site.spiders",
            "TEST_PAGES": " ".join(pages),
            "SITECRAWL_PROGRESS": "log",
            **PACE,
            **settings,
        }
        return crawl(site.url, spider=spider, profile="", settings=values)

    return run
