"""Orphans and unlisted pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sitecrawl.items import FetchOutcome
from sitecrawl.store.comparison import Orphan, UnlistedPage, orphans, unlisted_pages
from tests.store.crawling import ROOT, Crawling, Link, address

if TYPE_CHECKING:
    from sitecrawl.store.engine import Database
    from sitecrawl.store.facts import Scan

SITEMAP = f"{ROOT}sitemap.xml"


@pytest.fixture
def crawling(database: Database) -> Crawling:
    crawling = Crawling(database)
    crawling.start()
    return crawling


def orphan_paths(database: Database, scan: Scan) -> list[str]:
    return [page.url.removeprefix(ROOT) for page in orphans(database, scan)]


def unlisted_paths(database: Database, scan: Scan) -> list[str]:
    return [page.url.removeprefix(ROOT) for page in unlisted_pages(database, scan)]


def test_an_orphan_is_in_a_sitemap_and_not_linked(database: Database, crawling: Crawling) -> None:
    crawling.visit("/", "/linked")
    crawling.list_in_sitemap("/", "/linked", "/alone")
    found = list(orphans(database, crawling.end()))
    assert found == [Orphan(address("/alone"), None, None, SITEMAP)]


def test_an_unlisted_page_is_linked_and_in_no_sitemap(
    database: Database, crawling: Crawling
) -> None:
    crawling.visit("/", Link("/new", "News"), "/listed")
    crawling.visit("/new", title="What is new")
    crawling.list_in_sitemap("/", "/listed")
    found = list(unlisted_pages(database, crawling.end()))
    assert found == [UnlistedPage(address("/new"), "What is new", 1, 200, ROOT, "News")]


@pytest.mark.parametrize("source", ["canonical", "hreflang", "amphtml", "json-ld", "opengraph"])
def test_what_is_told_to_machines_is_no_link(
    database: Database, crawling: Crawling, source: str
) -> None:
    crawling.visit("/", Link("/a", source=source), Link("/b", source=source))
    crawling.list_in_sitemap("/", "/a")
    scan = crawling.end()
    assert orphan_paths(database, scan) == ["a"]
    assert unlisted_paths(database, scan) == []


@pytest.mark.parametrize("source", ["link", "area", "onclick", "data-attribute", "redirect"])
def test_what_a_visitor_can_follow_is_a_link(
    database: Database, crawling: Crawling, source: str
) -> None:
    crawling.visit("/", Link("/a", source=source), Link("/b", source=source))
    crawling.list_in_sitemap("/", "/a")
    scan = crawling.end()
    assert orphan_paths(database, scan) == []
    assert unlisted_paths(database, scan) == ["b"]


def test_a_page_that_links_only_to_itself_is_an_orphan(
    database: Database, crawling: Crawling
) -> None:
    crawling.visit("/", Link("/a", source="hreflang"))
    crawling.visit("/a", Link("/a", "Top"), Link("/b", source="hreflang"))
    crawling.visit("/b", "/b")
    crawling.list_in_sitemap("/", "/a")
    scan = crawling.end()
    assert orphan_paths(database, scan) == ["a"]
    assert unlisted_paths(database, scan) == []


def test_where_the_crawl_started_is_no_orphan(database: Database, crawling: Crawling) -> None:
    crawling.visit("/")
    crawling.list_in_sitemap("/")
    assert orphan_paths(database, crawling.end()) == []


def test_the_first_mention_need_not_be_the_one_that_counts(
    database: Database, crawling: Crawling
) -> None:
    crawling.list_in_sitemap("/a", "/b")
    crawling.visit("/", Link("/c", source="hreflang"), "/a")
    crawling.visit("/c", Link("/c", source="canonical"))
    crawling.visit("/a", "/c", Link("/d", source="hreflang"))
    crawling.list_in_sitemap("/d", sitemap=f"{ROOT}late.xml")
    scan = crawling.end()
    assert [(page.url, page.sitemap) for page in orphans(database, scan)] == [
        (address("/b"), SITEMAP),
        (address("/d"), f"{ROOT}late.xml"),
    ]
    unlisted = {page.url: page.linked_by for page in unlisted_pages(database, scan)}
    assert unlisted == {address("/c"): address("/a")}


def test_refused_and_external_pages_are_in_neither(database: Database, crawling: Crawling) -> None:
    crawling.visit("/", "/gone", "https://partner.example/", Link("/x", refused=("offsite", "")))
    crawling.visit("/gone", status=404, outcome=FetchOutcome.NOT_FOUND, reason="not_found")
    crawling.visit("https://partner.example/")
    crawling.list_in_sitemap("/")
    scan = crawling.end()
    assert unlisted_paths(database, scan) == []
    assert orphan_paths(database, scan) == []


def test_only_what_still_holds_counts(database: Database, crawling: Crawling) -> None:
    crawling.visit("/", "/a", "/b")
    crawling.list_in_sitemap("/", "/a", "/b", "/c")
    crawling.end()
    second = Crawling(database)
    second.start()
    second.visit("/", "/b", "/c")
    second.list_in_sitemap("/", "/a", "/b")
    scan = second.end()
    assert orphan_paths(database, scan) == ["a"]
    assert unlisted_paths(database, scan) == ["c"]


def test_a_page_that_was_fetched_twice_is_one(database: Database, crawling: Crawling) -> None:
    crawling.visit("/", "/a")
    document_id = crawling.visit("/a")
    crawling.fetched(document_id, FetchOutcome.OK, status=200)
    assert unlisted_paths(database, crawling.end()) == ["a"]
