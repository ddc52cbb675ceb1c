from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.site import Reply, redirect, redirect_chain
from tests.site.build import robots, sitemap
from tests.stages.stored import fetches, outcomes

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.site import SiteServer
    from tests.site.project import CrawlResult

    Crawl = Callable[..., CrawlResult]

SETTINGS = {"SITECRAWL_SITEMAP_PLACES": "/none.xml", "SITECRAWL_MIN_SITEMAP_URLS": 1}

# Location -> the path that is asked for next; None: it is not followed
LOCATIONS: dict[str, str | None] = {
    "/plain.xml": "/plain.xml",
    "relative.xml?b=2&a=1#top": "/relative.xml?b=2&a=1",
    "  /blanks.xml  ": "/blanks.xml",
    r"\back\slashes.xml": "/back/slashes.xml",
    "/größe.xml": "/gr%C3%B6%C3%9Fe.xml",
    "file:///etc/passwd": None,
    "data:text/xml,<urlset/>": None,
    "ftp://127.0.0.1/map.xml": None,
    "http://": None,
    "http://a b/": None,
    "http://127.0.0.1:99999/": None,
}


def test_targets_are_read_as_browsers_do(site: SiteServer, crawl: Crawl) -> None:
    starts = {f"/start-{number}.xml": target for number, target in enumerate(LOCATIONS)}
    site.routes["/robots.txt"] = robots(*starts)
    for start, location in starts.items():
        site.routes[start] = redirect(location)
    done = crawl(site.url, settings={**SETTINGS, "RETRY_TIMES": 0}).succeeded()
    asked = [path for path in LOCATIONS.values() if path]
    assert sorted(set(site.paths()) - {"/robots.txt", "/", "/none.xml", *starts}) == sorted(asked)
    for start, location in starts.items():
        status = fetches(done)[site.at(start)].status
        assert status == (302 if LOCATIONS[location] is None else 404), location
    assert "Traceback" not in done.output


def test_ten_are_followed_and_not_one_more(site: SiteServer, crawl: Crawl) -> None:
    site.routes.update(
        {
            "/robots.txt": robots("/ten", "/eleven"),
            **redirect_chain("/ten", 10, "/a.xml"),
            **redirect_chain("/eleven", 11, "/b.xml"),
            "/a.xml": sitemap("/a"),
            "/b.xml": sitemap("/b"),
        }
    )
    done = crawl(site.url, settings=SETTINGS).succeeded()
    assert done.urls == [site.at("/a")]
    assert "/b.xml" not in site.paths()
    assert outcomes(done)[site.at("/eleven")] == "too_many_redirects"
    assert fetches(done)[site.at("/eleven")].error == "max redirections reached"


@pytest.mark.parametrize("status", [304, 300, 200])
def test_a_location_alone_is_no_redirect(site: SiteServer, crawl: Crawl, status: int) -> None:
    site.routes["/none.xml"] = Reply(sitemap("/a"), status, {"Location": "/other.xml"})
    crawl(site.url, settings=SETTINGS).succeeded()
    assert "/other.xml" not in site.paths()
