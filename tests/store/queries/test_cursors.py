"""Cursors: what was given out is read again, and whatever else is sent is refused."""

from __future__ import annotations

import json
from base64 import urlsafe_b64encode
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import func, select

from sitecrawl.errors import InvalidInputError
from sitecrawl.store.queries.cursors import (
    Order,
    Position,
    decode_cursor,
    encode_cursor,
    list_page,
    page_of,
)
from sitecrawl.store.queries.page_filter import PageOrder, PageSort
from sitecrawl.store.schema import workspaces

if TYPE_CHECKING:
    from sitecrawl.store.engine import Database

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
COLUMNS = {
    "number": workspaces.c.id,
    "text": workspaces.c.name,
    "moment": workspaces.c.created_at,
    "moment or none": func.coalesce(workspaces.c.created_at, LONG_AGO),
}


def cursor_of(*values: object) -> str:
    return urlsafe_b64encode(json.dumps(values).encode()).decode().rstrip("=")


def listed(database: Database, order: Order, cursor: str | None, limit: int) -> Any:
    with database.reading() as connection:
        rows = connection.execute(page_of(select(workspaces), order, cursor, limit)).all()
    return list_page(rows, limit, lambda row: row.name)


# --- pages ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "cursor", ["", "x", "%%%", "W10", "bnVsbA", "WyJ1cmwiLGZhbHNlLDEsMV0", "a" * 50_000]
)
def test_a_cursor_that_was_not_given_out_is_refused(cursor: str) -> None:
    with pytest.raises(InvalidInputError, match="cursor"):
        decode_cursor(PageOrder(PageSort.URL), cursor)


@given(key=st.text() | st.integers() | st.floats(), number=st.integers())
def test_cursors_are_read_as_they_were_written(key: str | float, number: int) -> None:
    sort = PageSort.URL if isinstance(key, str) else PageSort.PRIORITY
    order = PageOrder(sort)
    try:
        read = decode_cursor(order, encode_cursor(order, Position(key, number)))
    except InvalidInputError:
        return
    assert read == (key, number)


def test_a_cursor_belongs_to_its_order() -> None:
    cursor = encode_cursor(PageOrder(PageSort.URL), Position("https://example.com/", 1))
    for order in (PageOrder(PageSort.TITLE), PageOrder(PageSort.URL, descending=True)):
        with pytest.raises(InvalidInputError, match="another sort"):
            decode_cursor(order, cursor)


# --- other lists ----------------------------------------------------------------------------------


@pytest.mark.parametrize("is_descending", [False, True])
def test_a_list_goes_on_behind_its_last_row(database: Database, is_descending: bool) -> None:
    names = ["b", "a" * 5_000, "ö", "c"]
    now = datetime(2026, 1, 1, tzinfo=UTC)
    with database.writing() as connection:
        rows = [{"name": name, "created_at": now} for name in names]
        connection.execute(workspaces.insert(), rows)
    for column in COLUMNS.values():
        order = Order(column, workspaces.c.id, is_descending)
        found: list[str] = []
        cursor = None
        for _ in range(3):
            page = listed(database, order, cursor, 2)
            found += page.rows
            cursor = page.next_cursor
        assert cursor is None
        assert sorted(found) == sorted([*names, "default"])


FORGED: tuple[tuple[object, ...], ...] = (
    *(("a", 2**70), ("a\0", 1), ("\ud800", 1), (2**70, 1), ("a", float("inf")), ("a", "b")),
    *((None, 1), (True, 1), ([], 1), ({}, 1), (1, 2, 3), (1,), (1, 0.5), ("2026-01-01", 1.5)),
)


def test_what_no_database_stores_is_refused(database: Database) -> None:
    for column in COLUMNS.values():
        order = Order(column, workspaces.c.id)
        for values in FORGED:
            with pytest.raises(InvalidInputError, match="cursor"):
                listed(database, order, cursor_of(*values), 10)


def test_a_cursor_of_another_sort_is_refused(database: Database) -> None:
    order = Order(workspaces.c.created_at, workspaces.c.id)
    for value in (1, "default"):
        with pytest.raises(InvalidInputError, match="another sort"):
            listed(database, order, cursor_of(value, 1), 10)
