from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING

import pytest

from tests.site.build import robots, sitemap

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.site import SiteServer
    from tests.site.project import CrawlResult, ProcessResult

CONTRACT = {
    *("url", "key", "status", "reason", "source", "sources", "depth", "parent", "title"),
    *("lastmod", "changefreq", "sitemap_priority", "robots_allowed", "robots_rule", "category"),
    *("clusters", "language", "importance", "priority", "discovered_at"),
}
ENOUGH = "SITECRAWL_MIN_SITEMAP_URLS=1"


def test_one_scan_writes_every_format_with_every_field(
    site: SiteServer, run_scrapy: Callable[..., ProcessResult]
) -> None:
    site.routes.update({"/robots.txt": robots("/map.xml"), "/map.xml": sitemap("/a", "/b?q=1,2")})
    feeds = ["-O", "urls.jsonl", "-O", "urls.json", "-O", "urls.csv"]
    done = run_scrapy("crawl", "discover", "-a", f"domain={site.url}", "-s", ENOUGH, *feeds)
    done.succeeded()
    folder = done.database.parent
    lines = [json.loads(line) for line in (folder / "urls.jsonl").read_text().splitlines()]
    rows = json.loads((folder / "urls.json").read_text())
    with (folder / "urls.csv").open(newline="") as file:
        cells = list(csv.DictReader(file))
    assert [row["url"] for row in lines] == [site.at("/a"), site.at("/b?q=1,2")]
    assert rows == lines
    assert [row["url"] for row in cells] == [row["url"] for row in lines]
    for row in (*lines, *cells):
        assert set(row) >= CONTRACT
    report = done.stderr[done.stderr.index("stored ") :]
    assert all(name in report for name in ("urls.jsonl", "urls.json", "urls.csv"))


@pytest.mark.parametrize("feed", ["urls.jsonl", "urls.json", "urls.csv"])
def test_a_site_without_pages_gives_an_empty_but_valid_feed(
    site: SiteServer, crawl: Callable[..., CrawlResult], feed: str
) -> None:
    done = crawl(site.url, settings={"SITECRAWL_SITEMAP_PLACES": "/sitemap.xml"}, feed=feed)
    text = done.succeeded().feed.read_text()
    if feed.endswith(".json"):
        assert json.loads(text) == []
    elif feed.endswith(".csv"):
        (header,) = csv.reader(text.splitlines())
        assert set(header) >= CONTRACT
    else:
        assert text == ""


def test_a_feed_that_cannot_be_written_is_said_and_fails(
    site: SiteServer, run_scrapy: Callable[..., ProcessResult]
) -> None:
    site.routes.update({"/robots.txt": robots("/map.xml"), "/map.xml": sitemap("/a")})
    target = "/proc/sitecrawl/urls.jsonl"
    done = run_scrapy("crawl", "discover", "-a", f"domain={site.url}", "-s", ENOUGH, "-O", target)
    assert done.returncode != 0
    assert "Traceback" not in done.output
    assert target in done.stderr
