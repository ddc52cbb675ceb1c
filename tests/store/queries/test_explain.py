"""Why a page is known, or may be missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sitecrawl.store.queries.explain import MAX_MENTIONS, why
from tests.store.crawling import ROOT, Crawling, Link, address
from tests.store.scanning import FAILED, UNCHANGED, Scanning, current_scan, explained, scan

if TYPE_CHECKING:
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.explain import Why

A, B = "https://example.com/a.xml", "https://example.com/b.xml"
SHOP, BLOG, PDF = (f"https://example.com/{each}" for each in ("shop", "blog", "x.pdf"))


@pytest.fixture
def three_pages(database: Database) -> Database:
    scanning = Scanning(database)
    refused = {1: ("skipped_file_type", "*.pdf")}
    scanning.fetched(scanning.list_pages(A, [SHOP, PDF], refused=refused))
    scanning.fetched(scanning.list_pages(B, [BLOG, SHOP], source="feed"))
    scanning.finish()
    return database


def asked(database: Database, crawling: Crawling, path: str) -> Why:
    return why(database, crawling.handle.site_id, crawling.page_id(address(path)))


def test_every_mention_is_told(three_pages: Database) -> None:
    answer = explained(three_pages, SHOP)
    told = [(each.document_url, each.position, each.source) for each in answer.mentions]
    assert told == [(A, 1, "sitemap"), (B, 2, "feed")]
    assert {each.found_by for each in answer.mentions} == {"robots.txt line 1"}
    assert [each.fetched_at.year for each in answer.mentions if each.fetched_at] == [2026] * 2
    assert answer.mentions_left_out == 0


def test_a_refused_page_has_its_rule(three_pages: Database) -> None:
    page = explained(three_pages, PDF).page
    assert page is not None
    assert (page.reason, page.rule) == ("skipped_file_type", "*.pdf")


def test_an_unknown_page_may_lie_in_what_was_not_read(three_pages: Database) -> None:
    scan(three_pages, {A: FAILED, B: UNCHANGED})
    answer = explained(three_pages, "https://example.com/nowhere")
    assert (answer.page, answer.mentions, answer.last_seen_scan_id) == (None, (), None)
    assert [fetch.url for fetch in answer.doubtful] == [A]
    assert answer.scan == current_scan(three_pages)


def test_of_many_mentions_the_first_are_told_and_all_are_counted(database: Database) -> None:
    crawling = Crawling(database)
    crawling.start()
    paths = [f"/{number}" for number in range(MAX_MENTIONS + 4)]
    crawling.visit("/", *paths)
    for path in paths:
        crawling.visit(path, Link("/", "Home", "navigation"))
    crawling.list_in_sitemap("/")
    crawling.end()
    answer = asked(database, crawling, "/")
    assert len(answer.mentions) == MAX_MENTIONS
    # The start itself is one more.
    assert answer.mentions_left_out == len(paths) + 2 - MAX_MENTIONS
    counted = {(each.source, each.region): each.mentions for each in answer.mention_counts}
    assert counted == {("link", "navigation"): len(paths), ("start", None): 1, ("sitemap", None): 1}
    assert [each.source for each in answer.mentions[:3]] == ["sitemap", "start", "link"]
    every = why(database, crawling.handle.site_id, crawling.page_id(ROOT), None)
    assert every.mentions_left_out == 0
    assert len(every.mentions) == len(paths) + 2


def test_a_link_is_told_with_all_it_has(database: Database) -> None:
    crawling = Crawling(database)
    crawling.start()
    crawling.visit("/", Link("/a", "Read on", "aside", "onclick", "nofollow", "aside > b"))
    crawling.end()
    [mention] = asked(database, crawling, "/a").mentions
    told = (mention.anchor, mention.region, mention.source, mention.rel, mention.path)
    assert told == ("Read on", "aside", "onclick", "nofollow", "aside > b")
    assert (mention.document_url, mention.document_kind) == (ROOT, "page")


def test_the_answer_of_a_later_scan_knows_the_visit_of_an_earlier_one(database: Database) -> None:
    crawling = Crawling(database)
    crawling.start()
    crawling.visit("/", "/a")
    crawling.visit("/a", title="A")
    first = crawling.end()
    scan(database, {A: [address("/other")]})
    answer = asked(database, crawling, "/a")
    assert answer.visit is not None
    assert (answer.visit.scan_id, answer.visit.title) == (first.id, "A")
    assert [step.url for step in answer.click_path] == [ROOT, address("/a")]


def test_each_mention_tells_when_it_was_seen_last(three_pages: Database) -> None:
    for _ in range(2):
        scan(three_pages, {A: UNCHANGED, B: [BLOG]})
    told = {each.document_url: each for each in explained(three_pages, SHOP).mentions}
    assert (told[A].last_seen_scan_id, told[A].dropped_scan_id) == (3, None)
    assert (told[B].last_seen_scan_id, told[B].dropped_scan_id) == (1, 2)
    assert told[A].last_seen_at is not None
    assert told[B].last_seen_at is not None
