"""Lists of an inventory as services give them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from sitecrawl.errors import InvalidInputError
from sitecrawl.services import inventory_lists
from sitecrawl.services.database import AskedScan
from sitecrawl.services.inventory_lists import (
    count_pages,
    list_pages,
    page_facets,
    refresh_page_index,
    wants_index,
)
from sitecrawl.services.permissions import Permission, permission_of
from sitecrawl.store.engine import open_database
from sitecrawl.store.queries.page_filter import PageFilter, PageOrder, PageSort
from sitecrawl.store.queries.scans import scan_by_id, site_for
from tests.store.scanning import current_scan, scan

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sitecrawl.store.engine import Database

SITEMAP = "https://example.com/sitemap.xml"
URLS = [f"https://example.com/blog/{number:02}" for number in range(25)]
BY_URL = PageOrder(PageSort.URL, descending=True)


def newest(database: Database) -> AskedScan:
    site = site_for(database, "example.com")
    assert site is not None
    return AskedScan(database, site, current_scan(database))


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with open_database(f"sqlite:///{tmp_path}/s.db") as opened:
        scan(opened, {SITEMAP: URLS})
        yield opened


@pytest.mark.parametrize("is_indexed", [False, True])
def test_a_list_is_walked_by_cursors(database: Database, is_indexed: bool) -> None:
    asked = newest(database)
    if is_indexed:
        assert refresh_page_index(asked)
        assert not refresh_page_index(asked)
    found: list[str] = []
    sizes: list[int] = []
    cursor: str | None = None
    while not sizes or cursor is not None:
        part = list_pages(asked, PageFilter(), BY_URL, cursor, limit=10)
        found += [each.page.url for each in part.pages]
        sizes.append(len(part.pages))
        cursor = part.next_cursor
    assert found == URLS[::-1]
    assert sizes == [10, 10, 5]


def test_a_list_may_be_empty(database: Database) -> None:
    none = list_pages(newest(database), PageFilter(search="nothing has this"), BY_URL)
    assert (none.pages, none.next_cursor) == ([], None)


def test_counts(database: Database) -> None:
    asked = newest(database)
    assert str(count_pages(asked, PageFilter())) == "25"
    assert page_facets(asked, PageFilter(contains="/blog/1")).pages == 10


@pytest.mark.parametrize(("asked", "field"), [({"limit": 0}, "limit"), ({"cursor": "x"}, "cursor")])
def test_what_cannot_be_asked_is_named(
    database: Database, asked: dict[str, Any], field: str
) -> None:
    with pytest.raises(InvalidInputError) as refused:
        list_pages(newest(database), PageFilter(), BY_URL, **asked)
    assert refused.value.field == field


def test_only_the_newest_scan_is_indexed(database: Database) -> None:
    before = newest(database)
    scan(database, {SITEMAP: URLS[:5]})
    older = scan_by_id(database, before.scan.id)
    assert older is not None
    with pytest.raises(InvalidInputError, match="newest"):
        refresh_page_index(replace(before, scan=older))
    assert refresh_page_index(newest(database))
    assert permission_of(refresh_page_index) is Permission.SCAN


def test_a_large_site_without_an_index_wants_one(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = newest(database)
    assert not wants_index(asked)
    monkeypatch.setattr(inventory_lists, "INDEX_FROM", 0)
    assert wants_index(asked)
    refresh_page_index(asked)
    assert not wants_index(asked)
