"""``SITECRAWL_PAGE_ITEMS``: pipelines, limits and add-ons of a user get one item per page."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import pytest
from itemadapter import ItemAdapter

from sitecrawl import settings as project_settings
from sitecrawl.items import PageItem
from sitecrawl.store.queries.feed import FEED_FIELDS
from tests.site.build import page, robots, sitemap
from tests.site.project import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.site import SiteServer
    from tests.site.project import CrawlResult, Project

    Crawl = Callable[..., CrawlResult]

PARTS = """
import json

from itemadapter import ItemAdapter
from scrapy import signals
from scrapy.exceptions import DropItem


class Keep:
    def __init__(self, crawler):
        self.crawler = crawler
        crawler.signals.connect(self.keep_stats, signals.engine_stopped)

    @classmethod
    def from_crawler(cls, crawler):
        return cls(crawler)

    def process_item(self, item):
        adapter = ItemAdapter(item)
        with open("kept.jsonl", "a", encoding="utf-8") as file:
            file.write(json.dumps([type(item).__name__, adapter.asdict()]) + chr(10))
        if adapter["url"].endswith("/dropped"):
            raise DropItem("not wanted")
        return item

    def keep_stats(self):
        with open("stats.json", "w") as file:
            json.dump(self.crawler.stats.get_stats(), file, default=str)


from spidermon import Monitor, MonitorSuite, monitors
from spidermon.contrib.scrapy.monitors.monitors import FinishReasonMonitor, ItemCountMonitor


@monitors.name("pages")
class PagesMonitor(Monitor):
    @monitors.name("every listed page is an item")
    def test_items(self):
        self.assertEqual(self.data.stats["item_scraped_count"], 4)
        self.assertEqual(self.data.stats["sitecrawl/pages/listed"], 4)

    @monitors.name("every item has its address")
    def test_fields(self):
        self.assertEqual(self.data.stats["spidermon_field_coverage/PageItem/url"], 1.0)


class Suite(MonitorSuite):
    monitors = [PagesMonitor, ItemCountMonitor, FinishReasonMonitor]
"""


@pytest.fixture
def scan(site: SiteServer, project: Project, crawl: Crawl) -> Callable[..., CrawlResult]:
    """A scan of four pages, and one that a skip rule refuses."""
    site.routes |= {
        "/robots.txt": robots("/map.xml"),
        "/map.xml": sitemap("/a", "/b", "/c", "/cart"),
        "/": page("Home", "/a", "/d"),
        **{path: page(path) for path in ("/a", "/b", "/c", "/d")},
    }
    (project.folder / "parts.py").write_text(PARTS)

    def run(**settings: object) -> CrawlResult:
        pipelines = {**project_settings.ITEM_PIPELINES, "parts.Keep": 900}
        values = {
            "SITECRAWL_PAGE_ITEMS": True,
            "SITECRAWL_MIN_SITEMAP_URLS": 1,
            "ITEM_PIPELINES": json.dumps(pipelines),
            **settings,
        }
        environment = {"PYTHONPATH": f"{ROOT}:{project.folder}"}
        return crawl(site.url, settings=values, environment=environment)

    return run


def kept(done: CrawlResult) -> list[tuple[str, dict[str, Any]]]:
    lines = (done.feed.parent / "kept.jsonl").read_text().splitlines()
    return [tuple(json.loads(line)) for line in lines]


def stats(done: CrawlResult) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((done.feed.parent / "stats.json").read_text())
    return found


def test_its_fields_are_those_of_the_feeds() -> None:
    assert [field.name for field in fields(PageItem)] == list(FEED_FIELDS)
    assert ItemAdapter(PageItem("http://x.example/", "x"))["key"] == "x"


def test_pipelines_get_pages_and_nothing_else(scan: Callable[..., CrawlResult]) -> None:
    done = scan(SITECRAWL_CRAWL="always").succeeded()
    assert {name for name, _ in kept(done)} == {"PageItem"}
    assert [item for _, item in kept(done)] == done.rows
    assert len(done.rows) == 5
    assert stats(done)["item_scraped_count"] == len(done.rows)


def test_without_it_pipelines_get_nothing(scan: Callable[..., CrawlResult]) -> None:
    done = scan(SITECRAWL_PAGE_ITEMS=False).succeeded()
    assert not (done.feed.parent / "kept.jsonl").exists()
    assert "item_scraped_count" not in stats(done)


def test_dropped_items_and_refused_pages(
    scan: Callable[..., CrawlResult], site: SiteServer
) -> None:
    site.routes["/map.xml"] = sitemap("/a", "/cart", "/dropped")
    done = scan(SITECRAWL_FEED_REFUSED=True).succeeded()
    reasons = {item["url"]: item["reason"] for _, item in kept(done)}
    assert reasons == {
        site.at("/a"): None,
        site.at("/cart"): "skipped_path",
        site.at("/dropped"): None,
    }
    assert stats(done)["item_dropped_count"] == 1
    assert len(done.rows) == len(reasons), "the feed is the inventory"


def test_closespider_itemcount(scan: Callable[..., CrawlResult]) -> None:
    done = scan(CLOSESPIDER_ITEMCOUNT=2).succeeded()
    assert stats(done)["finish_reason"] == "closespider_itemcount"
    assert done.query("SELECT status FROM scans") == [("finished",)], "it had ended before"


def spidermon(minimum: int) -> dict[str, object]:
    extensions = {
        **project_settings.EXTENSIONS,
        "spidermon.contrib.scrapy.extensions.Spidermon": 950,
    }
    return {
        "EXTENSIONS": json.dumps(extensions),
        "SPIDERMON_ENABLED": True,
        "SPIDERMON_ADD_FIELD_COVERAGE": True,
        "SPIDERMON_SPIDER_CLOSE_MONITORS": "parts.Suite",
        "SPIDERMON_MIN_ITEMS": minimum,
    }


class TestSpidermon:
    def test_monitors_that_pass(self, scan: Callable[..., CrawlResult], site: SiteServer) -> None:
        site.routes["/map.xml"] = sitemap("/a", "/b", "/c", "/d")
        done = scan(**spidermon(4)).succeeded()
        assert "[Spidermon] 4 monitors in" in done.stderr
        assert "[Spidermon] OK" in done.stderr
        assert "[Spidermon] FAILED" not in done.stderr

    def test_monitors_that_fail(self, scan: Callable[..., CrawlResult]) -> None:
        done = scan(**spidermon(10))
        assert "[Spidermon] FAILED (failures=2)" in done.stderr
        assert "'item_scraped_count' to be '>=' to '10.0'. Current value: '3.0'" in done.stderr
