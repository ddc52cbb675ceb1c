"""Puts columns into a table, as fast as each database takes them.

SQLite gets rows through ``executemany``, many in each tuple; PostgreSQL gets one array per column
through one ``INSERT ... SELECT FROM unnest``. Whatever is the same in all rows is written into the
statement: a bound value costs as much in every row as a real column.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy.engine import Connection

    from sitecrawl.store.records import PageRows, Repeats

# One statement for so many rows takes two thirds of the time, but has to be prepared first.
_ROWS_AT_ONCE = 50
_MANY_ROWS = 1_000

_PLAIN_WORD = re.compile(r"[a-zA-Z0-9_.:-]+")


@dataclass(frozen=True, slots=True)
class _Kind:
    array: str
    """PostgreSQL's type of the whole column."""
    value: str
    """SQL that gives what is stored; binding "" and turning it into NULL is cheaper than None."""


# A function such as nullif might fail, and SQLite would copy pages to be able to undo a statement.
_TEXT = _Kind("text[]", "CASE WHEN {0} <> '' THEN {0} END")
# What few rows have: SQLite copies every text that is bound, an empty one, too. So it gets the
# number 0 for it, which is less than any text.
_RARE_TEXT = _Kind("text[]", "CASE WHEN {0} > '' THEN {0} END")
_NEEDED_TEXT = _Kind("text[]", "{0}")
_ID = _Kind("bigint[]", "{0}")
_NUMBER = _Kind("integer[]", "{0}")

_KINDS: Mapping[str, _Kind] = {
    "id": _ID,
    "page_id": _ID,
    "document_id": _ID,
    "look_id": _ID,
    "url": _NEEDED_TEXT,
    "source": _NEEDED_TEXT,
    "number": _NUMBER,
    "clicks": _NUMBER,
    "external_hops": _NUMBER,
    "position": _NUMBER,
    "verdict_id": _Kind("bigint[]", "{0}"),
    "depth": _NUMBER,
    "sitemap_priority": _Kind("float8[]", "CASE WHEN {0} <> -1.0 THEN {0} END"),
    "reason": _RARE_TEXT,
    "rule": _RARE_TEXT,
    "title": _RARE_TEXT,
    "language": _RARE_TEXT,
    "category": _RARE_TEXT,
    "details": _RARE_TEXT,
}


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
        "depth": rows.depths,
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
    places = zip(repeats.ids, repeats.positions, strict=True)
    unique = dict(zip(places, lastmods, strict=True))
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
    names = ", ".join(columns)
    values = [_KINDS.get(name, _TEXT).value.format(f"b.{name}") for name in columns]
    target = f"INTO {table} ({', '.join([*columns, *constants])})"
    chosen = f"SELECT {', '.join([*values, *constants.values()])} FROM"
    if connection.dialect.name == "sqlite":
        # Whatever fails undoes the whole transaction, so no statement has to undo itself.
        source = f"WITH b({names}) AS (VALUES {{rows}}) {chosen} b WHERE true"
        at_least = _ROWS_AT_ONCE if is_repeated else _MANY_ROWS
        _insert_rows(connection, f"INSERT OR FAIL {target} {source} {conflict}", columns, at_least)
    else:
        arrays = ", ".join(f"%s::{_KINDS.get(name, _TEXT).array}" for name in columns)
        connection.exec_driver_sql(
            f"INSERT {target} {chosen} unnest({arrays}) AS b({names}) {conflict}",
            tuple(map(list, columns.values())),
        )


def _insert_rows(
    connection: Connection,
    statement: str,
    columns: Mapping[str, Sequence[Any]],
    at_least: int,
) -> None:
    width = len(columns)
    rows = len(next(iter(columns.values())))
    # Row after row in one list, from which each statement gets its share: no tuple for each row.
    flat: list[Any] = [None] * (rows * width)
    for place, (name, column) in enumerate(columns.items()):
        is_rare = _KINDS.get(name) is _RARE_TEXT
        flat[place::width] = [value or 0 for value in column] if is_rare else column
    row = f"({', '.join('?' * width)})"
    together = rows - rows % _ROWS_AT_ONCE if rows >= at_least else 0
    for start, stop, size in ((0, together, _ROWS_AT_ONCE), (together, rows, 1)):
        if start < stop:
            step = size * width
            connection.exec_driver_sql(
                statement.format(rows=", ".join([row] * size)),
                [tuple(flat[at : at + step]) for at in range(start * width, stop * width, step)],
            )
