"""The pages of an inventory as Arrow record batches, for data frames and Parquet.

Pages share what their class, their document, their verdict and their first scan say. These rows are
read once and taken by index, which Arrow does in C; of a page only its own fields are read. Needs
the extra ``parquet``.
"""

from __future__ import annotations

import json
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from sitecrawl.errors import ExtraMissingError
from sitecrawl.store.queries.feed import (
    FEED_FIELDS,
    FLAG_FIELDS,
    FLOAT_FIELDS,
    INTEGER_FIELDS,
    LIST_FIELDS,
    FeedFields,
)
from sitecrawl.store.queries.pages import LISTED_PAGES, reading_pages, select_pages

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa
    from sqlalchemy.engine import Connection

    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.pages import PageFilter
    from sitecrawl.store.queries.scans import Scan

_BATCH_ROWS: Final = 50_000
# Tables with far fewer rows than pages: the column of a page that refers to them, and their rows.
_SHARED_TABLES: Final = {
    "k": ("pc.class_id", "SELECT k.id, {fields} FROM classes AS k WHERE k.site_id = {site}"),
    "d": ("{m}.document_id", "SELECT d.id, {fields} FROM documents AS d WHERE d.site_id = {site}"),
    "r": ("p.verdict_id", "SELECT r.id, {fields} FROM verdicts AS r WHERE r.site_id = {site}"),
    "first": (
        "p.first_scan_id",
        "SELECT first.id, {fields} FROM scans AS first WHERE first.site_id = {site}",
    ),
}


def arrow_schema(names: Sequence[str] = FEED_FIELDS) -> pa.Schema:
    """The types of the fields, which do not depend on the rows."""
    arrow = _pyarrow()
    return arrow.schema([(name, _type(arrow, name)) for name in names])


def arrow_batches(
    database: Database,
    scan: Scan,
    wanted: PageFilter = LISTED_PAGES,
    names: Sequence[str] = FEED_FIELDS,
) -> Iterator[pa.RecordBatch]:
    """The fields of the wanted pages, in the order in which the pages were first seen."""
    arrow, schema = _pyarrow(), arrow_schema(names)
    fields = FeedFields(database, scan)
    shared = {
        name: table for name in names if (table := fields.shared_table(name)) in _SHARED_TABLES
    }
    tables = [table for table in _SHARED_TABLES if table in shared.values()]
    own = [name for name in names if name not in shared]
    columns = [
        *(_SHARED_TABLES[table][0] for table in tables),
        *(fields.column(name) for name in own),
    ]
    with reading_pages(database, scan, wanted, columns) as connection:
        lookups = {
            table: _Lookup(
                connection,
                scan,
                table,
                [name for name in names if shared.get(name) == table],
                fields,
            )
            for table in tables
        }
        rows_of = select_pages(connection, scan, wanted, columns, at_once=_BATCH_ROWS)
        for rows in rows_of:
            given = list(zip(*rows, strict=True))
            arrays: dict[str, pa.Array] = {}
            for lookup, keys in zip(lookups.values(), given, strict=False):
                arrays |= lookup.take(keys)
            for name, column in zip(own, given[len(tables) :], strict=True):
                arrays[name] = _array(arrow, name, column)
            yield arrow.RecordBatch.from_arrays([arrays[name] for name in names], schema=schema)


class _Lookup:
    """The rows of a shared table as Arrow arrays, found by id."""

    def __init__(
        self,
        connection: Connection,
        scan: Scan,
        table: str,
        names: Sequence[str],
        fields: FeedFields,
    ):
        self._arrow = arrow = _pyarrow()
        self._compute = import_module("pyarrow.compute")
        chosen = ", ".join(fields.column(name) for name in names)
        statement = _SHARED_TABLES[table][1].format(fields=chosen, site=int(scan.site_id))
        rows = [tuple(row) for row in connection.exec_driver_sql(statement)]
        ids, *columns = zip(*rows, strict=True) if rows else ((), *((),) * len(names))
        self._ids = arrow.array(ids, arrow.int64())
        self._arrays = {
            name: _array(arrow, name, column) for name, column in zip(names, columns, strict=True)
        }

    def take(self, keys: Sequence[int | None]) -> dict[str, pa.Array]:
        """The fields of the rows with these ids; null where there is none."""
        places = self._compute.index_in(self._arrow.array(keys, self._arrow.int64()), self._ids)
        return {name: array.take(places) for name, array in self._arrays.items()}


def _array(arrow: Any, name: str, column: Sequence[Any]) -> pa.Array:
    type_ = _type(arrow, name)
    if column.count(None) == len(column):
        return arrow.nulls(len(column), type_)
    if name in LIST_FIELDS:
        texts = arrow.array(column, arrow.string()).dictionary_encode()
        lists = [
            None if text is None else json.loads(text) for text in texts.dictionary.to_pylist()
        ]
        return arrow.array(lists, type_).take(texts.indices)
    if name in FLAG_FIELDS:
        column = [None if flag is None else bool(flag) for flag in column]
    return arrow.array(column, type_)


def _type(arrow: Any, name: str) -> Any:
    if name in LIST_FIELDS:
        return arrow.list_(arrow.string())
    if name in FLOAT_FIELDS:
        return arrow.float64()
    if name in INTEGER_FIELDS:
        return arrow.int32()
    return arrow.bool_() if name in FLAG_FIELDS else arrow.string()


def _pyarrow() -> Any:
    try:
        return import_module("pyarrow")
    except ImportError as error:
        raise ExtraMissingError(
            "data frames and Parquet need the pyarrow package; pip install 'sitecrawl[parquet]'"
        ) from error
