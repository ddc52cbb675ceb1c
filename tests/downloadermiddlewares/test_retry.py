from __future__ import annotations

from typing import TYPE_CHECKING

from tests.site import Reply
from tests.site.build import page, robots, sitemap
from tests.site.log import gaps
from tests.stages.stored import fetches

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.site import SiteServer
    from tests.site.project import CrawlResult


def test_retries_wait_longer_each_time(site: SiteServer, crawl: Callable[..., CrawlResult]) -> None:
    site.routes.update(
        {
            "/robots.txt": robots("/busy.xml", "/broken.xml"),
            "/": b"Home",
            "/busy.xml": [Reply(status=503), Reply(status=503), sitemap("/a")],
            "/broken.xml": [Reply(reset=True), sitemap("/b")],
        }
    )
    settings = {
        "SITECRAWL_MIN_SITEMAP_URLS": 1,
        "SITECRAWL_RETRY_BACKOFF_SECONDS": 0.3,
        "SITECRAWL_BUSY_BACKOFF_SECONDS": 0,
    }
    done = crawl(site.url, settings=settings).succeeded()
    assert sorted(done.urls) == [site.at("/a"), site.at("/b")]
    first, second = gaps(site.requests("/busy.xml"))
    assert first >= 0.3
    assert second >= 0.6
    (after_reset,) = gaps(site.requests("/broken.xml"))
    assert after_reset >= 0.3
    assert fetches(done)[site.at("/busy.xml")].status == 200, "one fetch, however many tries"


def test_after_the_last_retry_the_answer_counts(
    site: SiteServer, crawl: Callable[..., CrawlResult]
) -> None:
    site.routes["/robots.txt"] = robots("/map.xml")
    site.routes["/map.xml"] = [Reply(status=503)] * 3 + [sitemap("/too-late")]
    site.routes["/"] = page("Home")
    settings = {
        "SITECRAWL_MIN_SITEMAP_URLS": 1,
        "SITECRAWL_RETRY_BACKOFF_SECONDS": 0.01,
        "SITECRAWL_BUSY_BACKOFF_SECONDS": 0,
    }
    done = crawl(site.url, settings=settings).succeeded()
    assert len(site.requests("/map.xml")) == 3
    assert fetches(done)[site.at("/map.xml")].status == 503
    assert done.rows == []
