"""Dates of sitemaps."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sitecrawl.store.findings_entries import Found
from sitecrawl.store.findings_lastmod import LastmodRange, implausible_lastmods, lastmod_ranges
from tests.store.crawling import ROOT, Crawling, address

if TYPE_CHECKING:
    from sitecrawl.store.engine import Database


def test_each_sitemap_has_its_range(database: Database) -> None:
    crawling = Crawling(database)
    pages = [address(f"/{number}") for number in range(3)]
    dates = ["2026-01-03", "", "2025-06"]
    crawling.fetched(crawling.list_pages(f"{ROOT}a.xml", pages, lastmods=dates))
    crawling.fetched(crawling.list_pages(f"{ROOT}b.xml", [address("/9")]))
    crawling.list_pages(f"{ROOT}feed.xml", [address("/8")], lastmods=["2020"], source="feed")
    scan = crawling.end()
    with database.reading() as connection:
        ranges = lastmod_ranges(connection, scan)
    assert ranges == [
        LastmodRange(f"{ROOT}a.xml", 3, 2, "2025-06", "2026-01-03"),
        LastmodRange(f"{ROOT}b.xml", 1, 0, None, None),
    ]


def test_dates_that_cannot_be(database: Database) -> None:
    year = datetime.now(UTC).year
    dates = {
        "/future": f"{year + 1}-01-01",
        "/far": "2999",
        "/epoch": "1970-01-01T00:00:00Z",
        "/today": datetime.now(UTC).date().isoformat(),
        "/this-year": str(year),
        "/old": "1995-01-01",
        "/none": "",
    }
    crawling = Crawling(database)
    pages = list(map(address, dates))
    crawling.fetched(crawling.list_pages(f"{ROOT}a.xml", pages, lastmods=list(dates.values())))
    scan = crawling.end()
    with database.reading() as connection:
        found = implausible_lastmods(connection, scan, max_examples=2)
    expected = [(address(path), dates[path]) for path in ("/future", "/far")]
    assert found == Found(3, expected)
