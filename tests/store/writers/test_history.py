from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import func, select

from sitecrawl.store.queries.page_filter import ALL_PAGES
from sitecrawl.store.queries.pages import page_rows
from sitecrawl.store.queries.scans import scan_by_id
from sitecrawl.store.schema import page_absences, page_versions
from sitecrawl.store.vocabulary import ScanStatus
from tests.store.crawling import Crawling
from tests.store.scanning import UNCHANGED, Scanning, scan

if TYPE_CHECKING:
    from sqlalchemy import Table

    from sitecrawl.store.engine import Database

A, B = "https://example.com/a.xml", "https://example.com/b.xml"
PAGE, OTHER = "https://example.com/page", "https://example.com/other"
FIELDS = ("url", "lastmod", "changefreq", "sitemap_priority", "source", "reason", "title")


def rows(database: Database, table: Table) -> int:
    with database.reading() as connection:
        return connection.scalar(select(func.count()).select_from(table)) or 0


def as_of(database: Database, scan_id: int, url: str = PAGE) -> dict[str, Any]:
    of_scan = scan_by_id(database, scan_id)
    assert of_scan is not None
    for found in page_rows(database, of_scan, ALL_PAGES, FIELDS):
        for row in found:
            if row[0] == url:
                return dict(zip(FIELDS, row, strict=True))
    raise LookupError(url)


def list_with(database: Database, documents: dict[str, dict[str, Any]]) -> int:
    """A scan of sitemaps with one page each, which has these columns."""
    scanning = Scanning(database)
    scanning.name(documents)
    for url, columns in documents.items():
        scanning.fetched(scanning.list_pages(url, [PAGE], **columns), entries=1)
    scanning.finish()
    return scanning.handle.scan_id


def test_a_page_is_what_it_was_as_of_each_scan(database: Database) -> None:
    said = [
        {"lastmods": ["2026-01-01"], "changefreqs": ["daily"], "priorities": [0.5]},
        {"lastmods": ["2026-02-01"], "changefreqs": ["daily"], "priorities": [0.5]},
        {"lastmods": ["2026-02-01"], "changefreqs": [""], "priorities": [-1.0]},
        {"lastmods": [""], "changefreqs": ["weekly"], "priorities": [0.9]},
    ]
    scans = [list_with(database, {A: columns}) for columns in said]
    found = [as_of(database, each) for each in scans]
    assert [each["lastmod"] for each in found] == ["2026-01-01", "2026-02-01", "2026-02-01", None]
    assert [each["changefreq"] for each in found] == ["daily", "daily", None, "weekly"]
    assert [each["sitemap_priority"] for each in found] == [0.5, 0.5, None, 0.9]
    assert rows(database, page_versions) == 3


def test_what_does_not_change_is_not_written(database: Database) -> None:
    columns = {"lastmods": ["2026-01-01"], "priorities": [0.5]}
    for _ in range(3):
        list_with(database, {A: columns})
    scan(database, {A: UNCHANGED})
    assert rows(database, page_versions) == 0
    assert rows(database, page_absences) == 0


def test_an_entry_keeps_its_values_when_it_moves_to_another_sitemap(database: Database) -> None:
    columns = {"lastmods": ["2026-01-01"], "changefreqs": ["daily"], "priorities": [0.5]}
    first = list_with(database, {A: columns, B: {}})
    second = list_with(database, {B: columns})
    assert as_of(database, first) == as_of(database, second)
    assert rows(database, page_versions) == 1


@pytest.mark.parametrize("status", [ScanStatus.FINISHED, ScanStatus.FAILED])
def test_pages_that_went_and_returned_are_absent_in_between(
    database: Database, status: ScanStatus
) -> None:
    first = scan(database, {A: [PAGE, OTHER]})
    without = scan(database, {A: [OTHER]}, status)
    still = scan(database, {A: UNCHANGED})
    back = scan(database, {B: [PAGE], A: UNCHANGED})
    scan(database, {A: UNCHANGED, B: UNCHANGED})
    assert as_of(database, first)["url"] == PAGE
    assert as_of(database, back)["url"] == PAGE
    for each in (without, still):
        assert as_of(database, each, OTHER)
        with pytest.raises(LookupError):
            as_of(database, each)


def test_titles_reasons_and_addresses_are_those_of_the_time(database: Database) -> None:
    scans = []
    for title, reason in (("Old", ""), ("", "not_found"), ("New", "")):
        crawling = Crawling(database)
        crawling.list_in_sitemap("/page", "/other")
        crawling.start("/page")
        crawling.visit("/page", title=title, reason=reason)
        scans.append(crawling.end().id)
    crawling = Crawling(database)
    crawling.list_in_sitemap("http://example.com/page", "/other")
    last = crawling.end().id
    found = [as_of(database, each) for each in scans]
    assert [each["title"] for each in found] == ["Old", "Old", "New"]
    assert [each["reason"] for each in found] == [None, "not_found", None]
    assert as_of(database, last, "http://example.com/page")["title"] == "New"
