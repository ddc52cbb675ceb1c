"""What a scan did, for a report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitecrawl.items import DocumentKind, FetchOutcome
from sitecrawl.store.report_history import (
    document_fetches,
    document_urls,
    new_pages_by_request,
    number_of_scans,
    unread_sitemaps,
)
from tests.store.crawling import ROOT, Crawling

if TYPE_CHECKING:
    from sitecrawl.store.engine import Database


def test_documents_come_in_the_order_of_fetches(database: Database) -> None:
    crawling = Crawling(database)
    crawling.start()
    index = crawling.document(f"{ROOT}index.xml")
    crawling.fetched(index, format="index", entries=0)
    child = crawling.document(f"{ROOT}child.xml", parent_id=index, found_by="another sitemap")
    finding = {"kind": "bad_loc", "detail": "x", "count": 2}
    crawling.fetched(child, format="urlset", entries=5, listed=4, findings=[finding])
    crawling.fetched(crawling.document(f"{ROOT}guess.xml"), FetchOutcome.NOT_FOUND, status=404)
    crawling.visit("/")
    fetches = document_fetches(database, crawling.end(), DocumentKind.SITEMAP)
    assert [(each.url.removeprefix(ROOT), each.is_named) for each in fetches] == [
        ("index.xml", False),
        ("child.xml", True),
        ("guess.xml", False),
    ]
    assert (fetches[1].entries, fetches[1].listed, fetches[1].findings) == (5, 4, [finding])
    assert (fetches[2].outcome, fetches[2].status) == ("not_found", 404)


def test_new_pages_by_request(database: Database) -> None:
    first = Crawling(database)
    first.start()
    first.fetched(first.list_pages(f"{ROOT}a.xml", [f"{ROOT}1", f"{ROOT}2"]), listed=2)
    first.visit("/", "/3", fetch={"listed": 1})
    assert new_pages_by_request(database, first.end()) == [2, 1]
    # What could not be read this time brought nothing, whatever it brought before.
    again = Crawling(database)
    again.fetched(again.document(f"{ROOT}a.xml"), FetchOutcome.HTTP_ERROR)
    assert new_pages_by_request(database, again.end()) == [0]


def test_sitemaps_that_could_not_be_read(database: Database) -> None:
    crawling = Crawling(database)
    for name, outcome, facts in (
        ("good", FetchOutcome.OK, {}),
        ("cut", FetchOutcome.OK, {"truncated": True, "complete": False}),
        ("none", FetchOutcome.NOT_FOUND, {}),
        ("slow", FetchOutcome.TIMEOUT, {}),
    ):
        crawling.fetched(crawling.document(f"{ROOT}{name}.xml"), outcome, **facts)
    assert unread_sitemaps(database, crawling.end()) == 2


def test_numbers_and_addresses(database: Database) -> None:
    crawling = Crawling(database)
    number = crawling.document(f"{ROOT}a.xml")
    scan = crawling.end()
    assert number_of_scans(database, scan.site_id) == 1
    with database.reading() as connection:
        assert document_urls(connection, [number]) == {number: f"{ROOT}a.xml"}
        assert document_urls(connection, []) == {}
