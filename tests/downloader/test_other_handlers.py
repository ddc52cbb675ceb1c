"""Politeness holds whatever is plugged in; what cannot be guarded is refused at the start."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.downloader.measuring import NO_PAUSE, ONE_AT_ONCE, only_host, paths
from tests.site import Reply, redirect, too_many
from tests.site.build import page, robots
from tests.stages.stored import evidence, outcomes, truncations

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.downloader.measuring import Fetch
    from tests.site import SiteServer
    from tests.site.project import CrawlResult

_HANDLERS = "scrapy.core.downloader.handlers"
_HTTP11 = f"{_HANDLERS}.http11.HTTP11DownloadHandler"
_AIOHTTP = f"{_HANDLERS}._aiohttp.AiohttpDownloadHandler"


def handlers(path: str) -> dict[str, object]:
    return {"DOWNLOAD_HANDLERS": json.dumps({"http": path, "https": path})}


ALLOWED: dict[str, object] = {"SITECRAWL_ALLOW_UNGUARDED_HANDLERS": True}


@pytest.mark.parametrize("path", [_HTTP11, _AIOHTTP])
class TestWithStockHandlers:
    def test_pace_and_ledger(self, site: SiteServer, fetch: Fetch, path: str) -> None:
        site.routes |= {"/page*": Reply(b"x" * 100), "/page1": [Reply(status=500), b"x"]}
        site.routes["/page2"] = redirect("/page3")
        settings = {**handlers(path), **ALLOWED, "DOWNLOAD_DELAY": 0.5, "DOWNLOAD_DELAY_JITTER": 0}
        done = fetch(*paths(4), "/absent", **settings).succeeded()
        assert len(site.requests()) == 5 + 1 + 1
        assert min(site.gaps()) >= 0.5 - 0.1, "a handler may take its time to connect"
        figures = only_host(done)
        assert figures["requests"] == len(site.requests())
        assert figures["received_bytes"] == sum(entry.body_bytes for entry in site.requests())

    def test_budget(self, site: SiteServer, fetch: Fetch, path: str) -> None:
        site.routes["/page*"] = b"x"
        settings = {**handlers(path), **ALLOWED, **NO_PAUSE, "SITECRAWL_MAX_PAGES": 1}
        done = fetch(*paths(5), **settings)
        assert len(site.requests()) == 1
        assert truncations(done) == {"SITECRAWL_MAX_PAGES": 1}

    def test_retry_after(self, site: SiteServer, fetch: Fetch, path: str) -> None:
        site.routes |= {"/page*": b"x", "/page0": [too_many("1"), b"x"]}
        fetch(*paths(3), **handlers(path), **ALLOWED, **ONE_AT_ONCE).succeeded()
        first, second, *_ = sorted(site.requests(), key=lambda entry: entry.started)
        assert second.started - first.ended >= 1.0

    def test_what_could_not_be_sent_does_not_count(
        self, site: SiteServer, fetch: Fetch, path: str
    ) -> None:
        site.routes["/page*"] = b"x"
        closed = [f"http://127.0.0.1:9{page}" for page in paths(3)]
        settings = {**handlers(path), **ALLOWED, "CONCURRENT_REQUESTS": 1, "RETRY_TIMES": 0}
        done = fetch(*closed, *paths(2), **settings, SITECRAWL_MAX_PAGES=2)
        assert site.paths() == ["/page0", "/page1"]
        assert only_host(done)["requests"] == 2

    def test_a_scan(self, site: SiteServer, crawl: Callable[..., CrawlResult], path: str) -> None:
        """Robots rules and skip rules hold, and the evidence says what does not."""
        site.routes |= {
            "/robots.txt": robots(disallow=("/private",)),
            "/": page("Home", "/a", "/private/b", "/admin/c"),
            "/a": page("A"),
        }
        settings = {**handlers(path), **ALLOWED, "SITECRAWL_CRAWL": "always"}
        settings["SITECRAWL_SITEMAP_PLACES"] = "/none.xml"
        settings["SITECRAWL_SOFT_404"] = False
        done = crawl(site.url, settings=settings).succeeded()
        assert site.paths() == ["/robots.txt", "/", "/none.xml", "/a"]
        assert "addresses are not guarded" in done.stderr
        found = evidence(done, "addresses_not_guarded")
        assert {data["setting"] for _, data in found} == {"SITECRAWL_ALLOW_UNGUARDED_HANDLERS"}


class TestAtTheStart:
    @pytest.mark.parametrize("spider", ["discover", "ordinary"])
    def test_an_unguarded_handler_is_refused(
        self, site: SiteServer, crawl: Callable[..., CrawlResult], spider: str
    ) -> None:
        modules = {"SPIDER_MODULES": "sitecrawl.spiders,tests.site.ordinary"}
        done = crawl(site.url, spider=spider, settings={**handlers(_HTTP11), **modules})
        assert done.returncode == 2
        assert f"DOWNLOAD_HANDLERS['http']={_HTTP11}" in done.output
        assert "SITECRAWL_ALLOW_UNGUARDED_HANDLERS" in done.output
        assert site.requests() == []
        assert "Traceback" not in done.output

    @pytest.mark.parametrize("spider", ["discover", "ordinary"])
    def test_so_is_another_downloader(
        self, site: SiteServer, crawl: Callable[..., CrawlResult], spider: str
    ) -> None:
        modules = {"SPIDER_MODULES": "sitecrawl.spiders,tests.site.ordinary"}
        stock = {"DOWNLOADER": "scrapy.core.downloader.Downloader"}
        done = crawl(site.url, spider=spider, settings={**stock, **modules})
        assert done.returncode == 2
        assert "expected a subclass of sitecrawl.downloader.PoliteDownloader" in done.output
        assert site.requests() == []


class TestAnOrdinarySpider:
    """One that knows nothing of the project runs with its middlewares."""

    def run(
        self, site: SiteServer, crawl: Callable[..., CrawlResult], **settings: object
    ) -> CrawlResult:
        values = {"SPIDER_MODULES": "tests.site.ordinary", "ITEM_PIPELINES": "{}", **settings}
        values["SITECRAWL_ADDRESS_ALLOW"] = f"127.0.0.1:{site.port}"
        return crawl(site.url, spider="ordinary", settings=values)

    def test_robots_skip_rules_and_pace(
        self, site: SiteServer, crawl: Callable[..., CrawlResult]
    ) -> None:
        site.routes |= {
            "/robots.txt": robots(disallow=("/private",)),
            "/": page("Home", "/a", "/private/b", "/admin/c", "/d.pdf", "/e"),
            "/a": page("A"),
            "/e": page("E"),
        }
        done = self.run(site, crawl, DOWNLOAD_DELAY=0.3, DOWNLOAD_DELAY_JITTER=0)
        assert sorted(site.paths()) == ["/", "/a", "/e", "/robots.txt"]
        assert min(site.gaps()) >= 0.3 - 0.01
        assert "'sitecrawl/requests/skipped': 2" in done.output

    def test_budget(self, site: SiteServer, crawl: Callable[..., CrawlResult]) -> None:
        site.routes |= {"/": page("Home", "/a", "/b"), "/a": page("A"), "/b": page("B")}
        self.run(site, crawl, SITECRAWL_MAX_PAGES=2)
        assert len([path for path in site.paths() if path != "/robots.txt"]) == 2

    def test_other_addresses_are_refused(
        self, site: SiteServer, crawl: Callable[..., CrawlResult]
    ) -> None:
        site.routes["/"] = page("Home", f"http://127.0.0.2:{site.port}/a")
        done = self.run(site, crawl)
        assert set(site.paths()) == {"/robots.txt", "/"}
        assert "SITECRAWL_ADDRESS_ALLOW=127.0.0.2" in done.output

    def test_a_cached_answer_costs_no_request(
        self, site: SiteServer, crawl: Callable[..., CrawlResult], tmp_path: Path
    ) -> None:
        site.routes |= {"/": page("Home", "/a"), "/a": page("A")}
        cache = {"HTTPCACHE_ENABLED": True, "HTTPCACHE_DIR": tmp_path / "cache"}
        self.run(site, crawl, **cache)
        before = len(site.requests())
        assert before == 3
        done = self.run(site, crawl, **cache, SITECRAWL_MAX_PAGES=1)
        assert len(site.requests()) == before
        assert "'requests': 0" in done.output
        assert "'httpcache/hit': 3" in done.output


def test_a_second_scan_from_the_cache(
    site: SiteServer, crawl: Callable[..., CrawlResult], tmp_path: Path
) -> None:
    site.routes |= {"/robots.txt": robots(), "/": page("Home", "/a"), "/a": page("A")}
    settings: dict[str, object] = {"HTTPCACHE_ENABLED": True, "SITECRAWL_CRAWL": "always"}
    settings["HTTPCACHE_DIR"] = tmp_path / "cache"
    settings["SITECRAWL_ROBOTS_CACHE_SECONDS"] = 0
    first = crawl(site.url, settings=settings).succeeded()
    number = len(site.requests())
    second = crawl(site.url, settings=settings).succeeded()
    assert len(site.requests()) == number
    assert second.urls == first.urls
    assert set(outcomes(second).values()) == set(outcomes(first).values())
