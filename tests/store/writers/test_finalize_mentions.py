"""What the end of a scan does to mentions, and a model that says what must come out."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import func, select, text

from sitecrawl.items import FetchOutcome
from sitecrawl.store.engine import open_database
from sitecrawl.store.queries.known_documents import load_validators
from sitecrawl.store.queries.page_filter import ALL_PAGES
from sitecrawl.store.queries.pages import count_listed, count_pages, page_rows
from sitecrawl.store.queries.scans import scan_by_id
from sitecrawl.store.schema import other_mentions, pages
from sitecrawl.store.vocabulary import ScanStatus
from sitecrawl.store.writers import finalize_mentions
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
        connection.exec_driver_sql(finalize_mentions._CREATE_PROMOTED)
        statement = finalize_mentions._FIND_PROMOTED.format(site=1, scan=1)
        plan = [row[3] for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}")]
    # Once, for the list of those that matter.
    assert len([step for step in plan if step.split()[1] == "documents"]) == 1
    by_key = "USING INTEGER PRIMARY KEY (rowid=?)"
    assert {f"SEARCH own {by_key}", f"SEARCH named {by_key}"} <= set(plan)
