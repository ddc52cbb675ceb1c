from __future__ import annotations

from typing import TYPE_CHECKING

from tests.stages.stored import outcomes

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.site import SiteServer
    from tests.site.project import CrawlResult


def test_nothing_is_done_for_what_will_not_be_sent(
    site: SiteServer, crawl: Callable[..., CrawlResult]
) -> None:
    """Not even its robots.txt is asked for."""
    site.routes["/page"] = b"x"
    settings = {
        "SPIDER_MODULES": "tests.site.spiders",
        "TEST_PAGES": "http://a.test/page http://b.test/page",
        "TEST_SERVER": site.url,
        "TEST_ASKS_ROBOTS": True,
        "CONCURRENT_REQUESTS": 1,
        "SITECRAWL_MAX_PAGES": 1,
    }
    done = crawl(site.url, spider="names", settings=settings)
    asked = [(entry.host, entry.path) for entry in site.requests()]
    assert asked == [("a.test", "/robots.txt"), ("a.test", "/page")]
    assert outcomes(done)["http://b.test/page"] == "over_budget"
