"""What the end of a scan does to mentions, and a model that says what must come out."""

from __future__ import annotations

import itertools
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import func, select, text

from sitecrawl.items import FetchOutcome
from sitecrawl.store.engine import open_database
from sitecrawl.store.queries.archive import load_validators
from sitecrawl.store.queries.page_filter import ALL_PAGES
from sitecrawl.store.queries.pages import count_listed, count_pages, page_rows
from sitecrawl.store.queries.scans import scan_by_id
from sitecrawl.store.schema import evidence, other_mentions, pages, visits
from sitecrawl.store.vocabulary import ScanStatus
from sitecrawl.store.writers import finalize
from sitecrawl.store.writers.scan_writer import ScanWriter
from tests.store.crawling import Crawling, Link, address
from tests.store.scanning import (
    FAILED,
    FINGERPRINT,
    UNCHANGED,
    current_mentions,
    current_scan,
    explained,
    exported,
    inventory,
    scan,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from sitecrawl.store.engine import Database

PAGES = [f"https://example.com/{letter}" for letter in "abcdef"]
MAPS = [f"https://example.com/{number}.xml" for number in range(4)]


def further_mentions(database: Database) -> int:
    with database.reading() as connection:
        return connection.scalar(select(func.count()).select_from(other_mentions)) or 0


def test_sitemaps_that_are_renamed_every_day_leave_nothing_behind(database: Database) -> None:
    for day in range(4):
        scan(database, {f"https://example.com/day-{day}.xml": PAGES})
    assert inventory(database) == PAGES
    assert further_mentions(database) == 0
    assert current_mentions(database, PAGES[0]) == {("https://example.com/day-3.xml", 1)}


def test_a_partial_scan_does_not_take_what_it_missed_for_gone(database: Database) -> None:
    scan(database, {MAPS[0]: PAGES, MAPS[1]: PAGES})
    scan(database, {MAPS[1]: UNCHANGED}, ScanStatus.PARTIAL, named=MAPS)
    assert current_mentions(database, PAGES[0]) == {(MAPS[0], 1), (MAPS[1], 1)}


def test_a_document_that_is_gone_is_read_anew_when_it_comes_back(database: Database) -> None:
    scan(database, {MAPS[0]: PAGES, MAPS[1]: PAGES})
    scan(database, {MAPS[1]: UNCHANGED})
    known = load_validators(database, current_scan(database).site_id, FINGERPRINT)
    assert set(known) == {MAPS[1]}


def test_a_page_takes_over_the_mention_that_is_left(database: Database) -> None:
    scan(database, {MAPS[0]: PAGES, MAPS[1]: PAGES[:1]})
    scan(database, {MAPS[0]: PAGES[1:], MAPS[1]: UNCHANGED})
    assert inventory(database) == PAGES
    assert further_mentions(database) == 0
    first = exported(database)[0]
    assert explained(database, PAGES[0]).mentions[0].document_id == first["document_id"]


def test_a_page_takes_over_the_mention_of_a_document_that_could_not_be_read(
    database: Database,
) -> None:
    scan(database, {MAPS[0]: PAGES, MAPS[1]: PAGES[:1]})
    scan(database, {MAPS[0]: PAGES[1:], MAPS[1]: FAILED})
    assert inventory(database) == PAGES
    assert further_mentions(database) == 0
    assert current_mentions(database, PAGES[0]) == {(MAPS[1], 1)}


def test_a_document_that_was_read_again_keeps_its_pages(database: Database) -> None:
    scan(database, {MAPS[0]: PAGES, MAPS[1]: PAGES})
    first = exported(database)
    scan(database, {MAPS[0]: PAGES, MAPS[1]: UNCHANGED})
    assert further_mentions(database) == len(PAGES)
    assert [row["document_id"] for row in exported(database)] == [
        row["document_id"] for row in first
    ]


def test_pages_of_another_site_are_left_alone(database: Database) -> None:
    scan(database, {MAPS[0]: PAGES, MAPS[1]: PAGES})
    elsewhere = [page.replace("example.com", "example.org") for page in PAGES]
    scan(database, {"https://example.org/a.xml": elsewhere}, site="example.org")
    scan(database, {"https://example.org/b.xml": elsewhere}, site="example.org")
    assert inventory(database, "example.org") == elsewhere
    assert inventory(database) == PAGES
    assert further_mentions(database) == len(PAGES)


NOT_FOUND = FetchOutcome.NOT_FOUND
NOT_ASKED = FetchOutcome.STOPPED  # robots.txt names the document, and the scan leaves it out
Content = dict[str, "list[str] | FetchOutcome"]
content = st.one_of(
    st.lists(st.sampled_from(PAGES), max_size=6),
    st.sampled_from([UNCHANGED, FAILED, NOT_FOUND, NOT_ASKED]),
)
one_scan = st.lists(st.sampled_from(MAPS), unique=True, max_size=4).flatmap(
    lambda maps: st.fixed_dictionaries(dict.fromkeys(maps, content))
)


class Model:
    """The same rules, said as plainly as possible."""

    def __init__(self) -> None:
        self._known: dict[str, Sequence[str]] = {}
        self._gone: set[str] = set()
        self.mentions: set[tuple[str, str, int]] = set()

    def possible(self, wanted: Mapping[str, Sequence[str] | FetchOutcome]) -> Content:
        """Only a document whose content counts can answer that it is unchanged."""
        return {
            url: FAILED if said is UNCHANGED and not self._has(url) else _plain(said)
            for url, said in wanted.items()
        }

    def _has(self, url: str) -> bool:
        return url in self._known and url not in self._gone

    def scan(self, documents: Content) -> None:
        self._gone |= self._known.keys() - documents.keys()
        for url, said in documents.items():
            if said is NOT_FOUND:
                self._gone.add(url)
            elif not isinstance(said, FetchOutcome):
                self._known[url] = said
                self._gone.discard(url)
        self.mentions = {
            (page, url, position)
            for url, listed in self._known.items()
            if url not in self._gone
            for position, page in enumerate(listed, 1)
        }

    @property
    def pages(self) -> set[str]:
        return {page for page, _, _ in self.mentions}


def _plain(said: Sequence[str] | FetchOutcome) -> list[str] | FetchOutcome:
    return said if isinstance(said, FetchOutcome) else list(said)


# Pages that could take over a mention: the rule as it stands at the top of the module.
_LEFT_BEHIND = """
SELECT count(*) FROM other_mentions AS m
JOIN documents AS named ON named.id = m.document_id AND named.gone_scan_id IS NULL
    AND m.scan_id >= coalesce(named.content_scan_id, 0)
JOIN pages ON pages.id = m.page_id
JOIN documents AS own ON own.id = pages.document_id
WHERE pages.seen_scan_id < coalesce(own.content_scan_id, 0) OR own.gone_scan_id IS NOT NULL
"""


def left_behind(database: Database) -> int:
    with database.reading() as connection:
        return int(connection.exec_driver_sql(_LEFT_BEHIND).scalar_one())


def inventory_as_of(database: Database, scan_id: int) -> set[str]:
    of_scan = scan_by_id(database, scan_id)
    assert of_scan is not None
    return {url for rows in page_rows(database, of_scan, ALL_PAGES, ["url"]) for (url,) in rows}


def check_against_model(database: Database, scans: Sequence[Content]) -> None:
    model = Model()
    known_then: dict[int, set[str]] = {}
    for wanted in scans:
        documents = model.possible(wanted)
        asked = {url: said for url, said in documents.items() if said is not NOT_ASKED}
        scan_id = scan(database, asked, named=list(documents))
        model.scan(documents)
        known_then[scan_id] = model.pages
        assert set(inventory(database)) == model.pages
        assert len(inventory(database)) == len(set(inventory(database)))
        total = sum(count.pages for count in count_pages(database, current_scan(database)))
        assert total == len(inventory(database))
        assert count_listed(database, current_scan(database)) == total
        assert left_behind(database) == 0
        for page in PAGES:
            stored = current_mentions(database, page)
            assert stored == {(url, at) for each, url, at in model.mentions if each == page}
    for scan_id, known in known_then.items():
        assert inventory_as_of(database, scan_id) == known


@pytest.fixture(scope="module")
def empty_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("empty") / "empty.db"
    open_database(f"sqlite:///{path}").close()
    return path


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(scans=st.lists(one_scan, min_size=1, max_size=5))
def test_any_sequence_of_scans_gives_what_the_model_says(
    empty_file: Path, tmp_path: Path, scans: list[Content]
) -> None:
    path = tmp_path / "copy.db"
    shutil.copy(empty_file, path)
    with open_database(f"sqlite:///{path}") as database:
        check_against_model(database, scans)
    path.unlink()


@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(scans=st.lists(one_scan, min_size=1, max_size=4))
def test_postgres_gives_what_the_model_says(postgres_tables_url: str, scans: list[Content]) -> None:
    with open_database(postgres_tables_url) as database:
        with database.writing() as connection:
            names = "changes, evidence, fetches, document_links, documents, scans, sites"
            names += ", page_versions, page_absences"
            connection.exec_driver_sql(
                f"TRUNCATE {pages.name}, {other_mentions.name}, {names} RESTART IDENTITY CASCADE"
            )
        check_against_model(database, scans)


@pytest.mark.parametrize("known", [1, 3, 4, 1_000])
def test_documents_are_never_gone_through_for_each_page(
    sqlite_database: Database, known: int
) -> None:
    scan(sqlite_database, {MAPS[0]: PAGES})
    with sqlite_database.writing() as connection:
        # What is stored at the end of a small scan is known until the end of the next one.
        connection.execute(text("DELETE FROM sqlite_stat1 WHERE tbl = 'documents'"))
        statistics = (
            "INSERT INTO sqlite_stat1 VALUES ('documents', 'sqlite_autoindex_documents_1', :stat)"
        )
        connection.execute(text(statistics), {"stat": f"{known} {known} 1"})
    sqlite_database.close()
    with sqlite_database.writing() as connection:
        connection.exec_driver_sql(finalize._CREATE_PROMOTED)
        statement = finalize._FIND_PROMOTED.format(site=1, scan=1)
        plan = [row[3] for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}")]
    # Once, for the list of those that matter.
    assert len([step for step in plan if step.split()[1] == "documents"]) == 1
    by_key = "USING INTEGER PRIMARY KEY (rowid=?)"
    assert {f"SEARCH own {by_key}", f"SEARCH named {by_key}"} <= set(plan)


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
