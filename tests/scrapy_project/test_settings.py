"""Scrapy's settings mean what its documentation says, for ordinary spiders and for scans."""

from __future__ import annotations

import json
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from scrapy.settings import Settings, default_settings

from sitecrawl import settings as project_settings
from tests.scrapy_project.spiders import run_shop
from tests.site import Reply, SiteServer, redirect_chain
from tests.site.build import page, robots
from tests.site.project import Project
from tests.stages.stored import outcomes, summary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.scrapy_project.spiders import ShopRun
    from tests.site.project import CrawlResult

    ShopSpider = Callable[..., ShopRun]

# --- Scrapy's lists ------------------------------------------------------------------------------

_LISTS = (
    *("DOWNLOADER_MIDDLEWARES", "SPIDER_MIDDLEWARES", "EXTENSIONS", "ITEM_PIPELINES"),
    *("DOWNLOAD_HANDLERS", "FEED_STORAGES", "FEED_EXPORTERS", "SPIDER_CONTRACTS"),
)
_REPLACED = {
    "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware",
    "scrapy.downloadermiddlewares.retry.RetryMiddleware",
    "scrapy.downloadermiddlewares.httpcompression.HttpCompressionMiddleware",
    "scrapy.downloadermiddlewares.redirect.RedirectMiddleware",
    "scrapy.extensions.feedexport.FeedExporter",
    *("file", "ftp", "s3", "data"),
}


def test_base_lists_are_those_of_scrapy() -> None:
    settings = Settings()
    settings.setmodule(project_settings)
    for name in _LISTS:
        base = f"{name}_BASE"
        if hasattr(default_settings, base):
            assert not hasattr(project_settings, base)
            assert settings[base].copy_to_dict() == getattr(default_settings, base)


def test_what_is_replaced_is_named() -> None:
    values = {**vars(project_settings)}
    off = {key for name in _LISTS for key, value in values.get(name, {}).items() if value is None}
    assert off == _REPLACED


# --- One run of an ordinary spider, under many settings ------------------------------------------

LONG = "/long/" + "x" * 300
PARTS = """
from scrapy.statscollectors import MemoryStatsCollector

class OwnStats(MemoryStatsCollector):
    def close_spider(self, reason=None, **options):
        super().close_spider(reason=reason, **options)
        open("own-stats", "w").write(str(self.get_value("item_scraped_count")))
"""
SETTINGS: dict[str, Any] = {
    "DEPTH_LIMIT": 1,
    "URLLENGTH_LIMIT": 300,
    "RETRY_TIMES": 1,
    "RETRY_HTTP_CODES": 418,
    "SITECRAWL_RETRY_BACKOFF_SECONDS": 0.01,
    "REFERER_ENABLED": True,
    "REFERRER_POLICY": "origin",
    "REDIRECT_MAX_TIMES": 1,
    "DOWNLOAD_TIMEOUT": 1,
    "STATS_CLASS": "shopparts.OwnStats",
    "LOG_LEVEL": "DEBUG",
    "LOG_FILE": "shop.log",
}


def routes() -> dict[str, Any]:
    return {
        "/robots.txt": robots(),
        "/": page("Home", "/1", LONG, "/teapot", "/error", "/missing", "/moved", "/slow"),
        "/1": page("1", "/2"),
        "/2": page("2"),
        LONG: page("long"),
        "/teapot": Reply(status=418),
        "/error": Reply(status=500),
        **redirect_chain("/moved", 3, "/2"),
        "/slow": Reply(delay_seconds=4),
    }


@pytest.fixture(scope="module")
def run(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[SiteServer, ShopRun, Path]]:
    project = Project.in_folder(tmp_path_factory.mktemp("settings"))
    (project.folder / "shopparts.py").write_text(PARTS)
    with SiteServer(routes()) as site:
        scrapy = partial(project.run, sys.executable, "-m", "scrapy")
        done = run_shop(project, scrapy, site.at("/"), options=("-O", "items.jsonl"), **SETTINGS)
        done.process.succeeded()
        yield site, done, project.folder


Run = tuple[SiteServer, "ShopRun", "Path"]


def test_depth_limit(run: Run) -> None:
    site, done, _ = run
    assert "/1" in site.paths()
    assert "/2" not in site.paths()
    assert done.stats["request_depth_max"] == 1


def test_urllength_limit(run: Run) -> None:
    site, done, _ = run
    assert LONG not in site.paths()
    assert done.stats["urllength/request_ignored_count"] == 1


def test_retry_times_and_http_codes(run: Run) -> None:
    site, done, _ = run
    assert site.paths().count("/teapot") == 2
    assert site.paths().count("/error") == 1
    assert done.stats["retry/reason_count/418 I'm a teapot"] == 1


def test_httperror_allowed_codes(run: Run) -> None:
    site, done, folder = run
    items = [json.loads(line) for line in (folder / "items.jsonl").read_text().splitlines()]
    assert sorted(item["url"] for item in items) == [
        site.at(path) for path in ("/", "/1", "/missing")
    ]
    assert done.stats["httperror/response_ignored_status_count/500"] == 1


def test_referrer_policy(run: Run) -> None:
    site, _, _ = run
    assert site.requests("/1")[0].header("Referer") == f"{site.url}/"
    assert site.requests("/")[0].header("Referer") == ""


def test_redirect_max_times(run: Run) -> None:
    site, done, _ = run
    assert "/moved-1" in site.paths()
    assert "/moved-2" not in site.paths()
    assert "max redirections reached" in (run[2] / "shop.log").read_text()
    assert done.stats["finish_reason"] == "finished"


def test_download_timeout(run: Run) -> None:
    _, done, folder = run
    timeouts = [name for name in done.stats if "exception_type_count" in name and "Timeout" in name]
    assert len(timeouts) == 1
    assert done.stats[timeouts[0]] == 2, "the retry included"
    assert "took longer than 1" in (folder / "shop.log").read_text()


def test_stats_class(run: Run) -> None:
    _, done, folder = run
    assert (folder / "own-stats").read_text() == str(done.stats["item_scraped_count"]) == "3"


def test_log_file(run: Run) -> None:
    _, done, folder = run
    assert done.process.stderr == ""
    assert "DEBUG: Crawled (200)" in (folder / "shop.log").read_text()


# --- Further runs of an ordinary spider ----------------------------------------------------------


def test_what_is_turned_off_is_off(site: SiteServer, shop_spider: ShopSpider) -> None:
    site.routes |= routes()
    done = shop_spider(
        *(site.at("/"),),
        REDIRECT_ENABLED=False,
        RETRY_ENABLED=False,
        DOWNLOAD_TIMEOUT=1,
        RETRY_HTTP_CODES="418,500",
        LOG_LEVEL="ERROR",
    )
    done.process.succeeded()
    assert "/moved-1" not in site.paths()
    assert [site.paths().count(path) for path in ("/teapot", "/error", "/slow")] == [1, 1, 1]
    assert not any(name.startswith(("retry/", "httpcache/")) for name in done.stats)
    assert {entry.header("Referer") for entry in site.requests()} == {""}, "off by default here"
    assert "INFO" not in done.process.stderr


@pytest.mark.parametrize(
    ("settings", "at_once"),
    [
        ({"CONCURRENT_REQUESTS_PER_DOMAIN": 3}, 3),
        ({"CONCURRENT_REQUESTS_PER_DOMAIN": 8, "CONCURRENT_REQUESTS": 2}, 2),
    ],
)
def test_concurrent_requests(
    site: SiteServer, shop_spider: ShopSpider, settings: dict[str, object], at_once: int
) -> None:
    paths = [f"/{number}" for number in range(9)]
    site.routes |= {"/": page("Home", *paths), "/*": Reply(page("x"), delay_seconds=0.4)}
    done = shop_spider(site.at("/"), **settings)
    assert done.stats["item_scraped_count"] == 10
    assert site.max_in_flight() == at_once


@pytest.mark.parametrize(
    ("name", "limit"),
    [("PAGECOUNT", 3), ("ITEMCOUNT", 3), ("TIMEOUT", 1)],
)
def test_closespider(site: SiteServer, shop_spider: ShopSpider, name: str, limit: int) -> None:
    """The endless site is left as soon as the limit is reached."""
    site.routes["/*"] = lambda request: page("x", f"{request.path}x")
    site.routes["/robots.txt"] = robots()
    done = shop_spider(
        site.at("/x"), **{f"CLOSESPIDER_{name}": limit}, DOWNLOAD_DELAY=0.1, AUTOTHROTTLE_ENABLED=0
    )
    done.process.succeeded()
    assert done.stats["finish_reason"] == f"closespider_{name.lower()}"
    assert len(site.paths()) <= 30


def test_jobdir(site: SiteServer, project: Project, shop_spider: ShopSpider) -> None:
    """A stopped run goes on where it was: nothing is fetched again."""
    site.routes["/*"] = page("x", *(f"/{number}" for number in range(6)))
    site.routes["/robots.txt"] = robots()
    settings = {"JOBDIR": "job", "CONCURRENT_REQUESTS": 1}
    first = shop_spider(site.at("/"), **settings, CLOSESPIDER_PAGECOUNT=3)
    assert first.stats["finish_reason"] == "closespider_pagecount"
    before = site.paths()
    assert (project.folder / "job" / "requests.seen").exists()
    second = shop_spider(site.at("/"), **settings)
    assert second.stats["finish_reason"] == "finished"
    later = [path for path in site.paths()[len(before) :] if path not in {"/robots.txt", "/"}]
    assert {*before, *later} >= {f"/{number}" for number in range(6)}
    assert set(before) & set(later) == set()


# --- The same settings in scans ------------------------------------------------------------------


def test_limits_of_scrapy_hold_in_scans(
    site: SiteServer, crawl: Callable[..., CrawlResult]
) -> None:
    site.routes |= routes()
    settings = {**SETTINGS, "SITECRAWL_CRAWL": "always", "SITECRAWL_SITEMAP_PLACES": "/none.xml"}
    for name in ("STATS_CLASS", "LOG_FILE"):
        del settings[name]
    done = crawl(site.url, settings={**settings, "SITECRAWL_SOFT_404": False}).succeeded()
    paths = site.paths()
    assert "/1" in paths
    assert not {"/2", LONG, "/moved-2"} & {*paths}
    assert [paths.count(path) for path in ("/teapot", "/error", "/slow")] == [2, 1, 2]
    assert site.requests("/1")[0].header("Referer") == "", "no request of the frontier has one"
    found = outcomes(done)
    assert found[site.at("/slow")] == "timeout"
    assert found[site.at("/moved-1")] == "redirected"
    reasons = dict(done.query("SELECT url, reason FROM pages WHERE reason IS NOT NULL"))
    assert reasons[site.at("/moved")] == "too_many_redirects"
    assert site.at("/2") in done.urls, "listed all the same"


def test_closespider_ends_a_scan_as_partial(
    site: SiteServer, crawl: Callable[..., CrawlResult]
) -> None:
    site.routes["/*"] = lambda request: page("x", f"{request.path}x")
    site.routes["/robots.txt"] = robots()
    settings = {"CLOSESPIDER_PAGECOUNT": 5, "SITECRAWL_CRAWL": "always", "DOWNLOAD_DELAY": 0.1}
    done = crawl(site.url, settings={**settings, "SITECRAWL_MAX_CRAWL_DEPTH": 0})
    assert done.returncode == 3
    assert summary(done)["status"] == "partial"
    assert "closespider_pagecount" in summary(done)["reason"]
    assert done.rows


def test_jobdir_is_refused_for_scans(site: SiteServer, crawl: Callable[..., CrawlResult]) -> None:
    done = crawl(site.url, settings={"JOBDIR": "job"})
    assert done.returncode == 2
    assert "sitecrawl resume" in done.stderr
    assert "Traceback" not in done.output
    assert site.paths() == []
