from __future__ import annotations

from typing import TYPE_CHECKING

from tests.site.build import robots, sitemap
from tests.stages.stored import fetches

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.site import SiteServer
    from tests.site.project import CrawlResult


def test_an_impossible_name_is_answered_at_once(
    site: SiteServer, crawl: Callable[..., CrawlResult]
) -> None:
    impossible = ["http://a..b/map.xml", f"http://{'x' * 64}.example/map.xml"]
    site.routes["/robots.txt"] = robots(*impossible, "/map.xml")
    site.routes["/map.xml"] = sitemap("/a")
    settings = {"SITECRAWL_MIN_SITEMAP_URLS": 1, "RETRY_TIMES": 0}
    done = crawl(site.url, settings=settings).succeeded()
    assert done.urls == [site.at("/a")]
    for url in impossible:
        fetch = fetches(done)[url]
        assert fetch.outcome == "unreachable", "and not a time-out"
        assert "the host name cannot be resolved" in str(fetch.error)
    assert "Traceback" not in done.output
