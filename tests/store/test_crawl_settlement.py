"""At the end of a crawl the pages say what the visits have shown."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import select

from sitecrawl.items import FetchOutcome
from sitecrawl.store.scan_writer import ScanWriter
from sitecrawl.store.tables import pages, sites, visits
from sitecrawl.store.vocabulary import ScanStatus
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


def test_the_columns_that_are_written_are_known_to_readers(
    database: Database, crawling: Crawling
) -> None:
    crawling.visit("/", title="Home")
    crawling.end()
    with database.reading() as connection:
        written = connection.scalars(select(sites.c.page_columns)).one()
    assert {"title", "reason", "importance", "category", "url"} <= {*written}


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
        crawling.visit("/", "/a", "/b", "/c", "/d", folded_hash=1)
        for path, text in (("/a", 7), ("/b", 7), ("/c", None), ("/d", 7)):
            crawling.visit(path, folded_hash=text)
        crawling.end()
        first = crawling.page_id(address("/a"))
        expected = {"/": None, "/a": None, "/b": first, "/c": None, "/d": first}
        assert originals(database) == expected

    def test_one_that_does_not_count_is_neither(
        self, database: Database, crawling: Crawling
    ) -> None:
        crawling.visit("/", "/a", "/b", "/c")
        crawling.visit("/a", folded_hash=7, reason="soft_404", rule="x")
        crawling.visit("/b", folded_hash=7)
        crawling.visit("/c", folded_hash=7, reason="soft_404", rule="x")
        crawling.end()
        assert set(originals(database).values()) == {None}

    def test_the_texts_of_other_scans_do_not_count(
        self, database: Database, crawling: Crawling
    ) -> None:
        crawling.visit("/", folded_hash=7)
        crawling.end()
        other = Crawling(database, site="other.example")
        other.start("/other")
        other.visit("/other", folded_hash=7)
        other.end()
        assert set(originals(database).values()) == {None}


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
