"""What the end of a scan makes of the visits of its crawl."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import select

from sitecrawl.items import FetchOutcome
from sitecrawl.store.schema import evidence, pages, visits
from sitecrawl.store.vocabulary import ScanStatus
from sitecrawl.store.writers.scan_writer import ScanWriter
from tests.store.crawling import Crawling, Link, address

if TYPE_CHECKING:
    from sitecrawl.store.engine import Database


@pytest.fixture
def crawling(database: Database) -> Crawling:
    crawling = Crawling(database)
    crawling.start()
    return crawling


def facts(database: Database, path: str, *names: str) -> tuple[Any, ...]:
    columns = [pages.c[name] for name in names]
    with database.reading() as connection:
        statement = select(*columns).where(pages.c.url == address(path))
        return tuple(connection.execute(statement).one())


def originals(database: Database) -> dict[str, int | None]:
    with database.reading() as connection:
        rows = connection.execute(select(visits.c.url, visits.c.duplicate_of)).all()
    return {url.removeprefix("https://example.com"): original for url, original in rows}


def test_pages_take_over_what_they_say_of_themselves(
    database: Database, crawling: Crawling
) -> None:
    crawling.visit("/", "/a", Link("/de", "Deutsch"), title="Home")
    crawling.visit("/a", title="A", language="en", category="document")
    crawling.visit("/de")
    crawling.end()
    assert facts(database, "/", "title", "reason") == ("Home", None)
    assert facts(database, "/a", "title", "category") == ("A", "document")
    assert facts(database, "/de", "title", "category") == (None, None)


def test_what_a_visit_refuses_is_refused(database: Database, crawling: Crawling) -> None:
    crawling.visit("/", "/gone", "/old")
    crawling.visit("/gone", reason="not_found", rule="HTTP 404")
    crawling.redirect("/old", "/new")
    crawling.visit("/new")
    crawling.end()
    assert facts(database, "/gone", "reason", "rule") == ("not_found", "HTTP 404")
    assert facts(database, "/old", "reason", "rule") == ("redirected", address("/new"))
    assert facts(database, "/new", "reason", "rule") == (None, None)


class TestRedirects:
    """Those that lead to each other, to whatever of them links lead as well."""

    @staticmethod
    def told(database: Database, path: str) -> tuple[str, str]:
        reason, rule = facts(database, path, "reason", "rule")
        return reason, (rule or "").replace("https://example.com", "")

    def test_a_circle_and_what_leads_into_it_lead_nowhere(
        self, database: Database, crawling: Crawling
    ) -> None:
        crawling.visit("/", "/in", "/a", "/b", "/fine")
        for path, target in (("/in", "/a"), ("/a", "/b"), ("/b", "/a"), ("/fine", "/")):
            crawling.redirect(path, target)
        crawling.end()
        assert self.told(database, "/in") == ("redirect_loop", "/in -> /a -> /b -> /a")
        assert self.told(database, "/a") == ("redirect_loop", "/a -> /b -> /a")
        assert self.told(database, "/b") == ("redirect_loop", "/b -> /a -> /b")
        assert self.told(database, "/fine") == ("redirected", "/")

    def test_a_chain_that_the_crawl_gave_up_leads_nowhere_from_its_start(
        self, database: Database, crawling: Crawling
    ) -> None:
        crawling.visit("/", "/a", "/b")
        crawling.redirect("/a", "/b")
        crawling.visit(
            "/b",
            outcome=FetchOutcome.REDIRECTED,
            reason="too_many_redirects",
            rule=address("/not-asked"),
        )
        crawling.end()
        assert self.told(database, "/a") == ("too_many_redirects", "/a -> /b -> /not-asked")
        assert self.told(database, "/b") == ("too_many_redirects", "/b -> /not-asked")

    def test_a_long_chain_of_linked_addresses_is_shown_in_part(
        self, database: Database, crawling: Crawling
    ) -> None:
        chain = [f"/{number}" for number in range(40)]
        crawling.visit("/", *chain, "/end")
        for path, target in itertools.pairwise([*chain, "/end"]):
            crawling.redirect(path, target)
        crawling.end()
        shown = " -> ".join(chain[:12])
        assert self.told(database, "/0") == ("too_many_redirects", shown)
        assert self.told(database, "/29")[0] == "too_many_redirects"
        assert self.told(database, "/30") == ("redirected", "/31")

    def test_other_addresses_of_a_page_are_the_page(
        self, database: Database, crawling: Crawling
    ) -> None:
        crawling.visit("/", "/a", "/b")
        crawling.redirect("/a", "/b/")
        crawling.redirect("/b", "/a/")
        crawling.end()
        assert self.told(database, "/a") == ("redirect_loop", "/a -> /b -> /a")

    def test_a_crawl_that_goes_on_ends_with_the_same_chains(
        self, database: Database, crawling: Crawling
    ) -> None:
        crawling.visit("/", "/in", "/a", "/b")
        for path, target in (("/in", "/a"), ("/a", "/b"), ("/b", "/a")):
            crawling.redirect(path, target)
        crawling.end(ScanStatus.PARTIAL)
        before = [self.told(database, path) for path in ("/in", "/a", "/b")]
        writer = ScanWriter(database)
        writer.resume(crawling.handle.scan_id)
        writer.finish(ScanStatus.FINISHED)
        assert [self.told(database, path) for path in ("/in", "/a", "/b")] == before


class TestMenu:
    def test_its_pages_are_important_and_have_its_titles_until_their_own_are_known(
        self, database: Database, crawling: Crawling
    ) -> None:
        crawling.visit("/", "/a", "/b", "/c", title="Home")
        crawling.menu((0, "First name", "/a"), (0, "B", "/b"), (1, "Second name", "/a"))
        crawling.visit("/b", title="The page's own")
        crawling.end()
        assert facts(database, "/a", "importance", "title") == (1.0, "First name")
        assert facts(database, "/b", "importance", "title") == (1.0, "The page's own")
        assert facts(database, "/c", "importance", "title") == (None, None)

    def test_a_page_that_has_left_it_is_no_longer_important(
        self, database: Database, crawling: Crawling
    ) -> None:
        crawling.visit("/", "/a")
        crawling.menu((0, "A", "/a"))
        crawling.end()
        second = Crawling(database)
        second.start()
        second.visit("/", "/a")
        second.end()
        assert facts(database, "/a", "importance") == (None,)

    def test_a_scan_that_has_not_read_the_root_leaves_it_to_the_next(
        self, database: Database, crawling: Crawling
    ) -> None:
        crawling.visit("/", "/a", "/b")
        crawling.menu((0, "A", "/a"), (0, "B", "/b"))
        crawling.end()
        second = Crawling(database)
        second.start()
        second.end()
        assert facts(database, "/a", "importance") == (1.0,)
        third = Crawling(database)
        third.start()
        third.visit("/", "/a", "/b")
        third.menu((0, "B", "/b"))
        third.end()
        assert facts(database, "/a", "importance") == (None,)
        assert facts(database, "/b", "importance") == (1.0,)


class TestDuplicates:
    def test_the_first_with_a_text_is_the_original(
        self, database: Database, crawling: Crawling
    ) -> None:
        crawling.visit("/", "/a", "/b", "/c", "/d", text_hash="1")
        for path, text_hash in (("/a", "7"), ("/b", "7"), ("/c", ""), ("/d", "7")):
            crawling.visit(path, text_hash=text_hash)
        crawling.end()
        first = crawling.page_id(address("/a"))
        expected = {"/": None, "/a": None, "/b": first, "/c": None, "/d": first}
        assert originals(database) == expected

    def test_one_that_does_not_count_is_neither(
        self, database: Database, crawling: Crawling
    ) -> None:
        crawling.visit("/", "/a", "/b", "/c")
        crawling.visit("/a", text_hash="7", reason="soft_404", rule="x")
        crawling.visit("/b", text_hash="7")
        crawling.visit("/c", text_hash="7", reason="soft_404", rule="x")
        crawling.end()
        assert set(originals(database).values()) == {None}

    def test_the_texts_of_other_scans_do_not_count(
        self, database: Database, crawling: Crawling
    ) -> None:
        crawling.visit("/", text_hash="7")
        crawling.end()
        other = Crawling(database, site="other.example")
        other.start("/other")
        other.visit("/other", text_hash="7")
        other.end()
        assert set(originals(database).values()) == {None}


class TestIndexPages:
    def test_a_folder_and_its_index_with_the_same_text_are_one_page(
        self, database: Database, crawling: Crawling
    ) -> None:
        crawling.visit("/", "/index.html", "/a/index.html", "/a/", "/b/index.html", text_hash="1")
        for path, text_hash in (("/index.html", "1"), ("/a/index.html", "2"), ("/a/", "2")):
            crawling.visit(path, text_hash=text_hash)
        crawling.visit("/b/index.html", text_hash="1")
        crawling.end()
        assert facts(database, "/index.html", "reason", "rule") == ("index_page", address("/"))
        # The first that was visited stays.
        assert facts(database, "/a/", "reason", "rule") == ("index_page", address("/a/index.html"))
        assert facts(database, "/a/index.html", "reason") == (None,)
        # The same text elsewhere is a duplicate, not the same page.
        assert facts(database, "/b/index.html", "reason") == (None,)
        root = crawling.page_id(address("/"))
        assert originals(database)["/index.html"] == originals(database)["/b/index.html"] == root

    def test_other_texts_are_other_pages(self, database: Database, crawling: Crawling) -> None:
        crawling.visit("/", "/index.html", "/default.htm", text_hash="1")
        crawling.visit("/index.html", text_hash="2")
        crawling.visit("/default.htm")
        crawling.end()
        assert facts(database, "/index.html", "reason") == (None,)
        assert facts(database, "/default.htm", "reason") == (None,)
        with database.reading() as connection:
            query = select(evidence.c.metadata).where(evidence.c.type == "index_pages")
            [record] = connection.scalars(query)
        assert (record["compared"], record["same"]) == (1, 0)

    def test_the_next_scan_decides_again(self, database: Database, crawling: Crawling) -> None:
        crawling.visit("/", "/index.html", text_hash="1")
        crawling.visit("/index.html", text_hash="1")
        crawling.end()
        later = Crawling(database)
        later.start()
        later.visit("/", "/index.html", text_hash="1")
        later.visit("/index.html", text_hash="2")
        later.end()
        assert facts(database, "/index.html", "reason") == (None,)


class TestCutPatterns:
    HELD = "/x/{n}"

    def hold(self, crawling: Crawling) -> None:
        crawling.visit("/", "/x/1", Link("/x/2", held_under=self.HELD), Link("/y"))
        crawling.visit("/x/1")

    def test_the_rest_of_one_is_refused_with_it(
        self, database: Database, crawling: Crawling
    ) -> None:
        self.hold(crawling)
        crawling.end(cut={self.HELD: "trap_calendar"})
        assert facts(database, "/x/2", "reason", "rule") == ("trap_calendar", self.HELD)
        for path in ("/x/1", "/y"):
            assert facts(database, path, "reason", "rule") == (None, None)

    def test_one_without_a_reason_leaves_its_rest_listed(
        self, database: Database, crawling: Crawling
    ) -> None:
        self.hold(crawling)
        crawling.end()
        assert facts(database, "/x/2", "reason", "rule") == (None, None)

    def test_a_crawl_that_goes_on_may_visit_it_after_all(
        self, database: Database, crawling: Crawling
    ) -> None:
        self.hold(crawling)
        crawling.end(ScanStatus.PARTIAL, cut={self.HELD: "trap_calendar"})
        writer = ScanWriter(database)
        writer.resume(crawling.handle.scan_id)
        assert facts(database, "/x/2", "reason", "rule") == (None, None)
        writer.release_visits(self.HELD, 1, 9)
        assert [row.number for row in writer.waiting_visits(3, 9)] == [9]
        writer.finish(ScanStatus.FINISHED)
        assert facts(database, "/x/2", "reason", "rule") == (None, None)

    def test_visited_copies_of_a_page_are_refused_until_the_crawl_goes_on(
        self, database: Database, crawling: Crawling
    ) -> None:
        crawling.visit("/", "/x", "/x?id=1")
        crawling.visit("/x", text_hash="7")
        crawling.visit("/x?id=1", text_hash="7")
        crawling.end(ScanStatus.PARTIAL, copies={address("/x?id=1"): address("/x")})
        refused = ("trap_parameter", address("/x"))
        assert facts(database, "/x?id=1", "reason", "rule") == refused
        assert facts(database, "/x", "reason", "rule") == (None, None)
        writer = ScanWriter(database)
        writer.resume(crawling.handle.scan_id)
        assert facts(database, "/x?id=1", "reason", "rule") == (None, None)
        writer.finish(ScanStatus.FINISHED)
