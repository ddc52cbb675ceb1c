"""Limits: what is cut is said in the summary, in the evidence and to the person."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

import pytest

from tests.site import Reply
from tests.site.bodies import gzip_bomb
from tests.site.build import page, robots, sitemap, sitemap_index
from tests.stages.stored import evidence, fetches, scan, stage, summary, truncations

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.site import SiteServer
    from tests.site.project import CrawlResult, Project
    from tests.site.reply import Request

    Crawl = Callable[..., CrawlResult]

ENOUGH = {"SITECRAWL_MIN_SITEMAP_URLS": 1}
# Without a delay Scrapy 2.19 hands out more than it should before the first has begun.
ONE_BY_ONE = {
    "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
    "DOWNLOAD_DELAY": 0.01,
}
HREFLANG = (
    b'<urlset xmlns:x="http://www.w3.org/1999/xhtml"><url><loc>/a</loc>'
    b'<x:link rel="alternate" hreflang="de" href="/de"/>'
    b'<x:link rel="alternate" hreflang="fr" href="/fr"/></url></urlset>'
)


def assert_said(done: CrawlResult, setting: str, limit: float) -> None:
    assert truncations(done) == {setting: limit}
    ((_, metadata),) = evidence(done, "discovery_summary")
    assert [cut["setting"] for cut in metadata["truncated"]] == [setting]
    assert setting in done.stderr
    assert "have been read" not in scan(done)[1]


class TestDepth:
    @pytest.fixture(autouse=True)
    def serve(self, site: SiteServer) -> None:
        site.routes.update(
            {
                "/robots.txt": robots("/0.xml"),
                "/0.xml": sitemap_index("/1.xml", "/side.xml"),
                "/1.xml": sitemap_index("/2.xml"),
                "/2.xml": sitemap("/deep"),
                "/side.xml": sitemap("/side"),
            }
        )

    def test_what_lies_deeper_is_cut_and_said(self, site: SiteServer, crawl: Crawl) -> None:
        settings = {**ENOUGH, "SITECRAWL_MAX_SITEMAP_DEPTH": 1}
        done = crawl(site.url, settings=settings).ended_in_part()
        assert done.urls == [site.at("/side")]
        assert "/2.xml" not in site.paths()
        assert_said(done, "SITECRAWL_MAX_SITEMAP_DEPTH", 1)

    def test_at_the_limit_nothing_is_cut(self, site: SiteServer, crawl: Crawl) -> None:
        settings = {**ENOUGH, "SITECRAWL_MAX_SITEMAP_DEPTH": 2}
        done = crawl(site.url, settings=settings).succeeded()
        assert sorted(done.urls) == [site.at("/deep"), site.at("/side")]
        assert truncations(done) == {}
        assert "can be raised" not in done.stderr


class TestFiles:
    @pytest.fixture(autouse=True)
    def serve(self, site: SiteServer) -> None:
        site.routes["/robots.txt"] = robots("/index.xml")
        site.routes["/index.xml"] = sitemap_index("/1.xml", "/2.xml", "/3.xml")
        site.routes.update({f"/{n}.xml": sitemap(f"/page{n}") for n in (1, 2, 3)})

    def test_further_maps_are_cut_and_said(self, site: SiteServer, crawl: Crawl) -> None:
        settings = {**ENOUGH, "SITECRAWL_MAX_SITEMAPS": 3}
        done = crawl(site.url, settings=settings).ended_in_part()
        assert sorted(site.paths()[2:]) == ["/1.xml", "/2.xml", "/index.xml"], "in their order"
        assert_said(done, "SITECRAWL_MAX_SITEMAPS", 3)

    def test_at_the_limit_nothing_is_cut(self, site: SiteServer, crawl: Crawl) -> None:
        settings = {**ENOUGH, "SITECRAWL_MAX_SITEMAPS": 4}
        done = crawl(site.url, settings=settings).succeeded()
        assert len(done.rows) == 3
        assert truncations(done) == {}


class TestUrls:
    def test_further_urls_are_cut_and_said(self, site: SiteServer, crawl: Crawl) -> None:
        site.routes.update(
            {
                "/robots.txt": robots("/1.xml", "/2.xml"),
                "/1.xml": sitemap("/a", "/b", "/a", "/c", "/d"),
                "/2.xml": sitemap("/e"),
            }
        )
        settings = {"SITECRAWL_MAX_SITEMAP_URLS": 3, **ONE_BY_ONE}
        done = crawl(site.url, settings=settings).ended_in_part()
        assert done.urls == [site.at("/a"), site.at("/b"), site.at("/c")], "repeats do not count"
        assert_said(done, "SITECRAWL_MAX_SITEMAP_URLS", 3)
        assert stage(done, "sitemaps")["ended"] == "the limit of URLs was reached"
        cut = fetches(done)[site.at("/1.xml")]
        assert (cut.truncated, cut.complete) == (True, False)

    def test_at_the_limit_nothing_is_cut(self, site: SiteServer, crawl: Crawl) -> None:
        site.routes["/robots.txt"] = robots("/map.xml")
        site.routes["/map.xml"] = sitemap("/a", "/b", "/a")
        done = crawl(site.url, settings={"SITECRAWL_MAX_SITEMAP_URLS": 2}).succeeded()
        assert len(done.rows) == 2
        assert truncations(done) == {}
        assert fetches(done)[site.at("/map.xml")].complete

    def test_alternates_count_as_urls(self, site: SiteServer, crawl: Crawl) -> None:
        site.routes.update({"/robots.txt": robots("/map.xml"), "/map.xml": HREFLANG})
        done = crawl(site.url, settings={"SITECRAWL_MAX_SITEMAP_URLS": 2}).ended_in_part()
        assert len(done.rows) == 2
        assert_said(done, "SITECRAWL_MAX_SITEMAP_URLS", 2)

    def test_the_same_urls_are_listed_whatever_answer_comes_first(
        self, site: SiteServer, project: Project
    ) -> None:
        """Also in the same order, with the cap in the middle of the third map."""
        maps = {
            f"/{number}.xml": sitemap(*(f"/{number}/{row}" for row in range(40)))
            for number in range(5)
        }
        site.routes |= {"/robots.txt": robots("/0.xml", "/index.xml")}
        site.routes["/index.xml"] = sitemap_index(*list(maps)[1:])
        expected = [site.at(f"/{row // 40}/{row % 40}") for row in range(100)]
        for slowest_first in (True, False):
            delays = sorted((0.0, 0.1, 0.25, 0.4, 0.55), reverse=slowest_first)
            for (path, body), seconds in zip(maps.items(), delays, strict=True):
                site.routes[path] = Reply(
                    body, content_type="application/xml", delay_seconds=seconds
                )
            database = f"sqlite:///{project.folder}/{slowest_first}.db"
            settings = {"SITECRAWL_MAX_SITEMAP_URLS": 100, "SITECRAWL_DATABASE_URL": database}
            done = project.crawl(site.url, settings=settings).ended_in_part()
            assert done.urls == expected


class TestBytes:
    def test_a_long_map_is_cut_while_it_arrives_and_what_came_before_is_kept(
        self, site: SiteServer, crawl: Crawl
    ) -> None:
        site.routes["/robots.txt"] = robots("/huge.xml", "/small.xml")
        site.routes["/huge.xml"] = Reply(_endless_map)
        site.routes["/small.xml"] = sitemap("/small")
        settings = {**ENOUGH, "SITECRAWL_MAX_SITEMAP_BYTES": 1_000_000}
        done = crawl(site.url, settings=settings).ended_in_part()
        (request,) = site.requests("/huge.xml")
        assert request.body_bytes < 30_000_000, "the download was stopped"
        huge = fetches(done)[site.at("/huge.xml")]
        assert (huge.truncated, huge.complete) == (True, False)
        assert 5_000 < huge.entries == len(done.rows) - 1
        assert site.at("/small") in done.urls
        assert_said(done, "SITECRAWL_MAX_SITEMAP_BYTES", 1_000_000)

    def test_the_default_limit_is_50_mib(self, site: SiteServer, crawl: Crawl) -> None:
        site.routes["/robots.txt"] = robots("/huge.xml")
        site.routes["/huge.xml"] = Reply(_sparse_map)
        done = crawl(site.url, settings=ENOUGH).ended_in_part()
        assert done.urls == [site.at("/first")]
        assert fetches(done)[site.at("/huge.xml")].truncated
        assert_said(done, "SITECRAWL_MAX_SITEMAP_BYTES", 52_428_800)

    def test_bombs_do_no_harm(self, site: SiteServer, crawl: Crawl) -> None:
        start = sitemap("/before").removesuffix(b"</urlset>\n")
        bomb = b"".join(gzip_bomb(80_000_000, start)(None))  # type: ignore[arg-type]
        site.routes["/robots.txt"] = robots("/bomb.xml.gz", "/transport.xml", "/small.xml")
        site.routes["/bomb.xml.gz"] = Reply(bomb)
        site.routes["/transport.xml"] = Reply(bomb, headers={"Content-Encoding": "gzip"})
        site.routes["/small.xml"] = sitemap("/small")
        settings = {**ENOUGH, "SITECRAWL_MAX_SITEMAP_BYTES": 10_000_000}
        done = crawl(site.url, settings=settings).ended_in_part()
        assert sorted(done.urls) == [site.at("/before"), site.at("/small")]
        read = fetches(done)
        assert read[site.at("/bomb.xml.gz")].truncated
        transport = read[site.at("/transport.xml")]
        assert transport.truncated or transport.outcome == "too_large"
        assert_said(done, "SITECRAWL_MAX_SITEMAP_BYTES", 10_000_000)


class TestTime:
    def test_a_slow_map_times_out_alone(self, site: SiteServer, crawl: Crawl) -> None:
        site.routes["/robots.txt"] = robots("/slow.xml", "/index.xml")
        site.routes["/index.xml"] = sitemap_index("/nested.xml", "/good.xml")
        site.routes["/slow.xml"] = Reply(delay_seconds=60)
        site.routes["/nested.xml"] = Reply(sitemap("/x" * 500), drip_bytes_per_second=100)
        site.routes["/good.xml"] = sitemap("/good")
        settings = {
            **ENOUGH,
            "RETRY_TIMES": 0,
            "SITECRAWL_SITEMAP_TIMEOUT_SECONDS": 1,
            "SITECRAWL_NESTED_SITEMAP_TIMEOUT_SECONDS": 0.5,
        }
        done = crawl(site.url, settings=settings).succeeded()
        assert done.urls == [site.at("/good")]
        read = fetches(done)
        for path in ("/slow.xml", "/nested.xml"):
            assert read[site.at(path)].outcome == "timeout", path
            assert "in time" in (read[site.at(path)].error or "")
        assert "have been read" not in scan(done)[1]

    def test_the_stage_ends_when_its_time_is_up(self, site: SiteServer, crawl: Crawl) -> None:
        never = threading.Event()
        maps = [f"/{n}.xml" for n in range(20)]
        site.routes["/robots.txt"] = robots("/good.xml", *maps)
        site.routes["/good.xml"] = sitemap("/good")
        site.routes.update({path: Reply(hold=never) for path in maps})
        settings = {**ENOUGH, "SITECRAWL_SITEMAP_STAGE_TIMEOUT_SECONDS": 1}
        begun = time.monotonic()
        done = crawl(site.url, settings=settings).ended_in_part()
        assert time.monotonic() - begun < 25, "not the 30 s of each fetch"
        assert done.urls == [site.at("/good")]
        assert_said(done, "SITECRAWL_SITEMAP_STAGE_TIMEOUT_SECONDS", 1)
        assert "time" in stage(done, "sitemaps")["ended"]
        never.set()

    def test_a_stage_that_has_no_time_for_its_last_map_says_so(
        self, site: SiteServer, crawl: Crawl
    ) -> None:
        site.routes.update({"/": page("Home"), "/robots.txt": robots("/slow.xml")})
        site.routes["/slow.xml"] = Reply(sitemap("/slow"), delay_seconds=60)
        settings = {
            "RETRY_TIMES": 0,
            "SITECRAWL_SITEMAP_TIMEOUT_SECONDS": 2,
            "SITECRAWL_SITEMAP_STAGE_TIMEOUT_SECONDS": 1,
        }
        done = crawl(site.url, settings=settings).ended_in_part()
        assert "/sitemap.xml" not in site.paths(), "no time for the common places"
        assert_said(done, "SITECRAWL_SITEMAP_STAGE_TIMEOUT_SECONDS", 1)


def test_no_limit_is_hit_in_a_scan_that_reads_everything(site: SiteServer, crawl: Crawl) -> None:
    site.routes.update({"/robots.txt": robots("/map.xml"), "/map.xml": sitemap("/a")})
    site.routes["/"] = page("Home")
    done = crawl(site.url, settings=ENOUGH).succeeded()
    assert summary(done)["truncated"] == []
    said = "the sitemaps have been read; the crawl did not run (SITECRAWL_CRAWL is never)"
    assert scan(done) == ("finished", said)


def _endless_map(_request: Request) -> Iterator[bytes]:
    yield b"<urlset>\n"
    for number in range(0, 600_000, 1_000):
        yield b"".join(
            b"<url><loc>/%d</loc>%s</url>\n" % (n, b" " * 64) for n in range(number, number + 1_000)
        )


def _sparse_map(_request: Request) -> Iterator[bytes]:
    yield b"<urlset>\n<url><loc>/first</loc></url>\n"
    for _ in range(1_200):
        yield b"<!--%s-->\n" % (b"x" * 49_992)
    yield b"<url><loc>/last</loc></url>\n</urlset>\n"
