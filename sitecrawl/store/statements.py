"""Statements that run once for every page, made once.

SQLAlchemy takes longer to put such a statement together than the database takes to run it. What
gives no result can also be gathered, and run for several pages at once.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sqlalchemy import Table
    from sqlalchemy.engine import Connection, Dialect


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
        self.place = "?" if dialect.name == "sqlite" else "%s"
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
        self._row = f"({', '.join([self._values.place] * len(names))})"
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

    The condition has one place, ``{}``, for a number.
    """

    def __init__(
        self, table: Table, names: Sequence[str], dialect: Dialect, condition: str
    ) -> None:
        self._values = PreparedValues(table, names, dialect)
        place = self._values.place
        assignments = ", ".join(f"{name} = {place}" for name in names)
        self.gathered = Gathered(
            f"UPDATE {table.name} SET {assignments} WHERE {condition.format(place)}"  # noqa: S608  own words
        )

    def gather(self, values: Mapping[str, Any], key: int) -> None:
        """Update the row when what is gathered is run."""
        self.gathered.add((*self._values.of(values), key))
