"""At the end of a crawl the pages say what the visits have shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import select

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
