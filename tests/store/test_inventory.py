"""Export, filters, counts, further sources, and why a page is known."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

import pytest

from sitecrawl.store.facts import PageCount
from sitecrawl.store.inventory import (
    CHUNK_ROWS,
    PageFilter,
    count_pages,
    export_rows,
    page_references,
)
from sitecrawl.store.records import VerdictRecord
from sitecrawl.store.vocabulary import ScanStatus
from tests.store.scanning import (
    FAILED,
    UNCHANGED,
    Scanning,
    current_scan,
    explained,
    exported,
    inventory,
    page_id,
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
    scanning.fetched(scanning.list_pages(A, [SHOP, PDF], depths=[2, 1], refused=refused))
    scanning.fetched(scanning.list_pages(B, [BLOG, SHOP], source="feed", depths=[1]))
    scanning.finish()
    return database


@pytest.mark.parametrize(
    ("wanted", "urls"),
    [
        ({}, [SHOP, BLOG]),
        ({"include_refused": True}, [SHOP, PDF, BLOG]),
        ({"source": "feed"}, [BLOG]),
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


def test_further_sources_are_those_of_another_kind(three_pages: Database) -> None:
    references = page_references(three_pages, current_scan(three_pages))
    assert references.further_sources == {page_id(SHOP): ["feed"]}


def test_documents_are_known_by_their_ids(three_pages: Database) -> None:
    urls = page_references(three_pages, current_scan(three_pages)).documents
    assert [urls[row["document_id"]] for row in exported(three_pages)] == [A, A, B]


def test_a_page_was_discovered_in_its_first_scan(three_pages: Database) -> None:
    first = current_scan(three_pages)
    scan(three_pages, {A: [SHOP], B: UNCHANGED})
    assert exported(three_pages)[0]["first_scan_id"] == first.id
    assert explained(three_pages, SHOP).first_seen_at == first.started_at
    started = page_references(three_pages, current_scan(three_pages)).scans[first.id]
    assert datetime.fromisoformat(started) == first.started_at.replace(microsecond=0)


def test_a_verdict_is_stored_once_and_told(database: Database) -> None:
    closed: dict[str, Any] = {
        "allowed": False,
        "reason": "rule",
        "rule": "Disallow: /shop",
        "line": 3,
    }
    ids = []
    for _ in range(2):
        scanning = Scanning(database)
        robots = scanning.document("https://example.com/robots.txt", kind="robots_txt")
        ids.append(scanning.writer.verdict(VerdictRecord(robots, **closed)))
        open_id = scanning.writer.verdict(VerdictRecord(robots, allowed=True, reason="no_rule"))
        scanning.fetched(scanning.list_pages(A, [SHOP, BLOG], verdict_ids=[ids[-1], open_id]))
        scanning.fetched(scanning.list_pages(B, [PDF], verdict_id=open_id))
        scanning.finish()
    assert ids[0] == ids[1]
    verdict = explained(database, SHOP).verdict
    assert verdict is not None
    told = (verdict.allowed, verdict.rule, verdict.line, verdict.robots_url)
    assert told == (False, "Disallow: /shop", 3, "https://example.com/robots.txt")
    judged = page_references(database, current_scan(database)).verdicts
    pages = {row["url"]: judged[row["verdict_id"]] for row in exported(database)}
    assert pages == {SHOP: (False, "Disallow: /shop"), BLOG: (True, None), PDF: (True, None)}


def test_rows_come_in_chunks(database: Database) -> None:
    urls = [f"https://example.com/{number}" for number in range(CHUNK_ROWS + 5)]
    scan(database, {A: urls})
    chunks = list(export_rows(database, current_scan(database)))
    assert [len(chunk) for chunk in chunks] == [CHUNK_ROWS, 5]
    assert {type(row) for chunk in chunks for row in chunk} == {tuple}
    assert [row[1] for chunk in chunks for row in chunk] == urls


def test_an_interrupted_scan_hides_nothing(database: Database) -> None:
    scan(database, {A: [SHOP, BLOG], B: [PDF]})
    scanning = Scanning(database)
    scanning.fetched(scanning.list_pages(A, ["https://example.com/new", BLOG]))
    scanning.writer.commit()
    scanning.writer.close()
    assert inventory(database) == [SHOP, BLOG, PDF, "https://example.com/new"]


def test_pages_of_a_document_that_was_being_read_are_there(database: Database) -> None:
    scanning = Scanning(database)
    scanning.list_pages(A, [SHOP])
    scanning.writer.commit()
    scanning.writer.close()
    assert current_scan(database).status == ScanStatus.RUNNING
    assert inventory(database) == [SHOP]


class TestWhy:
    def test_every_mention_is_told(self, three_pages: Database) -> None:
        answer = explained(three_pages, SHOP)
        told = [(each.document_url, each.position, each.source) for each in answer.mentions]
        assert told == [(A, 1, "sitemap"), (B, 2, "feed")]
        assert {each.found_by for each in answer.mentions} == {"robots.txt line 1"}
        assert [each.fetched_at.year for each in answer.mentions if each.fetched_at] == [2026] * 2

    def test_a_refused_page_has_its_rule(self, three_pages: Database) -> None:
        page = explained(three_pages, PDF).page
        assert page is not None
        assert (page.reason, page.rule) == ("skipped_file_type", "*.pdf")

    def test_an_unknown_page_may_lie_in_what_was_not_read(self, three_pages: Database) -> None:
        scan(three_pages, {A: FAILED, B: UNCHANGED})
        answer = explained(three_pages, "https://example.com/nowhere")
        assert (answer.page, answer.mentions, answer.last_seen_scan_id) == (None, [], None)
        assert [fetch.url for fetch in answer.doubtful] == [A]
        assert answer.scan == current_scan(three_pages)
