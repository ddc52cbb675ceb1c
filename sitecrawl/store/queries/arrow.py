"""The pages of an inventory as Arrow record batches, for data frames and Parquet.

Of a page only its own few columns are read. What it shares with others (its class, document,
verdict, first scan), and what only some pages have (a visit, a title, further sources), is read
once from the table that has it and taken by index, which Arrow does in C: that takes less than half
of the time that joins of the database take. Needs the extra ``parquet``.
"""

from __future__ import annotations

import json
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sqlalchemy import select, text

from sitecrawl.errors import ExtraMissingError
from sitecrawl.store import schema as t
from sitecrawl.store.queries.feed import (
    FEED_FIELDS,
    FLAG_FIELDS,
    FLOAT_FIELDS,
    INTEGER_FIELDS,
    LIST_FIELDS,
    FeedFields,
)
from sitecrawl.store.queries.page_filter import LISTED_PAGES
from sitecrawl.store.queries.pages import reading_pages, select_by_table
from sitecrawl.store.vocabulary import PageStatus
from sitecrawl.urls.address import origin_of
from sitecrawl.urls.canonical import DEFAULT_KEY_RULES, KeyRules, page_key

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.page_filter import PageFilter
    from sitecrawl.store.queries.pages import PageReader
    from sitecrawl.store.queries.scans import Scan


class _Table(NamedTuple):
    """A table beside the pages."""

    refers: str
    """The column of a page that refers to a row of it."""
    id: str
    rows_from: str


_BATCH_ROWS: Final = 200_000
# So few rows are still in the cache of the processor when they are turned into columns.
_ROWS_AT_ONCE: Final = 500
# Tables with far fewer rows than pages.
_SHARED_TABLES: Final = {
    "k": _Table("pc.class_id", "k.id", "FROM classes AS k WHERE k.site_id = {site}"),
    "d": _Table("{m}.document_id", "d.id", "FROM documents AS d WHERE d.site_id = {site}"),
    "r": _Table("p.verdict_id", "r.id", "FROM verdicts AS r WHERE r.site_id = {site}"),
    "first": _Table("p.first_scan_id", "first.id", "FROM started AS first"),
}
# What the rows of most pages do not have, and the columns that say so.
_RARE: Final = frozenset(
    {
        *("reason", "status", "rule", "title", "file_kind", "changefreq", "sitemap_priority"),
        *("importance", "region", "anchor"),
    }
)
_HAS_RARE: Final = " OR ".join(
    f"p.{column} IS NOT NULL"
    for column in (
        *("reason", "rule", "title", "category", "changefreq", "sitemap_priority", "importance"),
        *("region", "anchor"),
    )
)
# Tables with a row for some of the pages.
_PARTIAL_TABLES: Final = {
    "v": _Table("p.id", "v.page_id", "FROM visited AS v"),
    "s": _Table("p.id", "s.page_id", "FROM page_signals AS s WHERE s.site_id = {site}"),
    "f": _Table("p.number", "f.page_number", "FROM further AS f"),
    "p": _Table(
        "p.number",
        "p.number",
        f"FROM {{pages}} AS p WHERE p.site_id = {{site}} AND ({_HAS_RARE})",
    ),
}
# Of a page without a row in the table of the field; null for the others.
_ABSENT: Final = {"visited": False, "status": PageStatus.LISTED.value}
_LONGEST: Final = 1 << 24  # bytes of a URL: Arrow needs to know where to end
_URL: Final = "p.url"
_URL_FIELD: Final = "url"
_ID: Final = "id"  # no field of a feed
_SOURCE: Final = "{m}.source"
_FURTHER_SOURCES: Final = "CAST(f.sources AS TEXT)"


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
    # Of few pages, the database finds the rows of other tables that it needs.
    few, many = (_Plan(fields, scan, names, of_many=of_many) for of_many in (False, True))
    with reading_pages(database, scan, wanted, list(few.columns)) as connection:
        for reader in select_by_table(connection, scan, wanted, _ROWS_AT_ONCE):
            plan = many if reader.is_of_many else few
            lookups: dict[str, _Lookup] = {}
            for columns in _columns(reader.pages(list(plan.columns)), plan.columns.values()):
                lookups = lookups or plan.lookups(reader)
                arrays = plan.arrays(columns, lookups)
                yield arrow.RecordBatch.from_arrays(arrays, schema=schema)


def _columns(
    rows_of: Iterable[Sequence[tuple[Any, ...]]], names: Collection[str]
) -> Iterator[list[pa.Array]]:
    """The columns of about ``_BATCH_ROWS`` rows; *names* are the fields whose types they have."""
    arrow, size = _pyarrow(), 0
    parts: list[list[pa.Array]] = [[] for _ in names]
    for rows in rows_of:
        for part, name, values in zip(parts, names, zip(*rows, strict=True), strict=True):
            part.append(_stored(arrow, name, values))
        size += len(rows)
        if size >= _BATCH_ROWS:
            yield list(map(arrow.concat_arrays, parts))
            parts, size = [[] for _ in names], 0
    if size:
        yield list(map(arrow.concat_arrays, parts))


class _Plan:
    """Which columns of pages are read, and which tables beside them."""

    def __init__(
        self, fields: FeedFields, scan: Scan, names: Sequence[str], *, of_many: bool
    ) -> None:
        self.arrow = _pyarrow()
        self._names = names
        self._key_rules = fields.key_rules
        self._origin = origin_of(scan.root_url)
        self._tables = _SHARED_TABLES | (_PARTIAL_TABLES if of_many else {})
        self._fields: dict[str, dict[str, str]] = {}
        """By table, the SQL of the fields that are from it."""
        self._own: dict[str, str] = {}
        for name in names:
            sql, table = fields.column(name), self._table_of(fields, name)
            if name == "key":
                self._own[name] = _URL
            elif name == "sources" and of_many:
                self._fields["f"] = {name: _FURTHER_SOURCES}
                self._own[name] = _SOURCE
            elif table:
                self._fields.setdefault(table, {})[name] = sql
            elif sql != "NULL":
                self._own[name] = sql
        refers = {self._tables[table].refers: _ID for table in self._fields}
        # A sources column that is not JSON is the source alone.
        own = {sql: _URL_FIELD if sql == _SOURCE else name for name, sql in self._own.items()}
        self.columns = refers | own or {_URL: _URL_FIELD}
        """The SQL of what is read of each page, and the field whose type it has."""

    def _table_of(self, fields: FeedFields, name: str) -> str:
        """The table that the field can be taken from; empty: it is read with each page."""
        if name in _RARE:
            return "p" if "p" in self._tables else ""
        tables = fields.tables(name) - {"p"}
        table = tables.pop() if len(tables) == 1 else ""
        return table if table in self._tables else ""

    def lookups(self, reader: PageReader) -> dict[str, _Lookup]:
        return {
            table: _Lookup(self.arrow, reader, self._tables[table], named)
            for table, named in self._fields.items()
        }

    def arrays(self, columns: Sequence[pa.Array], lookups: Mapping[str, _Lookup]) -> list[pa.Array]:
        """The fields in their order."""
        given = dict(zip(self.columns, columns, strict=True))
        found: dict[str, pa.Array] = {}
        for table, lookup in lookups.items():
            found |= lookup.take(given[self._tables[table].refers])
        for name, sql in self._own.items():
            if name == "key":
                found[name] = _keys(self.arrow, given[sql], self._key_rules, self._origin)
            elif name == "sources" and name in found:
                found[name] = _all_sources(self.arrow, given[sql], found[name])
            else:
                found[name] = _parsed(self.arrow, name, given[sql])
        size = len(columns[0])
        return [
            found[name] if name in found else self.arrow.nulls(size, _type(self.arrow, name))
            for name in self._names
        ]


class _Lookup:
    """The rows of a table as Arrow arrays, found by id."""

    def __init__(
        self, arrow: Any, reader: PageReader, table: _Table, fields: Mapping[str, str]
    ) -> None:
        self._arrow = arrow
        self._compute = import_module("pyarrow.compute")
        rows_of = reader.table(table.rows_from, [table.id, *fields.values()])
        names = (_ID, *fields)
        batches = list(_columns(rows_of, names))
        ids, *arrays = (
            arrow.concat_arrays([batch[at] for batch in batches] or [_stored(arrow, name, ())])
            for at, name in enumerate(names)
        )
        self._ids = ids
        self._arrays = {
            # Of the further sources the text is kept: a page has one of its own before them.
            name: array if sql == _FURTHER_SOURCES else _parsed(arrow, name, array)
            for (name, sql), array in zip(fields.items(), arrays, strict=True)
        }

    def take(self, keys: pa.Array) -> dict[str, pa.Array]:
        """The fields of the rows with these ids; of a page without a row what it has then."""
        places = self._compute.index_in(keys, self._ids)
        taken = {name: array.take(places) for name, array in self._arrays.items()}
        for name in _ABSENT.keys() & taken.keys():
            taken[name] = taken[name].fill_null(_ABSENT[name])
        return taken


def _keys(arrow: Any, texts: pa.Array, rules: KeyRules, origin: str) -> pa.Array:
    """The keys of the pages: of nearly all a part of the URL, which Arrow cuts out."""
    if rules != DEFAULT_KEY_RULES:
        return arrow.array([page_key(url, rules) for url in texts.to_pylist()], arrow.string())
    compute: Any = import_module("pyarrow.compute")
    # Bytes, which need not be decoded: an origin is ASCII.
    encoded, start = texts.view(arrow.binary()), len(origin) - len(page_key(origin))
    is_elsewhere = compute.invert(compute.starts_with(texts, f"{origin}/"))
    is_other = compute.or_(is_elsewhere, compute.match_substring_regex(texts, "/[?#]"))
    keys = compute.binary_slice(encoded, start, _LONGEST)
    ends_as_folder = compute.ends_with(texts, "/")
    if compute.any(ends_as_folder).as_py():
        has_tail = compute.match_substring_regex(texts, "[?#]")
        is_folder = compute.and_not(ends_as_folder, has_tail)
        keys = compute.if_else(is_folder, compute.binary_slice(encoded, start, -1), keys)
    if compute.any(is_other).as_py():
        others = [page_key(url).encode() for url in texts.filter(is_other).to_pylist()]
        keys = compute.replace_with_mask(keys, is_other, arrow.array(others, arrow.binary()))
    return keys.view(arrow.string())


def _all_sources(arrow: Any, first: pa.Array, further: pa.Array) -> pa.Array:
    """The source of each page, then the further ones, which are JSON."""
    compute: Any = import_module("pyarrow.compute")
    pairs = compute.binary_join_element_wise(first, further.fill_null("[]"), "\n")
    pairs = pairs.dictionary_encode()
    lists = []
    for pair in pairs.dictionary.to_pylist():
        own, _, others = pair.partition("\n")
        lists.append([own, *(each for each in json.loads(others) if each != own)])
    return arrow.array(lists, _type(arrow, "sources")).take(pairs.indices)


def _stored(arrow: Any, name: str, column: Sequence[Any]) -> pa.Array:
    """The values of a field as the database gives them: lists are JSON."""
    if name in LIST_FIELDS:
        return arrow.array(column, arrow.string())
    if name in FLAG_FIELDS:
        column = [None if flag is None else bool(flag) for flag in column]
    return arrow.array(column, _type(arrow, name))


def _parsed(arrow: Any, name: str, column: pa.Array) -> pa.Array:
    """The same with lists: each text is read once."""
    if name not in LIST_FIELDS:
        return column
    texts = column.dictionary_encode()
    lists = [None if text is None else json.loads(text) for text in texts.dictionary.to_pylist()]
    return arrow.array(lists, _type(arrow, name)).take(texts.indices)


def _type(arrow: Any, name: str) -> Any:
    if name == _ID:
        return arrow.int64()
    if name == "clusters":
        # Many pages are in the same clusters: their names would be half of the memory.
        return arrow.list_(arrow.dictionary(arrow.int32(), arrow.string()))
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


_DATASET_BATCH_ROWS: Final = 50_000
MENTION_FIELDS: Final = (
    *("url", "document", "position", "source", "region", "anchor", "rel", "lastmod"),
)
CHANGE_FIELDS: Final = (
    *("id", "kind", "url", "other_url", "before", "after", "confidence", "status", "occurred_at"),
)
# Not by the view of all mentions, whose first half would be joined with itself. A cross join keeps
# SQLite from searching the mentions of each page.
_MENTIONS: Final = """
SELECT p.url, d.url AS document, p.position, p.source, p.region, p.anchor, p.rel, p.lastmod
FROM pages AS p LEFT JOIN documents AS d ON d.id = p.document_id
WHERE p.site_id = :site AND p.seen_scan_id = :scan
UNION ALL
SELECT p.url, d.url, o.position, c.source, c.region, o.anchor, c.rel, o.lastmod
FROM other_mentions AS o CROSS JOIN link_contexts AS c CROSS JOIN pages AS p
LEFT JOIN documents AS d ON d.id = o.document_id
WHERE o.scan_id = :scan AND c.id = o.context_id AND p.id = o.page_id AND p.site_id = :site
"""


def mention_batches(database: Database, scan: Scan) -> Iterator[pa.RecordBatch]:
    """What the scan was the last to see: which document mentions which URL, and how."""
    arrow = import_module("pyarrow")
    types = {name: arrow.string() for name in MENTION_FIELDS} | {"position": arrow.int32()}
    schema = arrow.schema(list(types.items()))
    values = {"scan": scan.id, "site": scan.site_id}
    with database.reading() as connection:
        streaming = connection.execution_options(stream_results=True)
        for rows in streaming.execute(text(_MENTIONS), values).partitions(_DATASET_BATCH_ROWS):
            yield _batch(arrow, schema, rows)


def change_batches(database: Database, scan: Scan) -> Iterator[pa.RecordBatch]:
    """The changes that the scan brought; what was before and is after as JSON."""
    arrow = import_module("pyarrow")
    types = {name: arrow.string() for name in CHANGE_FIELDS} | {
        "id": arrow.int64(),
        "confidence": arrow.float64(),
        "occurred_at": arrow.timestamp("ms", tz="UTC"),
    }
    schema = arrow.schema(list(types.items()))
    other, own = t.pages.alias("other"), t.changes.c
    statement = (
        select(
            *(own.id, own.kind, t.pages.c.url, other.c.url.label("other_url")),
            *(own.before, own.after, own.confidence, own.status, own.occurred_at),
        )
        .join_from(t.changes, t.pages, t.pages.c.id == own.page_id, isouter=True)
        .join(other, other.c.id == own.other_page_id, isouter=True)
        .where(own.scan_id == scan.id)
        .order_by(own.id)
    )
    with database.reading() as connection:
        streaming = connection.execution_options(stream_results=True)
        for rows in streaming.execute(statement).partitions(_DATASET_BATCH_ROWS):
            yield _batch(arrow, schema, [tuple(map(_plain, row)) for row in rows])


def _plain(value: Any) -> Any:
    return json.dumps(value, sort_keys=True) if isinstance(value, dict | list) else value


def _batch(arrow: Any, schema: pa.Schema, rows: Sequence[Any]) -> pa.RecordBatch:
    columns = zip(*rows, strict=True)
    arrays = [
        arrow.array(list(column), field.type) for column, field in zip(columns, schema, strict=True)
    ]
    return arrow.RecordBatch.from_arrays(arrays, schema=schema)
