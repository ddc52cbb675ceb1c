from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.site import Reply, redirect
from tests.site.build import robots, sitemap, sitemap_index
from tests.stages.stored import fetches, outcomes, summary

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.site import SiteServer
    from tests.site.project import CrawlResult
    from tests.site.reply import Route

    Crawl = Callable[..., CrawlResult]

ENOUGH = {"SITECRAWL_MIN_SITEMAP_URLS": 1}
DATE = "Thu, 01 Jan 2026 00:00:00 GMT"


@pytest.fixture
def tagged(site: SiteServer) -> SiteServer:
    """A site whose maps have validators, the index too."""
    site.routes.update(
        {
            "/robots.txt": Reply(robots("/index.xml"), etag='"r"'),
            "/index.xml": Reply(sitemap_index("/a.xml", "/b.xml", "/old.xml"), etag='"i"'),
            "/a.xml": Reply(sitemap("/a1", "/a2", "/admin", "/shared"), etag='"a"'),
            "/b.xml": Reply(sitemap("/b1", "/shared"), last_modified=DATE),
            "/old.xml": redirect("/new.xml"),
            "/new.xml": Reply(sitemap("/moved"), etag='"n"'),
        }
    )
    return site


def test_an_unchanged_site_is_asked_conditionally_and_gives_the_same_rows(
    tagged: SiteServer, crawl: Crawl
) -> None:
    first = crawl(tagged.url, settings=ENOUGH).succeeded()
    tagged.log.clear()
    second = crawl(tagged.url, settings=ENOUGH).succeeded()

    assert tagged.requests("/a.xml")[0].header("If-None-Match") == '"a"'
    assert tagged.requests("/b.xml")[0].header("If-Modified-Since") == DATE
    assert tagged.requests("/new.xml")[0].status == 304, "also behind a redirect"
    assert [entry.status for entry in tagged.requests("/index.xml")] == [304]
    assert tagged.requests("/robots.txt") == [], "still fresh"
    assert set(outcomes(second).values()) == {"fresh", "not_found", "not_modified"}

    assert second.rows == first.rows
    assert len(first.rows) == 5
    assert summary(second)["pages"] == summary(first)["pages"] == 5
    assert "5 URLs" in second.stderr
    assert second.query("SELECT count(*), count(DISTINCT id) FROM pages") == [(6, 6)]


def test_a_change_adds_and_drops_pages_but_forgets_none(tagged: SiteServer, crawl: Crawl) -> None:
    first = crawl(tagged.url, settings=ENOUGH).succeeded()
    seen = dict(first.query("SELECT url, first_scan_id FROM pages"))
    tagged.routes["/a.xml"] = Reply(sitemap("/a2", "/a3"), etag='"a-new"')
    second = crawl(tagged.url, settings=ENOUGH).succeeded()

    expected = {tagged.at(path) for path in ("/a2", "/a3", "/b1", "/shared", "/moved")}
    assert set(second.urls) == expected
    assert len(second.urls) == len(expected)
    assert summary(second)["pages"] == len(expected)
    stored = dict(second.query("SELECT url, first_scan_id FROM pages"))
    assert tagged.at("/a1") in stored, "gone from the feed, not from the database"
    assert {url: stored[url] for url in seen} == seen
    assert {row["url"]: row["parent"] for row in second.rows}[tagged.at("/shared")] == tagged.at(
        "/b.xml"
    ), "the map that still lists it"


def test_other_rules_for_reading_make_the_maps_be_read_again(
    tagged: SiteServer, crawl: Crawl
) -> None:
    crawl(tagged.url, settings=ENOUGH).succeeded()
    tagged.log.clear()
    second = crawl(tagged.url, settings=ENOUGH, skip="/a2").succeeded()
    assert tagged.requests("/a.xml")[0].header("If-None-Match") == ""
    assert tagged.at("/a2") not in second.urls
    assert tagged.at("/a1") in second.urls


def test_it_can_be_turned_off(tagged: SiteServer, crawl: Crawl) -> None:
    first = crawl(tagged.url, settings=ENOUGH).succeeded()
    tagged.log.clear()
    settings = {**ENOUGH, "SITECRAWL_CONDITIONAL_REQUESTS": "no"}
    second = crawl(tagged.url, settings=settings).succeeded()
    assert {entry.status for entry in tagged.requests()} == {200, 302, 404}
    assert second.rows == first.rows


@pytest.mark.parametrize(
    "route",
    [sitemap("/a"), Reply(sitemap("/a"), encoding="gzip"), Reply(sitemap("/a"), encoding="br")],
    ids=["plain", "gzip transport", "brotli transport"],
)
def test_the_same_bytes_count_as_unchanged_without_validators(
    site: SiteServer, crawl: Crawl, route: Route
) -> None:
    site.routes.update({"/robots.txt": robots("/map.xml"), "/map.xml": route})
    first = crawl(site.url, settings=ENOUGH).succeeded()
    second = crawl(site.url, settings=ENOUGH).succeeded()
    assert fetches(second)[site.at("/map.xml")].outcome == "not_modified"
    assert second.rows == first.rows
    assert len(second.rows) == 1


def test_a_map_that_was_cut_is_not_asked_conditionally(site: SiteServer, crawl: Crawl) -> None:
    site.routes["/robots.txt"] = robots("/map.xml")
    site.routes["/map.xml"] = Reply(sitemap("/a", "/b", "/c"), etag='"m"')
    limited = {"SITECRAWL_MAX_SITEMAP_URLS": 2}
    crawl(site.url, settings=limited).ended_in_part()
    again = crawl(site.url, settings=limited).ended_in_part()
    assert [entry.header("If-None-Match") for entry in site.requests("/map.xml")] == ["", ""]
    assert len(again.rows) == 2


def test_the_entry_of_a_vanished_index_is_not_confirmed(tagged: SiteServer, crawl: Crawl) -> None:
    crawl(tagged.url, settings=ENOUGH).succeeded()
    tagged.routes["/index.xml"] = Reply(sitemap_index("/a.xml"), etag='"i2"')
    second = crawl(tagged.url, settings=ENOUGH).succeeded()
    assert set(second.urls) == {tagged.at(path) for path in ("/a1", "/a2", "/shared")}
