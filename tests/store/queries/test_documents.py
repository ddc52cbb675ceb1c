"""The read side: documents, bodies, and what is doubtful."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitecrawl.items import DocumentKind, FetchOutcome
from sitecrawl.store.queries.documents import (
    document_fetches,
    document_urls,
    documents,
    doubtful_fetches,
    fetches,
    new_pages_by_request,
    number_of_scans,
    unread_sitemaps,
)
from tests.store.crawling import ROOT, Crawling
from tests.store.scanning import Scanning

if TYPE_CHECKING:
    from sitecrawl.store.engine import Database

A = "https://example.com/a.xml"


class TestDocuments:
    def test_fetches_tell_what_happened(self, database: Database) -> None:
        scanning = Scanning(database)
        document_id = scanning.document(A, found_by="common place", depth=1)
        scanning.fetched(
            document_id,
            status=200,
            content_type="text/xml",
            received_bytes=10,
            elapsed_ms=12,
            redirects=["https://example.com/x"],
            findings=[{"kind": "truncated", "count": 1}],
            format="urlset",
            entries=3,
            sha256="ab",
        )
        scanning.finish()
        (fetch,) = fetches(database, scanning.handle.scan_id)
        assert (fetch.url, fetch.outcome, fetch.status, fetch.format) == (A, "ok", 200, "urlset")
        assert (fetch.redirects, fetch.error) == (["https://example.com/x"], None)
        assert fetch.findings == [{"kind": "truncated", "count": 1}]
        assert fetch.fetched_at.isoformat() == "2026-05-06T07:08:09+00:00"
        (document,) = documents(database, scanning.handle.scan_id)
        assert (document.found_by, document.depth, document.entries) == ("common place", 1, 3)

    def test_what_was_not_read_to_the_end_is_doubtful(self, database: Database) -> None:
        scanning = Scanning(database)
        for number, (outcome, facts) in enumerate(
            [
                (FetchOutcome.OK, {}),
                (FetchOutcome.NOT_FOUND, {}),
                (FetchOutcome.NOT_MODIFIED, {}),
                (FetchOutcome.OK, {"truncated": True, "complete": False}),
                (FetchOutcome.OK, {"complete": False}),
                (FetchOutcome.TIMEOUT, {}),
            ]
        ):
            scanning.fetched(scanning.document(f"{A}?{number}"), outcome, **facts)
        scanning.finish()
        doubtful = doubtful_fetches(database, scanning.handle.scan_id)
        assert [fetch.url[-1] for fetch in doubtful] == ["3", "4", "5"]

    def test_redirects_and_made_up_addresses_hide_nothing(self, database: Database) -> None:
        scanning = Scanning(database)
        redirect = scanning.document("https://example.com/old", kind="page")
        scanning.fetched(redirect, FetchOutcome.REDIRECTED)
        made_up = scanning.document("https://example.com/no-such-page", kind="probe")
        scanning.fetched(made_up, FetchOutcome.OK, complete=False)
        scanning.finish()
        assert doubtful_fetches(database, scanning.handle.scan_id) == []


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
