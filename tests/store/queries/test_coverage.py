"""How complete a crawl was."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from sitecrawl.items import FetchOutcome
from sitecrawl.store.queries.coverage import crawl_coverage
from sitecrawl.store.queries.scans import scan_by_id
from sitecrawl.store.vocabulary import ScanStatus
from tests.store.crawling import Crawling, Link

if TYPE_CHECKING:
    from sitecrawl.store.engine import Database


@pytest.fixture
def crawling(database: Database) -> Crawling:
    crawling = Crawling(database)
    crawling.start()
    return crawling


def test_known_visited_failed_and_held_are_counted(database: Database, crawling: Crawling) -> None:
    crawling.visit("/", "/a", "/b", "/c", "/d", "/e", Link("/1", held_under="/{n}"))
    crawling.visit("/a", status=404, outcome=FetchOutcome.NOT_FOUND)
    crawling.redirect("/b", "/a")
    crawling.visit("/c", status=503, outcome=FetchOutcome.HTTP_ERROR)
    crawling.list_in_sitemap("/x")
    limit: dict[str, Any] = {"what": "pages", "setting": "SITECRAWL_MAX_CRAWL_PAGES", "limit": 4}
    coverage = crawl_coverage(database, crawling.end(truncated=[limit]))
    assert (coverage.known, coverage.visited, coverage.failed) == (7, 4, 1)
    assert (coverage.held, coverage.waiting, coverage.sitemaps) == (1, 2, 1)
    assert coverage.limits == [limit]
    assert coverage.has_crawled
    assert not coverage.is_whole
    assert coverage.as_dict()["waiting"] == 2


def test_a_crawl_is_whole_when_all_was_read(database: Database, crawling: Crawling) -> None:
    crawling.visit("/", "/a")
    crawling.visit("/a")
    assert crawl_coverage(database, crawling.end()).is_whole


def test_a_site_of_one_page_can_be_crawled(database: Database, crawling: Crawling) -> None:
    crawling.visit("/")
    assert crawl_coverage(database, crawling.end()).is_whole


def test_a_crawl_that_was_not_needed_says_so(database: Database, crawling: Crawling) -> None:
    crawling.visit("/", "/a")
    stage = {"stage": "crawl", "ended": "the sitemaps gave enough", "visited": 0}
    coverage = crawl_coverage(database, crawling.end(stages=[stage]))
    assert (coverage.has_crawled, coverage.ended) == (False, "the sitemaps gave enough")
    assert (coverage.known, coverage.visited) == (2, 1)
    assert not coverage.is_whole


def test_a_scan_that_was_interrupted_has_no_summary(database: Database, crawling: Crawling) -> None:
    crawling.visit("/", "/a", "/b")
    crawling.visit("/a")
    crawling.writer.commit()
    crawling.writer.close()
    scan = scan_by_id(database, crawling.handle.scan_id)
    assert scan is not None
    coverage = crawl_coverage(database, scan)
    assert (coverage.known, coverage.visited, coverage.has_crawled) == (3, 2, True)
    assert (coverage.ended, coverage.limits) == ("", [])
    assert coverage.scan_status == ScanStatus.RUNNING


def test_sitemaps_that_failed_were_not_read(database: Database, crawling: Crawling) -> None:
    crawling.visit("/")
    for name, outcome in (("a", FetchOutcome.NOT_MODIFIED), ("b", FetchOutcome.HTTP_ERROR)):
        crawling.fetched(crawling.document(f"https://example.com/{name}.xml"), outcome)
    assert crawl_coverage(database, crawling.end()).sitemaps == 1
