"""Statements that run once for every page, made once.

SQLAlchemy takes longer to put such a statement together than the database takes to run it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sqlalchemy import Table
    from sqlalchemy.engine import Connection, Dialect


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


class PreparedInsert:
    """``INSERT`` of one row into the columns *names*, with *suffix* for what follows the values."""

    def __init__(
        self, table: Table, names: Sequence[str], dialect: Dialect, suffix: str = ""
    ) -> None:
        self._values = PreparedValues(table, names, dialect)
        places = ", ".join([self._values.place] * len(names))
        self._sql = f"INSERT INTO {table.name} ({', '.join(names)}) VALUES ({places}) {suffix}"  # noqa: S608  own words

    def run(self, connection: Connection, values: Mapping[str, Any]) -> Any:
        return connection.exec_driver_sql(self._sql, self._values.of(values))


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
        self._sql = f"UPDATE {table.name} SET {assignments} WHERE {condition.format(place)}"  # noqa: S608  own words

    def run(self, connection: Connection, values: Mapping[str, Any], key: int) -> None:
        connection.exec_driver_sql(self._sql, (*self._values.of(values), key))
