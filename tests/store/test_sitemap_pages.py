"""What the store says of pages that a sitemap lists, or should."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from sitecrawl.items import DocumentKind, FetchOutcome
from sitecrawl.store.records import PageRows, Repeats, VerdictRecord
from sitecrawl.store.sitemap_pages import SitemapPage, listed_pages, pages_and_entries
from sitecrawl.store.vocabulary import ScanStatus
from tests.store.crawling import ROOT, Crawling, Link, address
from tests.store.scanning import current_scan

if TYPE_CHECKING:
    from sitecrawl.store.engine import Database

SITEMAP = f"{ROOT}sitemap.xml"


@pytest.fixture
def crawling(database: Database) -> Crawling:
    crawling = Crawling(database)
    crawling.start()
    return crawling


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


def test_a_page_whose_first_mention_could_not_be_read_again(
    database: Database, crawling: Crawling
) -> None:
    crawling.visit("/", "/x")
    crawling.list_in_sitemap("/a", sitemap=f"{ROOT}first.xml")
    crawling.list_in_sitemap("/a")
    crawling.end()
    second = Crawling(database)
    second.fetched(second.document(f"{ROOT}first.xml"), FetchOutcome.HTTP_ERROR)
    second.list_in_sitemap("/a")
    second.end(ScanStatus.PARTIAL)
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
