from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import Boolean, Column, Integer, MetaData, Table, Text, select
from sqlalchemy.exc import IntegrityError

from sitecrawl.store.schema import Json, RowNumber, UtcDateTime, pages
from sitecrawl.store.writers.bulk import PreparedInsert, PreparedUpdate, insert_columns

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy.engine import Connection

    from sitecrawl.store.engine import Database

CONSTANTS = {"site_id": "1", "document_id": "1", "seen_scan_id": "1", "first_scan_id": "1"} | {
    "source": "'sitemap'"
}


def columns(rows: int) -> dict[str, list[Any]]:
    return {
        "id": list(range(rows)),
        "position": list(range(1, rows + 1)),
        "url": [f"https://example.com/{row}" for row in range(rows)],
        "lastmod": ["2026-01-01" if row % 2 else "" for row in range(rows)],
        "sitemap_priority": [0.5 if row % 2 else -1.0 for row in range(rows)],
    }


@pytest.mark.parametrize("rows", [1, 49, 50, 120])
def test_every_row_is_stored_and_what_is_absent_is_null(database: Database, rows: int) -> None:
    with database.connect_writer() as connection:
        insert_columns(connection, "pages", columns(rows), CONSTANTS, is_repeated=True)
        c = pages.c
        chosen = select(c.id, c.url, c.lastmod, c.sitemap_priority).order_by(c.number)
        stored = [tuple(row) for row in connection.execute(chosen)]
    assert stored == [
        (row, f"https://example.com/{row}", *(("2026-01-01", 0.5) if row % 2 else (None, None)))
        for row in range(rows)
    ]


@pytest.mark.parametrize("rows", [49, 120])
def test_text_that_few_rows_have_is_stored_as_it_is(database: Database, rows: int) -> None:
    texts = ["", "0", "-1", " ", "{}", "é"]
    given = [texts[row % len(texts)] for row in range(rows)]
    names = ["reason", "rule", "title", "language", "category", "details"]
    with database.connect_writer() as connection:
        rare = columns(rows) | dict.fromkeys(names, given)
        insert_columns(connection, "pages", rare, CONSTANTS, is_repeated=True)
        chosen = select(*(pages.c[name] for name in names)).order_by(pages.c.number)
        stored = [tuple(row) for row in connection.execute(chosen)]
    assert stored == [(text or None,) * len(names) for text in given]


def test_a_row_that_cannot_be_stored_is_an_error(database: Database) -> None:
    """Not one that is left out in silence."""
    wrong = columns(60)
    wrong["url"][30] = None
    with database.connect_writer() as connection, pytest.raises(IntegrityError):
        insert_columns(
            connection, "pages", wrong, CONSTANTS, "ON CONFLICT DO NOTHING", is_repeated=True
        )


SAMPLE = Table(
    "sample",
    MetaData(),
    Column("id", RowNumber, primary_key=True),
    Column("name", Text, unique=True),
    Column("size", Integer),
    Column("is_big", Boolean),
    Column("seen_at", UtcDateTime),
    Column("facts", Json),
)
NAMES = ("name", "size", "is_big", "seen_at", "facts")
NOON = datetime(2026, 5, 6, 12, 0, 0, 123000, tzinfo=UTC)  # kept to the millisecond
VALUES: dict[str, dict[str, Any]] = {
    "usual": {"name": "a", "size": 1, "is_big": True, "seen_at": NOON, "facts": {"a": [1, "ü"]}},
    "absent": {"name": None, "size": None, "is_big": None, "seen_at": None, "facts": None},
    "odd": {
        "name": "'; DROP TABLE sample; -- %s ?",
        "size": -1,
        "is_big": False,
        "seen_at": NOON.astimezone(timezone(timedelta(hours=5))),
        "facts": [],
    },
}


@pytest.fixture
def connection(database: Database) -> Iterator[Connection]:
    with database.writing() as opened:
        SAMPLE.create(opened)
        yield opened


def rows(connection: Connection) -> list[dict[str, Any]]:
    found = connection.execute(select(SAMPLE).order_by(SAMPLE.c.id)).mappings()
    return [{name: row[name] for name in NAMES} for row in found]


@pytest.mark.parametrize("values", VALUES.values(), ids=VALUES.keys())
def test_what_is_inserted_is_what_the_toolkit_would_insert(
    connection: Connection, values: dict[str, Any]
) -> None:
    PreparedInsert(SAMPLE, NAMES, connection.dialect).run(connection, values)
    prepared = rows(connection)
    connection.execute(SAMPLE.delete())
    connection.execute(SAMPLE.insert().values(values))
    assert prepared == rows(connection)
    assert prepared[0]["seen_at"] == values["seen_at"]


def test_the_order_of_the_values_does_not_matter_and_others_are_left_out(
    connection: Connection,
) -> None:
    insert = PreparedInsert(SAMPLE, ("size", "name"), connection.dialect)
    insert.run(connection, {"name": "a", "is_big": True, "size": 7})
    (row,) = rows(connection)
    assert (row["name"], row["size"], row["is_big"]) == ("a", 7, None)


def test_a_value_that_is_missing_is_a_fault(connection: Connection) -> None:
    with pytest.raises(KeyError, match="size"):
        PreparedInsert(SAMPLE, NAMES, connection.dialect).run(connection, {"name": "a"})


def test_what_follows_the_values_is_run(connection: Connection) -> None:
    suffix = "ON CONFLICT (name) DO UPDATE SET size = excluded.size RETURNING id"
    insert = PreparedInsert(SAMPLE, ("name", "size"), connection.dialect, suffix)
    first = insert.run(connection, {"name": "a", "size": 1}).scalar_one()
    assert insert.run(connection, {"name": "a", "size": 2}).scalar_one() == first
    assert [row["size"] for row in rows(connection)] == [2]


@pytest.mark.parametrize("values", VALUES.values(), ids=VALUES.keys())
def test_an_update_changes_one_row(connection: Connection, values: dict[str, Any]) -> None:
    insert = PreparedInsert(SAMPLE, ("id", "name"), connection.dialect)
    for number in (1, 2):
        insert.run(connection, {"id": number, "name": f"row {number}"})
    update = PreparedUpdate(SAMPLE, NAMES, connection.dialect, "id = {}")
    update.gather(values, 2)
    update.gathered.run(connection)
    first, second = rows(connection)
    assert (first["name"], first["size"]) == ("row 1", None)
    assert second == values


def test_what_is_gathered_is_written_together_and_once(connection: Connection) -> None:
    insert = PreparedInsert(SAMPLE, ("name", "size"), connection.dialect)
    for size in (1, 2, 3):
        insert.gather({"name": f"row {size}", "size": size})
    assert rows(connection) == []
    for _ in range(2):
        insert.gathered.run(connection)
    assert [row["size"] for row in rows(connection)] == [1, 2, 3]


def test_what_is_forgotten_is_not_written(connection: Connection) -> None:
    insert = PreparedInsert(SAMPLE, ("name", "size"), connection.dialect)
    insert.gather({"name": "a", "size": 1})
    insert.gathered.forget()
    insert.gathered.run(connection)
    assert rows(connection) == []
