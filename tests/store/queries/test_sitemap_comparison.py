"""Orphans and unlisted pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from sitecrawl.items import DocumentKind, FetchOutcome
from sitecrawl.store.queries.sitemap_comparison import (
    Orphan,
    SitemapPage,
    UnlistedPage,
    listed_pages,
    orphans,
    pages_and_entries,
    unlisted_pages,
)
from sitecrawl.store.writers.records import PageRows, Repeats, VerdictRecord
from tests.store.crawling import ROOT, Crawling, Link, address
from tests.store.scanning import current_scan

if TYPE_CHECKING:
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.scans import Scan

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


def by_path(pages: Any) -> dict[str, SitemapPage]:
    return {page.url.removeprefix(ROOT): page for page in pages}


def test_a_page_is_listed_by_its_first_mention_or_a_further_one(
    database: Database, crawling: Crawling
) -> None:
    crawling.visit("/", "/linked", "/both")
    crawling.list_in_sitemap("/both", "/mapped", "/both")
    crawling.list_in_sitemap("/mapped", sitemap=f"{ROOT}second.xml")
    pages = by_path(listed_pages(database, crawling.end()))
    facts = {path: (page.is_listed, page.entries, page.document) for path, page in pages.items()}
    assert facts == {
        "": (False, 0, ROOT),
        "linked": (False, 0, ROOT),
        "both": (True, 2, SITEMAP),
        "mapped": (True, 2, SITEMAP),
    }
    assert [path for path, page in pages.items() if page.is_visited] == [""]
    assert list(pages) == ["", "linked", "both", "mapped"], "in the order of being seen"


def test_the_date_is_that_of_the_sitemap_if_the_first_mention_has_none(
    database: Database, crawling: Crawling
) -> None:
    crawling.visit("/", "/a")
    document = crawling.document(SITEMAP)
    crawling.writer.add_pages(
        PageRows(
            document,
            "sitemap",
            repeats=Repeats([crawling.page_id(address("/a"))], [1], lastmods=["2026-01-02"]),
        )
    )
    crawling.fetched(document)
    assert by_path(listed_pages(database, crawling.end()))["a"].lastmod == "2026-01-02"


def test_refused_pages_are_there_only_as_entries(database: Database, crawling: Crawling) -> None:
    refused = [
        Link("/cart", refused=("skipped_path", "/cart")),
        Link("/login", refused=("skipped_path", "/login")),
    ]
    crawling.visit("/", *refused)
    crawling.list_in_sitemap("/login")
    scan = crawling.end()
    assert list(by_path(listed_pages(database, scan))) == [""]
    pages = by_path(pages_and_entries(database, scan))
    assert list(pages) == ["", "login"]
    assert (pages["login"].reason, pages["login"].rule) == ("skipped_path", "/login")


@pytest.mark.parametrize(
    ("verdict", "blocked_by"),
    [
        (VerdictRecord(None, False, "rule", "Disallow: /a"), "Disallow: /a"),
        (VerdictRecord(None, True, "rule", "Allow: /a"), None),
        (VerdictRecord(None, False, "unreachable"), None),
    ],
    ids=["disallowed", "allowed", "unreachable"],
)
def test_only_a_rule_blocks(
    database: Database, crawling: Crawling, verdict: VerdictRecord, blocked_by: str | None
) -> None:
    crawling.visit("/")
    number = crawling.writer.verdict(verdict)
    crawling.fetched(crawling.list_pages(SITEMAP, [address("/a")], verdict_id=number))
    assert by_path(listed_pages(database, crawling.end()))["a"].blocked_by == blocked_by


def test_what_a_sitemap_has_dropped_is_not_listed_by_it(
    database: Database, crawling: Crawling
) -> None:
    crawling.visit("/", "/a")
    crawling.list_in_sitemap("/a", "/b")
    crawling.end()
    second = Crawling(database)
    second.start()
    second.visit("/", "/a")
    second.list_in_sitemap("/c")
    pages = by_path(pages_and_entries(database, second.end()))
    assert {path: page.is_listed for path, page in pages.items()} == {
        "": False,
        "a": False,
        "c": True,
    }


def test_a_page_whose_first_mention_an_interrupted_scan_has_found_gone(
    database: Database, crawling: Crawling
) -> None:
    crawling.visit("/", "/x")
    crawling.list_in_sitemap("/a", sitemap=f"{ROOT}first.xml")
    crawling.list_in_sitemap("/a")
    crawling.end()
    second = Crawling(database)
    second.fetched(second.document(f"{ROOT}first.xml"))
    second.writer.commit()
    second.writer.close()
    pages = by_path(listed_pages(database, current_scan(database)))
    assert (pages["a"].is_listed, pages["a"].document) == (True, SITEMAP)


def test_other_sites_and_other_documents_do_not_count(
    database: Database, crawling: Crawling
) -> None:
    crawling.visit("/", "/a")
    feed = crawling.document(f"{ROOT}page-feed", kind=DocumentKind.PAGE, found_by="a link")
    crawling.fetched(feed)
    scan = crawling.end()
    other = Crawling(database, site="other.example")
    other.list_in_sitemap("https://other.example/z")
    other.end()
    pages = by_path(pages_and_entries(database, scan))
    assert {path: page.is_listed for path, page in pages.items()} == {"": False, "a": False}
