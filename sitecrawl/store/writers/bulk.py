"""Puts columns into a table, as fast as each database takes them.

SQLite gets rows through ``executemany``, many in each tuple; PostgreSQL gets one array per column
through one ``INSERT ... SELECT FROM unnest``. Whatever is the same in all rows is written into the
statement: a bound value costs as much in every row as a real column.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sqlalchemy import Table
    from sqlalchemy.engine import Connection, Dialect

    from sitecrawl.store.writers.records import PageRows, Repeats

# One statement for so many rows takes two thirds of the time, but has to be prepared first.
_ROWS_AT_ONCE = 50
_MANY_ROWS = 1_000

_PLAIN_WORD = re.compile(r"[a-zA-Z0-9_.:-]+")


# PostgreSQL's types of whole columns; all others are texts.
_ARRAYS: Mapping[str, str] = {
    **dict.fromkeys(("id", "page_id", "document_id", "context_id", "verdict_id"), "bigint[]"),
    **dict.fromkeys(("page_number", "class_id"), "bigint[]"),
    **dict.fromkeys(("number", "clicks", "external_hops", "position"), "integer[]"),
    "sitemap_priority": "float8[]",
}
_TEXTS_OF_ALL = frozenset({"url", "source"})


def page_columns(rows: PageRows) -> dict[str, Sequence[Any]]:
    """The columns that these rows really have, by their name in the table."""
    count = len(rows.ids)
    columns: dict[str, Sequence[Any] | None] = {
        "id": rows.ids,
        "url": rows.urls,
        "position": rows.positions,
        "verdict_id": rows.verdict_ids,
        "lastmod": rows.lastmods,
        "changefreq": rows.changefreqs,
        "sitemap_priority": rows.priorities,
        "language": rows.languages,
    }
    for name, sparse in (
        ("title", rows.titles),
        ("details", rows.details),
        ("category", rows.categories),
    ):
        if sparse:
            columns[name] = _filled(sparse, count)
    if rows.refused:
        columns["reason"] = _filled({i: str(why) for i, (why, _) in rows.refused.items()}, count)
        columns["rule"] = _filled({i: rule for i, (_, rule) in rows.refused.items()}, count)
    if rows.links is not None:
        columns |= rows.links.by_name()
    present = {name: column for name, column in columns.items() if column is not None}
    if uneven := {n: len(column) for n, column in present.items() if len(column) != count}:
        raise ValueError(f"columns of another length than the {count} ids: {uneven}")
    return present


def _filled(sparse: Mapping[int, str], count: int) -> list[str]:
    column = [""] * count
    for index, value in sparse.items():
        column[index] = value
    return column


def repeat_columns(repeats: Repeats) -> dict[str, Sequence[Any]]:
    """The columns of further mentions, without any that is there twice."""
    if repeats.links is not None:
        # Every link of a page has its own position.
        links = repeats.links.by_name()
        return {
            "page_id": repeats.ids,
            "position": repeats.positions,
            **{name: column for name, column in links.items() if any(column)},
        }
    lastmods = repeats.lastmods or [""] * len(repeats.ids)
    mentioned = zip(repeats.ids, repeats.positions, strict=True)
    unique = dict(zip(mentioned, lastmods, strict=True))
    columns: dict[str, Sequence[Any]] = {
        "page_id": [page_id for page_id, _ in unique],
        "position": [position for _, position in unique],
    }
    if repeats.lastmods is not None:
        columns["lastmod"] = list(unique.values())
    return columns


def literal(value: int | str) -> str:
    """SQL of a constant; only for numbers and the store's own words, never for foreign text."""
    if isinstance(value, int):
        return str(int(value))
    if not _PLAIN_WORD.fullmatch(value):
        raise ValueError(f"{value!r} is not a plain word")
    return f"'{value}'"


def insert_columns(
    connection: Connection,
    table: str,
    columns: Mapping[str, Sequence[Any]],
    constants: Mapping[str, str],
    conflict: str = "",
    *,
    is_repeated: bool = False,
) -> None:
    """Insert the rows; ``constants`` maps further columns to SQL that is the same in all rows.

    *is_repeated* says that the same statement comes again and again, so that it pays to prepare it.
    """
    target = f"INTO {table} ({', '.join([*columns, *constants])})"
    if connection.dialect.name == "sqlite":
        values = [_stored(name, "?") for name in columns]
        row = f"({', '.join([*values, *constants.values()])})"
        # Whatever fails undoes the whole transaction, so no statement has to undo itself.
        start = f"INSERT OR FAIL {target} VALUES"
        at_least = _ROWS_AT_ONCE if is_repeated else _MANY_ROWS
        _insert_rows(connection, (start, row, conflict), list(columns.values()), at_least)
    else:
        arrays = ", ".join(f"%s::{_ARRAYS.get(name, 'text[]')}" for name in columns)
        values = [_stored(name, name) for name in columns]
        chosen = f"SELECT {', '.join([*values, *constants.values()])} FROM"
        connection.exec_driver_sql(
            f"INSERT {target} {chosen} unnest({arrays}) AS b({', '.join(columns)}) {conflict}",
            tuple(map(list, columns.values())),
        )


def _stored(name: str, value: str) -> str:
    """SQL of a value as it is stored: an absent text or priority is NULL.

    The database does it: for None the driver of SQLite searches an adapter, which costs several
    times as much as a text.
    """
    if name == "sitemap_priority":
        return f"nullif({value}, -1.0)"
    return value if name in _ARRAYS or name in _TEXTS_OF_ALL else f"nullif({value}, '')"


def _insert_rows(
    connection: Connection,
    statement: tuple[str, str, str],
    columns: Sequence[Sequence[Any]],
    at_least: int,
) -> None:
    """Run the statement, which is given as its start, one row and its end."""
    start, row, end = statement
    width = len(columns)
    rows = len(columns[0])
    # Row after row in one list, from which each statement gets its share: no tuple for each row.
    flat: list[Any] = [None] * (rows * width)
    for offset, column in enumerate(columns):
        flat[offset::width] = column
    together = rows - rows % _ROWS_AT_ONCE if rows >= at_least else 0
    for first, stop, size in ((0, together, _ROWS_AT_ONCE), (together, rows, 1)):
        if first < stop:
            step = size * width
            connection.exec_driver_sql(
                f"{start} {', '.join([row] * size)} {end}",
                [tuple(flat[at : at + step]) for at in range(first * width, stop * width, step)],
            )


def upserting_insert(dialect: Dialect) -> Any:
    """The ``insert`` of SQLAlchemy that can say what is to be done on a conflict."""
    # The other one is not imported: that of PostgreSQL takes a twentieth of the whole start.
    if dialect.name == "sqlite":
        from sqlalchemy.dialects.sqlite import insert

        return insert
    from sqlalchemy.dialects.postgresql import insert as postgres_insert

    return postgres_insert


class PreparedValues:
    """Some columns of a table, with what turns Python values into those of the database."""

    def __init__(self, table: Table, names: Sequence[str], dialect: Dialect) -> None:
        self.names = tuple(names)
        self.marker = "?" if dialect.name == "sqlite" else "%s"
        self._processors: list[Callable[[Any], Any] | None] = [
            table.c[name].type.dialect_impl(dialect).bind_processor(dialect) for name in names
        ]

    def of(self, values: Mapping[str, Any]) -> tuple[Any, ...]:
        return tuple(
            value if processor is None else processor(value)
            for processor, value in zip(
                self._processors, map(values.__getitem__, self.names), strict=True
            )
        )


class Gathered:
    """The values of a statement that are still to be run, in their order."""

    def __init__(self, sql: str) -> None:
        self._sql = sql
        self._rows: list[tuple[Any, ...]] = []

    def add(self, row: tuple[Any, ...]) -> None:
        self._rows.append(row)

    def run(self, connection: Connection) -> None:
        if self._rows:
            rows, self._rows = self._rows, []
            connection.exec_driver_sql(self._sql, rows)

    def forget(self) -> None:
        self._rows.clear()


class PreparedInsert:
    """``INSERT`` of rows into the columns *names*, with *suffix* for what follows the values."""

    def __init__(
        self, table: Table, names: Sequence[str], dialect: Dialect, suffix: str = ""
    ) -> None:
        self._values = PreparedValues(table, names, dialect)
        self._head = f"INSERT INTO {table.name} ({', '.join(names)}) VALUES"
        self._row = f"({', '.join([self._values.marker] * len(names))})"
        self._suffix = suffix
        self.gathered = Gathered(f"{self._head} {self._row} {suffix}")

    def run(self, connection: Connection, *rows: Mapping[str, Any]) -> Any:
        """Insert the rows by one statement."""
        sql = f"{self._head} {', '.join([self._row] * len(rows))} {self._suffix}"
        return connection.exec_driver_sql(
            sql, tuple(chain.from_iterable(map(self._values.of, rows)))
        )

    def gather(self, values: Mapping[str, Any]) -> None:
        """Insert the row when what is gathered is run."""
        self.gathered.add(self._values.of(values))


class PreparedUpdate:
    """``UPDATE`` of the columns *names* in the rows where *condition* holds.

    The condition has one marker, ``{}``, for a number.
    """

    def __init__(
        self, table: Table, names: Sequence[str], dialect: Dialect, condition: str
    ) -> None:
        self._values = PreparedValues(table, names, dialect)
        marker = self._values.marker
        assignments = ", ".join(f"{name} = {marker}" for name in names)
        self.gathered = Gathered(
            f"UPDATE {table.name} SET {assignments} WHERE {condition.format(marker)}"  # noqa: S608  own words
        )

    def gather(self, values: Mapping[str, Any], key: int) -> None:
        """Update the row when what is gathered is run."""
        self.gathered.add((*self._values.of(values), key))
