"""The frontier in the database, on SQLite and PostgreSQL."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import select

from sitecrawl.items import FetchOutcome
from sitecrawl.store.schema import menu_entries, visits
from sitecrawl.store.writers.records import MenuRow, NewVisits, VisitRecord
from tests.store.crawling import Crawling
from tests.store.scanning import Scanning

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sitecrawl.store.engine import Database


@pytest.fixture
def scanning(database: Database) -> Iterator[Scanning]:
    scanning = Scanning(database)
    yield scanning
    scanning.writer.close()


def found(numbers: Sequence[int | None], family: str = "", **facts: Any) -> NewVisits:
    """Pages of the frontier, named after their place in it or in the row of the held ones."""
    names = [str(number or f"held-{row}") for row, number in enumerate(numbers)]
    record: dict[str, Any] = {
        "found_by": 1,
        "page_ids": [1_000 + row for row in range(len(names))],
        "urls": [f"https://example.com/{name}" for name in names],
        "numbers": numbers,
        "families": [family if number is None else "" for number in numbers],
        "clicks": [1] * len(names),
        "external_hops": [0] * len(names),
    }
    return NewVisits(**{**record, **facts})


def waiting(scanning: Scanning, after: int = 0, limit: int = 99) -> list[tuple[int, str]]:
    rows = scanning.writer.waiting_visits(after, limit)
    return [(row.number, row.url.rpartition("/")[2]) for row in rows]


def stored(database: Database, scanning: Scanning) -> list[dict[str, Any]]:
    scanning.writer.commit()
    with database.reading() as connection:
        rows = connection.execute(select(visits).order_by(visits.c.id)).mappings()
        return [dict(row) for row in rows]


def test_waiting_ones_come_in_the_order_of_their_numbers(scanning: Scanning) -> None:
    scanning.writer.add_visits(found([3, 1, 2]))
    assert [number for number, _ in waiting(scanning)] == [1, 2, 3]
    assert [number for number, _ in waiting(scanning, after=1, limit=1)] == [2]


def test_all_that_a_visit_needs_comes_back(scanning: Scanning) -> None:
    chain = json.dumps(["https://example.com/ä", 'https://example.com/"'])
    scanning.writer.add_visits(found([7], clicks=[4], external_hops=[2], redirected_from=chain))
    (row,) = scanning.writer.waiting_visits(0, 9)
    assert (row.clicks, row.external_hops, row.redirected_from) == (4, 2, chain)


def test_another_scan_has_its_own_frontier(database: Database, scanning: Scanning) -> None:
    scanning.writer.add_visits(found([1]))
    scanning.finish()
    second = Scanning(database)
    assert waiting(second) == []
    second.writer.add_visits(found([1, 2]))
    second.writer.finish_visit(VisitRecord(1, FetchOutcome.OK, 5))
    outcomes = [(row["scan_id"], row["outcome"]) for row in stored(database, second)]
    assert outcomes == [(1, None), (2, "ok"), (2, None)]
    second.finish()


class TestHeld:
    def test_they_are_not_visited_until_they_are_released(self, scanning: Scanning) -> None:
        scanning.writer.add_visits(found([1, None, None, None], family="/x/{n}"))
        assert waiting(scanning) == [(1, "1")]
        scanning.writer.release_visits("/x/{n}", 2, 2)
        assert waiting(scanning) == [(1, "1"), (2, "held-1"), (3, "held-2")]
        scanning.writer.release_visits("/x/{n}", 5, 4)
        assert waiting(scanning, after=3) == [(4, "held-3")]

    def test_only_those_of_the_pattern_and_the_scan(
        self, database: Database, scanning: Scanning
    ) -> None:
        scanning.writer.add_visits(found([None], family="/x/{n}"))
        scanning.finish()
        second = Scanning(database)
        second.writer.add_visits(found([None], family="/y/{n}'; --"))
        second.writer.release_visits("/x/{n}", 9, 1)
        assert waiting(second) == []
        second.writer.release_visits("/y/{n}'; --", 9, 1)
        assert waiting(second) == [(1, "held-0")]
        assert [row["number"] for row in stored(database, second)] == [None, 1]
        second.finish()


class TestEnds:
    FACTS = VisitRecord(
        1,
        FetchOutcome.OK,
        5,
        is_productive=True,
        title="Ein Titel's \N{SNOWMAN}",
        language="de",
        text_hash="0123456789abcdef",
        fingerprint=2**63 - 1,
    )

    def test_what_the_page_says_is_kept_and_absent_text_is_null(
        self, database: Database, scanning: Scanning
    ) -> None:
        scanning.writer.add_visits(found([1, 2]))
        scanning.writer.finish_visit(self.FACTS)
        assert waiting(scanning) == [(2, "2")]
        row = stored(database, scanning)[0]
        names = ("outcome", "document_id", "title", "language", "text_hash")
        assert [row[name] for name in names] == [
            "ok",
            5,
            self.FACTS.title,
            "de",
            "0123456789abcdef",
        ]
        assert row["fingerprint"] == 2**63 - 1
        assert row["is_productive"] is True
        assert {row[name] for name in ("reason", "rule", "canonical", "category")} == {None}


@pytest.mark.parametrize("title", ["Shop", ""], ids=["with a text", "a picture"])
def test_a_menu_is_kept_once(database: Database, scanning: Scanning, title: str) -> None:
    entries = [MenuRow(1, 0, 11, title, "navigation"), MenuRow(2, 1, 12, "Tents", "header")]
    for _ in range(2):
        scanning.writer.add_menu(entries)
    scanning.writer.commit()
    with database.reading() as connection:
        rows = connection.execute(select(menu_entries).order_by(menu_entries.c.position)).all()
    assert [tuple(row)[1:] for row in rows] == [
        (1, 0, 11, title, "navigation"),
        (2, 1, 12, "Tents", "header"),
    ]


class TestTogether:
    """What a visit gave is stored completely, or not at all."""

    COUNTS = ("visits", "fetches", "documents", "pages", "other_mentions")

    def counts(self, database: Database) -> dict[str, int]:
        with database.reading() as connection:
            return {
                name: connection.exec_driver_sql(f"SELECT count(*) FROM {name}").scalar_one()
                for name in self.COUNTS
            }

    def test_all_of_it_is_there_at_the_end(self, database: Database) -> None:
        crawling = Crawling(database)
        crawling.start()
        with crawling.writer.together():
            crawling.visit("/", "/a", "/b")
            crawling.visit("/a", "/", "/b", title="A")
            before = self.counts(database)
        expected = {"visits": 3, "fetches": 2, "documents": 2, "pages": 3, "other_mentions": 2}
        assert self.counts(database) == expected
        assert before == {**dict.fromkeys(expected, 0), "visits": 1}, "nothing was seen of it"
        outcomes = {row["url"]: row["title"] for row in stored(database, crawling)}
        assert outcomes["https://example.com/a"] == "A"
        crawling.writer.close()

    def test_a_fault_in_between_undoes_it_and_nothing_else(self, database: Database) -> None:
        crawling = Crawling(database)
        crawling.start()
        crawling.visit("/", "/a")

        def break_off() -> None:
            with crawling.writer.together():
                crawling.visit("/a", "/", "/b")
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            break_off()
        crawling.writer.commit()
        expected = {"visits": 2, "fetches": 1, "documents": 1, "pages": 2, "other_mentions": 0}
        assert self.counts(database) == expected
        assert waiting(crawling, after=1) == [(2, "a")]
        crawling.writer.close()
