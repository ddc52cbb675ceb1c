"""What the crawl knows of pages, for a report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitecrawl.store.report_visits import external_pages, pages_by_clicks, visited_pages
from tests.store.crawling import ROOT, Crawling, address

if TYPE_CHECKING:
    from sitecrawl.store.engine import Database


def test_clicks_and_status(database: Database) -> None:
    crawling = Crawling(database)
    crawling.start()
    crawling.visit("/", "/a", "/gone", "https://partner.example/")
    crawling.visit("/a", "/b")
    crawling.visit("/gone", status=404, reason="not_found")
    scan = crawling.end()
    ids = {path: crawling.page_id(address(path)) for path in ("/", "/a", "/gone", "/b")}
    wanted = {ids["/"], ids["/gone"], ids["/b"]}
    assert visited_pages(database, scan, wanted) == {
        ids["/"]: (0, 200),
        ids["/gone"]: (1, 404),
        ids["/b"]: (2, None),
    }
    assert pages_by_clicks(database, scan) == [(0, 1), (1, 1), (2, 1)]
    assert external_pages(database, scan) == {crawling.page_id("https://partner.example/")}


def test_a_scan_without_a_crawl(database: Database) -> None:
    crawling = Crawling(database)
    crawling.list_in_sitemap("/a")
    scan = crawling.end()
    assert visited_pages(database, scan, {crawling.page_id(ROOT)}) == {}
    assert pages_by_clicks(database, scan) == []
