from __future__ import annotations

from typing import TYPE_CHECKING

from sitecrawl.items import FetchOutcome
from sitecrawl.store.sitemap_visits import VisitedAs, visited_pages
from tests.store.crawling import ROOT, Crawling, address

if TYPE_CHECKING:
    from sitecrawl.store.engine import Database


def test_visits_are_read_in_their_order_with_how_the_pages_answered(database: Database) -> None:
    crawling = Crawling(database)
    crawling.start()
    crawling.visit("/", "/a", "/slow", "/later")
    fetch = {"directives": ["noindex", "nofollow"], "final_url": address("/a/"), "format": "html"}
    crawling.visit("/a", canonical="/b", fetch=fetch)
    crawling.visit("/slow", outcome=FetchOutcome.TIMEOUT, fetch={"status": None})
    root, first, slow = visited_pages(database, crawling.end())
    assert root.url == ROOT
    assert first == VisitedAs(
        page_id=crawling.page_id(address("/a")),
        url=address("/a"),
        reason=None,
        rule=None,
        canonical="/b",
        outcome="ok",
        status=200,
        final_url=address("/a/"),
        content_type="text/html",
        format="html",
        directives=["noindex", "nofollow"],
    )
    assert (slow.outcome, slow.status, slow.directives) == ("timeout", None, [])


def test_only_visits_of_the_scan_count(database: Database) -> None:
    for paths in (["/a"], []):
        crawling = Crawling(database)
        crawling.start()
        crawling.visit("/", *paths)
        for path in paths:
            crawling.visit(path)
        scan = crawling.end()
    assert [visit.url for visit in visited_pages(database, scan)] == [ROOT]
