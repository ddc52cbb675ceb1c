"""What visits have shown, and how pages are reached."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sitecrawl.items import FetchOutcome
from sitecrawl.store.queries.visits import (
    ClickStep,
    VisitAnswer,
    click_path,
    clicks_and_status,
    external_pages,
    last_visit,
    pages_by_clicks,
    visit_answers,
)
from tests.store.crawling import ROOT, Crawling, Link, address

if TYPE_CHECKING:
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.visits import VisitFact


@pytest.fixture
def crawling(database: Database) -> Crawling:
    crawling = Crawling(database)
    crawling.start()
    return crawling


def path_to(database: Database, crawling: Crawling, path: str) -> list[ClickStep]:
    url = address(path)
    with database.reading() as connection:
        return click_path(connection, crawling.handle.scan_id, crawling.page_id(url), url)


def visit_of(database: Database, crawling: Crawling, path: str) -> VisitFact | None:
    with database.reading() as connection:
        return last_visit(connection, crawling.page_id(address(path)))


class TestClickPath:
    def test_where_the_crawl_started_there_is_no_way_to_go(
        self, database: Database, crawling: Crawling
    ) -> None:
        crawling.visit("/", Link("/", "Home"))
        crawling.end()
        assert path_to(database, crawling, "/") == [ClickStep(ROOT)]

    def test_each_step_has_the_first_link_of_the_page_before(
        self, database: Database, crawling: Crawling
    ) -> None:
        crawling.visit("/", "/other", Link("/a", "A", "navigation"), Link("/a", "Again", "footer"))
        crawling.visit("/other", Link("/a", "Elsewhere"))
        crawling.visit("/a", Link("/b", "B", "aside", "area"))
        crawling.end()
        assert path_to(database, crawling, "/b") == [
            ClickStep(ROOT),
            ClickStep(address("/a"), "link", "navigation", "A"),
            ClickStep(address("/b"), "area", "aside", "B"),
        ]

    def test_a_redirect_is_a_step(self, database: Database, crawling: Crawling) -> None:
        crawling.visit("/", "/old")
        crawling.redirect("/old", "/new")
        crawling.visit("/new")
        crawling.end()
        steps = path_to(database, crawling, "/new")
        assert [(step.url, step.source) for step in steps] == [
            (ROOT, None),
            (address("/old"), "link"),
            (address("/new"), "redirect"),
        ]

    def test_a_page_that_is_held_has_one(self, database: Database, crawling: Crawling) -> None:
        crawling.visit("/", Link("/1", "One", held_under="/{n}"))
        crawling.end()
        assert [step.anchor for step in path_to(database, crawling, "/1")] == [None, "One"]

    def test_a_page_that_is_not_to_be_visited_is_reached_by_the_first_who_links_it(
        self, database: Database, crawling: Crawling
    ) -> None:
        cart = Link("/cart", "Cart", refused=("skipped_path", "/cart"))
        crawling.visit("/", "/a", "/b")
        crawling.visit("/a", "/c")
        crawling.visit("/b", cart)
        crawling.visit("/c", cart)
        crawling.end()
        steps = path_to(database, crawling, "/cart")
        assert [step.url for step in steps] == [ROOT, address("/b"), address("/cart")]

    def test_a_page_that_only_a_sitemap_lists_has_none(
        self, database: Database, crawling: Crawling
    ) -> None:
        crawling.visit("/")
        crawling.list_in_sitemap("/alone")
        crawling.end()
        assert path_to(database, crawling, "/alone") == []

    def test_another_start_is_a_start(self, database: Database, crawling: Crawling) -> None:
        crawling.start("/docs/")
        crawling.visit("/")
        crawling.visit("/docs/", "/docs/a")
        crawling.end()
        steps = path_to(database, crawling, "/docs/a")
        assert [step.url for step in steps] == [address("/docs/"), address("/docs/a")]


class TestLastVisit:
    def test_a_page_that_no_crawl_knows_has_none(
        self, database: Database, crawling: Crawling
    ) -> None:
        crawling.visit("/")
        crawling.list_in_sitemap("/alone")
        crawling.end()
        assert visit_of(database, crawling, "/alone") is None

    def test_it_says_how_the_page_answered(self, database: Database, crawling: Crawling) -> None:
        fetch = {"error": "HTTP 503", "final_url": ROOT + "x", "redirects": [ROOT]}
        failed = {"outcome": FetchOutcome.HTTP_ERROR, "fetch": {**fetch, "directives": ["noindex"]}}
        crawling.visit("/", status=503, title="T", canonical="/c", **failed)
        crawling.end()
        visit = visit_of(database, crawling, "/")
        assert visit is not None
        assert (visit.outcome, visit.status, visit.error) == ("http_error", 503, "HTTP 503")
        assert (visit.content_type, visit.final_url) == ("text/html", ROOT + "x")
        assert (visit.redirects, visit.directives) == ([ROOT], ["noindex"])
        assert (visit.title, visit.canonical, visit.clicks) == ("T", address("/c"), 0)
        assert visit.fetched_at is not None

    def test_one_that_was_not_made_says_so(self, database: Database, crawling: Crawling) -> None:
        crawling.visit("/", "/a", Link("/1", held_under="/{n}"))
        crawling.end()
        waiting, held = (visit_of(database, crawling, path) for path in ("/a", "/1"))
        assert waiting is not None
        assert held is not None
        assert (waiting.outcome, waiting.number, waiting.redirects) == (None, 2, [])
        assert (held.outcome, held.number, held.family) == (None, None, "/{n}")

    def test_duplicates_and_redirects_are_told(
        self, database: Database, crawling: Crawling
    ) -> None:
        crawling.visit("/", "/old", text_hash="1")
        crawling.redirect("/old", "/older")
        crawling.redirect("/older", "/new")
        crawling.visit("/new", text_hash="1")
        crawling.end()
        visit = visit_of(database, crawling, "/new")
        assert visit is not None
        assert visit.duplicate_of == ROOT
        assert visit.redirected_from == [address("/old"), address("/older")]

    def test_the_newest_crawl_counts(self, database: Database) -> None:
        for title in ("first", "second"):
            crawling = Crawling(database)
            crawling.start()
            crawling.visit("/", title=title)
            crawling.end()
        visit = visit_of(database, crawling, "/")
        assert visit is not None
        assert (visit.scan_id, visit.title) == (crawling.handle.scan_id, "second")


def test_visits_are_read_in_their_order_with_how_the_pages_answered(database: Database) -> None:
    crawling = Crawling(database)
    crawling.start()
    crawling.visit("/", "/a", "/slow", "/later")
    fetch = {"directives": ["noindex", "nofollow"], "final_url": address("/a/"), "format": "html"}
    crawling.visit("/a", canonical="/b", fetch=fetch)
    crawling.visit("/slow", outcome=FetchOutcome.TIMEOUT, fetch={"status": None})
    root, first, slow = visit_answers(database, crawling.end())
    assert root.url == ROOT
    assert first == VisitAnswer(
        page_id=crawling.page_id(address("/a")),
        url=address("/a"),
        reason=None,
        rule=None,
        canonical=address("/b"),
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
    assert [visit.url for visit in visit_answers(database, scan)] == [ROOT]


def test_clicks_and_status(database: Database) -> None:
    crawling = Crawling(database)
    crawling.start()
    crawling.visit("/", "/a", "/gone", "https://partner.example/")
    crawling.visit("/a", "/b")
    crawling.visit("/gone", status=404, reason="not_found")
    scan = crawling.end()
    ids = {path: crawling.page_id(address(path)) for path in ("/", "/a", "/gone", "/b")}
    wanted = {ids["/"], ids["/gone"], ids["/b"]}
    assert clicks_and_status(database, scan, wanted) == {
        ids["/"]: (0, 200),
        ids["/gone"]: (1, 404),
        ids["/b"]: (2, None),
    }
    assert pages_by_clicks(database, scan) == [(0, 1), (1, 1), (2, 1)]
    assert external_pages(database, scan) == {crawling.page_id("https://partner.example/")}


def test_a_scan_without_a_crawl(database: Database) -> None:
    crawling = Crawling(database)
    crawling.list_in_sitemap("/a")
    scan = crawling.end()
    assert clicks_and_status(database, scan, {crawling.page_id(ROOT)}) == {}
    assert pages_by_clicks(database, scan) == []
