from __future__ import annotations

from typing import TYPE_CHECKING

from tests.site.build import page, robots, sitemap

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.site import SiteServer
    from tests.site.project import CrawlResult

    Crawl = Callable[..., CrawlResult]

SETTINGS = {"DOWNLOAD_DELAY": 0, "AUTOTHROTTLE_ENABLED": 0, "SITECRAWL_MIN_SITEMAP_URLS": 1}


def test_only_robots_txt_is_asked_for_under_our_own_name(crawl: Crawl, site: SiteServer) -> None:
    rules = robots("/map.xml", disallow=("/closed",), agent="sitecrawl")
    site.routes.update(
        {"/robots.txt": rules, "/map.xml": sitemap("/open", "/closed/1"), "/": page("Home")}
    )
    done = crawl(site.url, profile="browserlike", settings=SETTINGS).succeeded()
    assert done.urls == [site.at("/open")], "rules for our own name hold"
    agents = {path: site.requests(path)[0].header("User-Agent") for path in site.paths()}
    assert agents.pop("/robots.txt").startswith("sitecrawl/")
    assert set(agents) == {"/", "/map.xml"}
    assert all(agent.startswith("Mozilla/") for agent in agents.values())
    assert "DeprecationWarning" not in done.stderr
