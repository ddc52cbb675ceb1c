"""Which pages are exported, in which order, and how many there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from sitecrawl.items import FetchOutcome
from sitecrawl.store.queries.page_filter import PageFilter
from sitecrawl.store.queries.pages import PageCount, count_listed, count_pages, page_rows
from sitecrawl.store.vocabulary import ScanStatus
from tests.store.crawling import Crawling, Link, address
from tests.store.scanning import (
    Scanning,
    current_scan,
    exported,
    inventory,
    scan,
)

if TYPE_CHECKING:
    from sitecrawl.store.engine import Database

A, B = "https://example.com/a.xml", "https://example.com/b.xml"
SHOP, BLOG, PDF = (f"https://example.com/{each}" for each in ("Shop/100%_!x", "blog", "x.pdf"))


@pytest.fixture
def three_pages(database: Database) -> Database:
    scanning = Scanning(database)
    refused = {1: ("skipped_file_type", "*.pdf")}
    scanning.fetched(scanning.list_pages(A, [SHOP, PDF], refused=refused))
    scanning.fetched(scanning.list_pages(B, [BLOG, SHOP], source="feed"))
    scanning.finish()
    return database


@pytest.mark.parametrize(
    ("wanted", "urls"),
    [
        ({}, [SHOP, BLOG]),
        ({"include_refused": True}, [SHOP, PDF, BLOG]),
        ({"source": "feed"}, [SHOP, BLOG]),
        ({"reason": "skipped_file_type"}, [PDF]),
        ({"max_depth": 1}, [BLOG]),
        ({"contains": "shop/"}, [SHOP]),
        ({"contains": "%_!"}, [SHOP]),
        ({"contains": "1_0"}, []),
        ({"contains": "example", "include_refused": True, "max_depth": 1}, [PDF, BLOG]),
    ],
)
def test_filters(three_pages: Database, wanted: dict[str, Any], urls: list[str]) -> None:
    assert [row["url"] for row in exported(three_pages, PageFilter(**wanted))] == urls


@pytest.fixture
def crawled(database: Database) -> Database:
    """Two pages with a product each, a redirect, an error, and a page that was not visited."""
    crawling = Crawling(database)
    crawling.start()
    crawling.visit(
        *("/", Link("/list", "Everything", "navigation"), Link("/list", "All", "footer")),
        *("/old", "/broken", Link("/item/1", "First", "aside"), "/item/2"),
    )
    crawling.visit("/list", Link("/item/1", "Über uns", "content-link", "area"))
    crawling.redirect("/old", "/new")
    crawling.visit("/broken", status=503, outcome=FetchOutcome.HTTP_ERROR)
    crawling.visit("/item/1", "/deep", title="ПЕРВЫЙ товар")
    crawling.visit("/item/2", status=404, outcome=FetchOutcome.NOT_FOUND, reason="not_found")
    crawling.list_in_sitemap("/item/1", "/alone")
    crawling.end()
    return database


@pytest.mark.parametrize(
    ("wanted", "paths"),
    [
        ({"source": "sitemap"}, ["/item/1", "/alone"]),
        ({"source": "area"}, ["/item/1"]),
        ({"source": "start"}, ["/"]),
        ({"region": "footer"}, ["/list"]),
        ({"region": "aside"}, ["/item/1"]),
        ({"source": "area", "region": "content-link"}, ["/item/1"]),
        ({"source": "area", "region": "aside"}, []),
        ({"text": "EVERYTHING"}, ["/list"]),
        ({"text": "all"}, ["/list"]),
        ({"text": "über"}, ["/item/1"]),
        ({"text": "ÜBER UNS"}, ["/item/1"]),
        ({"text": "первый"}, ["/item/1"]),
        ({"text": "%"}, []),
        ({"max_clicks": 0}, ["/"]),
        ({"max_clicks": 1}, ["/", "/list", "/broken", "/item/1", "/new"]),
        (
            {"max_clicks": 1, "include_refused": True, "max_depth": 1},
            ["/", "/list", "/old", "/broken", "/new"],
        ),
        ({"http_status": (200, 200)}, ["/", "/list", "/item/1"]),
        ({"http_status": (300, 399)}, ["/old"]),
        ({"http_status": (400, 499)}, ["/item/2"]),
        ({"http_status": (503, 503)}, ["/broken"]),
        ({"pattern": "/item/{n}"}, ["/item/1"]),
        ({"pattern": "/item/{n}", "include_refused": True}, ["/item/1", "/item/2"]),
        ({"pattern": "/list"}, ["/list"]),
        ({"pattern": "/list", "max_depth": 1}, ["/list"]),
        ({"pattern": "/item/{n}", "max_depth": 1}, []),
        ({"pattern": "/item/1"}, []),
    ],
)
def test_filters_of_what_a_crawl_found(
    crawled: Database, wanted: dict[str, Any], paths: list[str]
) -> None:
    found = [row["url"] for row in exported(crawled, PageFilter(**wanted))]
    assert found == [address(path) for path in paths]


def test_a_pattern_is_also_what_the_crawl_calls_it(sqlite_database: Database) -> None:
    crawling = Crawling(sqlite_database)
    crawling.start()
    crawling.visit("/", Link("/a/copy/b", held_under="/a/{copy}"), "/list?a=1&b=2", "/c")
    crawling.end()
    for pattern, paths in (("/a/{copy}", ["/a/copy/b"]), ("/list?*", ["/list?a=1&b=2"])):
        rows = exported(sqlite_database, PageFilter(pattern=pattern))
        assert [row["url"] for row in rows] == [address(path) for path in paths]


def test_a_mention_that_no_longer_holds_matches_no_filter(database: Database) -> None:
    for links in ([Link("/a", "Old", "footer")], []):
        crawling = Crawling(database)
        crawling.start()
        crawling.visit("/", Link("/a", "New", "navigation"), "/b")
        crawling.visit("/b", *links)
        crawling.end()
        found = [
            len(exported(database, PageFilter(region="navigation"))),
            len(exported(database, PageFilter(region="footer"))),
            len(exported(database, PageFilter(text="old"))),
        ]
        assert found == [1, len(links), len(links)]


def test_clicks_and_statuses_are_those_of_the_last_visit(database: Database) -> None:
    first = Crawling(database)
    first.start()
    first.visit("/", "/a")
    first.list_in_sitemap("/", "/a")
    first.end()
    scan(database, {})
    second = Crawling(database)
    second.list_in_sitemap("/", "/a")
    second.end()
    assert len(exported(database)) == 2
    for wanted in (PageFilter(max_clicks=0), PageFilter(http_status=(200, 200))):
        assert [row["url"] for row in exported(database, wanted)] == ["https://example.com/"]
    third = Crawling(database)
    third.start()
    third.visit("/", status=410, outcome=FetchOutcome.NOT_FOUND, fetch={"complete": False})
    third.end()
    assert exported(database, PageFilter(http_status=(200, 200))) == []
    assert len(exported(database, PageFilter(http_status=(410, 410)))) == 1


def test_what_is_refused_is_not_listed(three_pages: Database) -> None:
    assert count_listed(three_pages, current_scan(three_pages)) == 2


def test_counts_by_reason_and_source(three_pages: Database) -> None:
    counts = count_pages(three_pages, current_scan(three_pages))
    assert sorted(counts, key=str) == sorted(
        [
            PageCount(None, "feed", 1),
            PageCount(None, "sitemap", 1),
            PageCount("skipped_file_type", "sitemap", 1),
        ],
        key=str,
    )


def test_counts_by_class(three_pages: Database) -> None:
    for wanted, pages in ((PageFilter(max_depth=1), 1), (PageFilter(pattern="/blog"), 1)):
        assert [each.pages for each in count_pages(three_pages, current_scan(three_pages), wanted)]
        assert (
            sum(each.pages for each in count_pages(three_pages, current_scan(three_pages), wanted))
            == pages
        )


def test_pages_come_in_chunks(database: Database) -> None:
    urls = [f"https://example.com/{number}" for number in range(505)]
    scan(database, {A: urls})
    chunks = list(page_rows(database, current_scan(database), PageFilter(), ["url"]))
    assert [len(rows) for rows in chunks] == [500, 5]
    assert [url for rows in chunks for (url,) in rows] == urls


def test_an_interrupted_scan_tells_of_what_it_has_read(database: Database) -> None:
    scan(database, {A: [SHOP, BLOG], B: [PDF]})
    scanning = Scanning(database)
    scanning.fetched(scanning.list_pages(A, ["https://example.com/new", BLOG]))
    scanning.writer.commit()
    scanning.writer.close()
    assert inventory(database) == [BLOG, PDF, "https://example.com/new"]


def test_pages_of_a_document_that_was_being_read_are_there(database: Database) -> None:
    scanning = Scanning(database)
    scanning.list_pages(A, [SHOP])
    scanning.writer.commit()
    scanning.writer.close()
    assert current_scan(database).status == ScanStatus.RUNNING
    assert inventory(database) == [SHOP]
