from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from scrapy.http import XmlResponse

from sitecrawl.items import MentionBatch, SitemapPointer
from sitecrawl.settings import SITECRAWL_SITEMAP_PLACES
from sitecrawl.stages.sitemap_entries import SitemapChoice
from sitecrawl.stages.sitemaps import SitemapStage
from tests.scan.build import make_scan
from tests.site import Reply, redirect
from tests.site.build import gz, page, robots, rss, sitemap, sitemap_index, text_map
from tests.stages.stored import (
    evidence,
    fetches,
    mentions,
    outcomes,
    refusals,
    scan,
    stage,
    summary,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.site import SiteServer
    from tests.site.project import CrawlResult
    from tests.site.reply import Route

    Crawl = Callable[..., CrawlResult]

ENOUGH = {"SITECRAWL_MIN_SITEMAP_URLS": 1}

ATOM = b"""<?xml version="1.0"?>
<feed xmlns="http://www.w3.org/2005/Atom"><title>News</title>
<entry><title>One</title><link href="page"/><updated>2026-01-02T03:04:05Z</updated></entry>
</feed>
"""

HREFLANG = b"""<?xml version="1.0"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
 xmlns:xhtml="http://www.w3.org/1999/xhtml">
<url><loc>/en/a</loc>
<xhtml:link rel="alternate" hreflang="en" href="/en/a"/>
<xhtml:link rel="alternate" hreflang="de-AT" href="/at/a"/>
<xhtml:link rel="alternate" hreflang="x-default" href="/a"/>
</url>
</urlset>
"""


class TestRobotsLines:
    def test_every_way_to_write_a_sitemap_line_is_understood(
        self, site: SiteServer, crawl: Crawl
    ) -> None:
        lines = [
            "\ufeffSitemap: /first.xml",
            "User-agent: *",
            "sitemap:/no-blank.xml",
            f"  SITEMAP :  {site.at('/absolute.xml')}   # the main one",
            "Site-map: relative/path.xml",
            "# Sitemap: /comment.xml",
            "Disallow: /sitemap: /no.xml",
            "Sitemap:",
            "Sitemap: ftp://127.0.0.1/no.xml",
            "Sitemap: /first.xml",
        ]
        maps = ["/first.xml", "/no-blank.xml", "/absolute.xml", "/relative/path.xml"]
        site.routes.update({path: sitemap(f"/page{n}") for n, path in enumerate(maps)})
        site.routes["/robots.txt"] = "\r".join(lines)
        done = crawl(site.url, settings=ENOUGH).succeeded()
        assert sorted(site.paths()[2:]) == sorted(maps)
        assert sorted(done.urls) == [site.at(f"/page{n}") for n in range(len(maps))]
        assert fetches(done)[site.at("/no-blank.xml")].found_by == "robots.txt line 3"

    def test_a_host_that_robots_names_is_read_and_others_are_not(
        self, site: SiteServer, make_site: Callable[..., SiteServer], crawl: Crawl
    ) -> None:
        cdn, stranger = make_site(address="127.0.0.2"), make_site(address="127.0.0.3")
        site.routes["/robots.txt"] = robots(cdn.at("/index.xml"))
        cdn.routes["/index.xml"] = sitemap_index(
            "/child.xml", site.at("/own.xml"), stranger.at("/strange.xml")
        )
        cdn.routes["/child.xml"] = sitemap(site.at("/a"), stranger.at("/b"))
        site.routes["/own.xml"] = sitemap("/c")
        allow = {"SITECRAWL_ADDRESS_ALLOW": "127.0.0.2, 127.0.0.3"}
        done = crawl(site.url, settings={**ENOUGH, **allow}).succeeded()
        assert sorted(done.urls) == [site.at("/a"), site.at("/c")]
        assert stranger.paths() == []
        assert refusals(done)[stranger.at("/b")][0] == "offsite"
        assert stage(done, "sitemaps")["not_read"] == 1
        assert "sitemaps on other hosts were not read: 1" in done.stderr


class TestCommonPlaces:
    def test_they_are_tried_in_order_as_far_as_needed(self, site: SiteServer, crawl: Crawl) -> None:
        site.routes["/sitemaps.xml"] = sitemap("/a")
        done = crawl(site.url, settings=ENOUGH).succeeded()
        assert site.paths()[2:] == ["/sitemap.xml", "/sitemap_index.xml", "/sitemaps.xml"]
        assert done.urls == [site.at("/a")]
        assert stage(done, "sitemaps")["ended"] == "the sitemaps gave enough"

    def test_all_are_tried_when_the_sitemaps_of_robots_give_too_little(
        self, site: SiteServer, crawl: Crawl
    ) -> None:
        site.routes.update(
            {
                "/robots.txt": robots("/sitemap.xml"),
                "/sitemap.xml": sitemap("/a"),
                "/sitemap.txt": text_map(site.at("/b")),
            }
        )
        done = crawl(site.url).succeeded()
        assert site.paths()[2:] == [*SITECRAWL_SITEMAP_PLACES], "the first one only once"
        assert done.urls == [site.at("/a"), site.at("/b")]

    def test_none_is_tried_when_robots_names_enough(self, site: SiteServer, crawl: Crawl) -> None:
        site.routes["/robots.txt"] = robots("/map.xml")
        site.routes["/map.xml"] = sitemap(*(f"/{n}" for n in range(10)))
        crawl(site.url).succeeded()
        assert site.paths() == ["/robots.txt", "/", "/map.xml"]

    def test_a_site_without_any_sitemap_gives_an_empty_scan(
        self, site: SiteServer, crawl: Crawl
    ) -> None:
        site.routes["/"] = page("Home")
        done = crawl(site.url).succeeded()
        assert done.rows == []
        assert done.feed.read_bytes() == b""
        assert scan(done)[0] == "finished"
        assert summary(done)["pages"] == 0
        assert summary(done)["probes"] == len(SITECRAWL_SITEMAP_PLACES) + 1

    def test_a_page_that_answers_everything_is_no_sitemap(
        self, site: SiteServer, crawl: Crawl
    ) -> None:
        site.routes["/*"] = page("Oops, nothing here", "/a", "/b")
        done = crawl(site.url).succeeded()
        assert done.rows == []
        assert "not_a_sitemap" in fetches(done)[site.at("/sitemap.xml")].findings
        (_, metadata), *_others = evidence(done, "sitemap_fetch")
        assert metadata["success"] is False


class TestRecursion:
    def test_indexes_are_followed_and_loops_end(self, site: SiteServer, crawl: Crawl) -> None:
        site.routes.update(
            {
                "/robots.txt": robots("/self.xml", "/ping.xml"),
                "/self.xml": sitemap_index("/self.xml", "/a.xml", "/a.xml#again"),
                "/ping.xml": sitemap_index("/pong.xml", "/a.xml"),
                "/pong.xml": sitemap_index("/ping.xml", "/deep/index.xml"),
                "/deep/index.xml": sitemap_index("b.xml"),
                "/deep/b.xml": sitemap("/b"),
                "/a.xml": sitemap("/a"),
            }
        )
        done = crawl(site.url, settings=ENOUGH).succeeded()
        maps = ["/a.xml", "/deep/b.xml", "/deep/index.xml", "/ping.xml", "/pong.xml", "/self.xml"]
        assert sorted(site.paths()[2:]) == maps
        assert sorted(done.urls) == [site.at("/a"), site.at("/b")]
        assert summary(done)["truncated"] == []
        nested = fetches(done)[site.at("/deep/b.xml")]
        assert (nested.depth, nested.found_by) == (3, "another sitemap")

    def test_children_are_fetched_in_parallel_but_politely(
        self, site: SiteServer, crawl: Crawl
    ) -> None:
        maps = [f"/{n}.xml" for n in range(4)]
        site.routes.update({path: Reply(sitemap(path[:-4]), delay_seconds=0.8) for path in maps})
        site.routes["/robots.txt"] = robots("/index.xml")
        site.routes["/index.xml"] = sitemap_index(*maps)
        done = crawl(site.url, profile="", settings=ENOUGH).succeeded()
        assert len(done.rows) == len(maps)
        assert site.max_in_flight() == 2
        assert min(site.gaps()) > 0.19, "200-500 ms apart"
        assert site.paths()[3:] == maps, "in the order of the index"

    def test_a_map_behind_a_redirect_is_read_at_its_final_address(
        self, site: SiteServer, crawl: Crawl
    ) -> None:
        site.routes.update(
            {
                "/robots.txt": robots("/map.xml"),
                "/map.xml": redirect("/moved/map.xml"),
                "/moved/map.xml": sitemap("a"),
            }
        )
        done = crawl(site.url, settings=ENOUGH).succeeded()
        assert done.urls == [site.at("/moved/a")], "a relative loc means the final address"
        assert done.rows[0]["parent"] == site.at("/map.xml")
        assert fetches(done)[site.at("/map.xml")].outcome == "ok"


# Each map lies in a folder of its own, so that the relative loc is another page in each.
FORMATS: dict[str, tuple[Route, str, str]] = {
    "gzip": (gz(sitemap("page")), "urlset", "sitemap"),
    "gzip twice": (gz(gz(sitemap("page"))), "urlset", "sitemap"),
    "gzip inside gzip transport": (
        Reply(gz(sitemap("page")), encoding="gzip"),
        "urlset",
        "sitemap",
    ),
    "gzip transport": (Reply(sitemap("page"), encoding="gzip"), "urlset", "sitemap"),
    "deflate transport": (Reply(sitemap("page"), encoding="deflate"), "urlset", "sitemap"),
    "brotli transport": (Reply(sitemap("page"), encoding="br"), "urlset", "sitemap"),
    "chunked": (Reply(sitemap("page"), chunked=True), "urlset", "sitemap"),
    "until the connection ends": (Reply([sitemap("page")], close=True), "urlset", "sitemap"),
    "wrong content type": (Reply(sitemap("page"), content_type="image/png"), "urlset", "sitemap"),
    "rss": (rss("page"), "rss", "feed"),
    "atom": (ATOM, "atom", "feed"),
}


def test_every_format_and_encoding_is_read(site: SiteServer, crawl: Crawl) -> None:
    paths = {name: f"/{number}/map.xml" for number, name in enumerate(FORMATS)}
    site.routes.update({paths[name]: route for name, (route, _, _) in FORMATS.items()})
    site.routes["/map.txt"] = text_map(site.at("/text"))
    site.routes["/robots.txt"] = robots(*paths.values(), "/map.txt")
    done = crawl(site.url, settings=ENOUGH).succeeded()
    found, read = {row["parent"]: row for row in done.rows}, fetches(done)
    for name, (_, format_, source) in FORMATS.items():
        url = site.at(paths[name])
        assert url in found, f"{name}: {read[url]}"
        assert found[url]["url"] == url.replace("map.xml", "page"), name
        assert (read[url].format, read[url].complete) == (format_, True), name
        assert (found[url]["source"], found[url]["sources"]) == (source, [source]), name
    assert found[site.at("/map.txt")]["url"] == site.at("/text")
    assert read[site.at("/map.txt")].format == "text"


class TestEntries:
    def test_alternates_become_pages_of_their_own_source(
        self, site: SiteServer, crawl: Crawl
    ) -> None:
        site.routes.update({"/robots.txt": robots("/map.xml"), "/map.xml": HREFLANG})
        done = crawl(site.url, settings=ENOUGH).succeeded()
        found = {row["url"]: (row["source"], row["language"]) for row in done.rows}
        assert found == {
            site.at("/en/a"): ("sitemap", "en"),
            site.at("/at/a"): ("sitemap-alternate", "de-at"),
            site.at("/a"): ("sitemap-alternate", None),
        }

    def test_a_page_in_two_maps_is_one_page_with_both_mentions(
        self, site: SiteServer, crawl: Crawl
    ) -> None:
        site.routes.update(
            {
                "/robots.txt": robots("/index.xml"),
                "/index.xml": sitemap_index("/1.xml", "/2.xml"),
                "/1.xml": sitemap("/a", "/a/", "/b"),
                "/2.xml": rss(site.at("/a?utm_source=feed")),
            }
        )
        done = crawl(site.url, settings=ENOUGH).succeeded()
        rows = {row["url"]: row for row in done.rows}
        assert sorted(rows) == [site.at("/a"), site.at("/b")]
        assert sorted(rows[site.at("/a")]["sources"]) == ["feed", "sitemap"]
        of_a = [document for url, document, _ in mentions(done) if url == site.at("/a")]
        assert sorted(of_a) == [site.at("/1.xml"), site.at("/1.xml"), site.at("/2.xml")]
        assert summary(done)["pages"] == 2
        assert summary(done)["mentions"] == 4

    def test_facts_of_an_entry_reach_the_feed(self, site: SiteServer, crawl: Crawl) -> None:
        site.routes["/robots.txt"] = robots("/map.xml")
        site.routes["/map.xml"] = sitemap(
            "/en/a?utm_source=x&b=2&a=1#top",
            lastmod="2026-01-02",
            changefreq="daily",
            priority=0.8,
        )
        (row,) = crawl(site.url, settings=ENOUGH).succeeded().rows
        assert row["url"] == site.at("/en/a?a=1&b=2")
        assert row["key"] == f"127.0.0.1:{site.port}/en/a?a=1&b=2"
        assert (row["lastmod"], row["changefreq"], row["sitemap_priority"]) == (
            "2026-01-02",
            "daily",
            0.8,
        )
        assert (row["depth"], row["language"]) == (2, None)

    def test_entries_of_other_sites_are_kept_but_not_in_the_feed(
        self, site: SiteServer, crawl: Crawl
    ) -> None:
        site.routes["/robots.txt"] = robots("/map.xml")
        site.routes["/map.xml"] = sitemap("/a", "https://other.example/x", "mailto:me@x.example")
        done = crawl(site.url, settings=ENOUGH).succeeded()
        assert done.urls == [site.at("/a")]
        assert {url: reason for url, (reason, _) in refusals(done).items()} == {
            "https://other.example/x": "offsite",
            "mailto:me@x.example": "scheme_not_allowed",
        }
        assert summary(done)["refused"] == {"offsite": 1, "scheme_not_allowed": 1}
        assert "on another host" in done.stderr

        asked = crawl(site.url, settings={**ENOUGH, "SITECRAWL_FEED_REFUSED": 1}).succeeded()
        statuses = {row["url"]: (row["status"], row["reason"]) for row in asked.rows}
        assert statuses == {
            site.at("/a"): ("listed", None),
            "https://other.example/x": ("refused", "offsite"),
            "mailto:me@x.example": ("refused", "scheme_not_allowed"),
        }

    def test_every_map_leaves_evidence(self, site: SiteServer, crawl: Crawl) -> None:
        site.routes.update(
            {"/robots.txt": robots("/map.xml", "/none.xml"), "/map.xml": sitemap("/a", "/b")}
        )
        done = crawl(site.url, settings=ENOUGH).succeeded()
        by_map = {meta["sitemap"]: meta for _, meta in evidence(done, "sitemap_fetch")}
        good, bad = by_map[site.at("/map.xml")], by_map[site.at("/none.xml")]
        assert (good["success"], good["urls"], good["truncated"]) == (True, 2, False)
        assert (bad["success"], bad["outcome"], bad["error"]) == (False, "not_found", "HTTP 404")
        ((content, metadata),) = evidence(done, "discovery_summary")
        assert content.startswith("2 URLs, finished")
        assert metadata["pages"] == 2
        assert outcomes(done)[site.at("/none.xml")] == "not_found"


def test_a_page_that_looks_like_a_map_is_neither_fetched_against_the_rules_nor_lost(
    site: SiteServer, crawl: Crawl
) -> None:
    site.routes.update(
        {
            "/robots.txt": robots("/pages.xml", disallow=("/private/",)),
            "/pages.xml": Reply(
                sitemap("/a", "/private/report.xml", "/gone/map.xml", "/more.xml"), etag='"1"'
            ),
            "/more.xml": Reply(sitemap("/b"), etag='"2"'),
        }
    )
    settings = {**ENOUGH, "SITECRAWL_SKIP_EXTENSIONS": "pdf"}
    for _ in range(2):
        done = crawl(site.url, settings=settings).succeeded()
        assert set(done.urls) == {site.at(path) for path in ("/a", "/b", "/gone/map.xml")}
        assert site.requests("/private/report.xml") == []
        assert refusals(done)[site.at("/private/report.xml")] == (
            "blocked_by_robots",
            "Disallow: /private/",
        )
    assert [entry.status for entry in site.requests("/more.xml")] == [200, 304]


def test_a_map_is_read_on_when_the_store_has_caught_up() -> None:
    url = "https://example.com/map.xml"
    events: list[str] = []

    async def caught_up() -> None:
        events.append("caught up")

    async def put(item: Any) -> None:
        if isinstance(item, MentionBatch):
            events.append("batch")

    async def run() -> None:
        scan = make_scan()
        scan.database.caught_up = caught_up  # type: ignore[union-attr, method-assign]
        scan.put = put
        context: Any = SimpleNamespace(
            scan=scan,
            config=scan.config,
            counters=scan.counters,
            put=put,
            sitemap_choice=SitemapChoice(),
            scope=scan.config.scope([url]),
        )
        stage = SitemapStage(context)
        pointer = SitemapPointer(url, "robots.txt", None)
        request = stage._request(pointer)
        body = sitemap(*(f"/{'a' * 50}{row}" for row in range(6_000)))
        response = XmlResponse(url, body=body, request=request)
        await stage._answered(response, **request.cb_kwargs)

    asyncio.run(run())
    assert events.count("batch") > 1
    assert "batch, batch" not in ", ".join(events)
