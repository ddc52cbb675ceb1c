"""Writes the index of a site's inventory (``schema/page_index.py``).

What it should say is computed into a temporary table, for which nobody has to wait. Only rows that
differ are written, in short transactions, so that scans of other sites can write in between. While
it is being written, the site counts as not indexed.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import delete, insert, select, update
from sqlalchemy.exc import DBAPIError
from sqlalchemy.schema import CreateIndex, DropIndex

from sitecrawl.store import schema as t
from sitecrawl.store.driver_errors import explained
from sitecrawl.store.queries.facets import (
    COMBINED,
    OF_CLASS,
    classes_of,
    combination,
    facet_values,
)
from sitecrawl.store.queries.page_filter import ALL_PAGES
from sitecrawl.store.queries.page_index import SEARCH_TABLE, is_indexed, site_mark_sql
from sitecrawl.store.queries.page_sql import dialect_of
from sitecrawl.store.queries.pages import ensure_classes, page_statements
from sitecrawl.store.writers.bulk import insert_columns, literal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy.engine import Connection, RootTransaction

    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.scans import Scan

logger = logging.getLogger(__name__)

_ROWS_AT_ONCE: Final = 100_000
_OWN_COLUMNS: Final = {
    "number": "p.number",
    "first_scan_id": "p.first_scan_id",
    "lastmod": "coalesce({m}.lastmod, '')",
    "url": "p.url",
    "title": "coalesce(p.title, '')",
}
_FIRST_AND_LAST: Final = "SELECT min(number), max(number) FROM {rows}"
_REMOVE_GONE: Final = """
DELETE FROM page_index WHERE site_id = {site} AND number NOT IN (SELECT number FROM computed)
"""
_DIFFERS: Final = """
(old.number IS NULL OR old.facet_id <> facet.id OR old.lastmod <> computed.lastmod
OR old.url <> computed.url OR old.title <> computed.title)
"""
_COMPUTED: Final = """
FROM computed JOIN facet_ids AS facet ON facet.combination = computed.combination
LEFT JOIN page_index AS old ON old.number = computed.number
WHERE computed.number BETWEEN {first} AND {last}
"""
_WRITE: Final = """
INSERT INTO page_index (number, site_id, facet_id, first_scan_id, lastmod, url, title)
SELECT computed.number, {site}, facet.id, computed.first_scan_id, computed.lastmod, computed.url,
    computed.title {computed} AND {differs} ORDER BY computed.number
ON CONFLICT (number) DO UPDATE SET facet_id = excluded.facet_id,
    first_scan_id = excluded.first_scan_id, lastmod = excluded.lastmod, url = excluded.url,
    title = excluded.title
"""
# Without the texts themselves: it only says which pages may have a text, and is told what it had.
_CREATE_SEARCH: Final = """
CREATE VIRTUAL TABLE IF NOT EXISTS {search} USING fts5(
    text, content='', tokenize='trigram', detail='none', columnsize=0)
"""
_TEXT: Final = "{mark} || {row}.url || char(10) || {row}.title"
_SEARCH_FORGET_GONE: Final = """
INSERT INTO {search} ({search}, rowid, text) SELECT 'delete', old.number, {old_text}
FROM page_index AS old WHERE old.site_id = {site} AND old.number <= {texts_until}
AND old.number NOT IN (SELECT number FROM computed)
"""
_SEARCH_FORGET: Final = """
INSERT INTO {search} ({search}, rowid, text) SELECT 'delete', old.number, {old_text}
{computed} AND computed.number <= {texts_until}
AND (old.url <> computed.url OR old.title <> computed.title)
"""
_SEARCH_RENEW: Final = """
INSERT INTO {search} (rowid, text) SELECT computed.number, {new_text}
{computed} AND computed.number <= {texts_until}
AND (old.number IS NULL OR old.url <> computed.url OR old.title <> computed.title)
"""
_SEARCH_ADD: Final = """
INSERT INTO {search} (rowid, text) SELECT old.number, {old_text} FROM page_index AS old
WHERE old.site_id = {site} AND old.number BETWEEN {first} AND {last}
AND old.number > {texts_until} ORDER BY old.number
"""
_TRIGRAM_INDEX: Final = """
CREATE INDEX IF NOT EXISTS ix_page_index_texts ON page_index
USING gin (lower(url) gin_trgm_ops, lower(title) gin_trgm_ops)
"""


def index_pages(database: Database, scan: Scan, *, with_texts: bool = True) -> bool:
    """Index the inventory as of the scan, which has ended; False: it is indexed already.

    *with_texts* also indexes the texts in URLs and titles, which takes twice as long; from then on
    they are kept up to date.
    """
    with explained(database.label), database.engine.connect() as connection:
        if is_indexed(connection, scan, with_texts=with_texts):
            return False
        _PageIndexWriter(database, connection, scan).write(with_texts=with_texts)
    return True


class _PageIndexWriter:
    def __init__(self, database: Database, connection: Connection, scan: Scan) -> None:
        self._database = database
        self._connection = connection
        self._scan = scan
        self._dialect = dialect_of(connection.dialect.name)
        mark = site_mark_sql(scan.site_id)
        self._names = {
            "site": literal(scan.site_id),
            "search": SEARCH_TABLE,
            "differs": _DIFFERS,
            "old_text": _TEXT.format(mark=mark, row="old"),
            "new_text": _TEXT.format(mark=mark, row="computed"),
        }

    def write(self, *, with_texts: bool) -> None:
        has_rows = is_indexed(self._connection, self._scan)
        with self._transaction():
            texts_until = self._begin()
        self._names["texts_until"] = literal(texts_until)
        if not has_rows:
            self._write_pages()
        if with_texts or texts_until:
            self._index_texts()
        with self._transaction():
            self._end()

    def _write_pages(self) -> None:
        with self._transaction("DEFERRED"):
            self._compute()
        with self._transaction():
            any_row = self._connection.execute(select(t.page_index.c.number).limit(1)).first()
            if any_row is None:
                self._drop_indexes()
            self._write_facets()
            self._remove_gone()
        for names in self._ranges("computed"):
            with self._transaction():
                self._write_rows(names)
        for index in t.page_index.indexes:
            with self._transaction():
                self._connection.execute(CreateIndex(index, if_not_exists=True))

    def _transaction(self, mode: str = "IMMEDIATE") -> RootTransaction:
        # All on one connection, because temporary tables are its own.
        self._connection.rollback()
        return self._connection.execution_options(sitecrawl_begin=mode).begin()

    def _begin(self) -> int:
        """Mark the site as not indexed; give the number up to which its texts are."""
        own = t.indexed_sites.c.site_id == self._scan.site_id
        known = self._connection.scalar(select(t.indexed_sites.c.texts_until).where(own))
        self._connection.execute(delete(t.indexed_sites).where(own))
        self._connection.execute(
            insert(t.indexed_sites).values(
                site_id=self._scan.site_id, scan_id=self._scan.id, texts_until=known or 0
            )
        )
        return known or 0

    def _compute(self) -> None:
        ensure_classes(self._database, self._connection, self._scan)
        columns = [f"{sql} AS {name}" for name, sql in _OWN_COLUMNS.items()]
        columns.append(f"{combination(self._database, self._scan)} AS combination")
        self._drop_temporary()
        start = "CREATE TEMPORARY TABLE computed AS "
        for statement in page_statements(self._connection, self._scan, ALL_PAGES, columns):
            self._connection.exec_driver_sql(start + statement)
            start = "INSERT INTO computed "
        self._connection.exec_driver_sql("CREATE UNIQUE INDEX computed_number ON computed (number)")
        if not self._dialect.is_sqlite:
            self._connection.exec_driver_sql("ANALYZE computed")

    def _drop_temporary(self) -> None:
        for name in ("computed", "facet_ids"):
            self._connection.exec_driver_sql(f"DROP TABLE IF EXISTS {name}")

    def _write_facets(self) -> None:
        """Give every combination a row of facets; one that was there keeps its number."""
        own = t.page_facets.c.site_id == self._scan.site_id
        known = {
            _identity(row._asdict()): row.id
            for row in self._connection.execute(select(t.page_facets).where(own))
        }
        next_id = max(known.values(), default=self._scan.site_id << 32) + 1
        counted = self._connection.exec_driver_sql(
            "SELECT combination, count(*) FROM computed GROUP BY combination"
        ).all()
        classes = classes_of(self._connection, self._scan)
        rows: dict[int, dict[str, Any]] = {}
        ids: dict[str, int] = {}
        for text, pages in counted:
            values = facet_values(text, classes)
            identity = _identity(values)
            facet_id = known.get(identity)
            if facet_id is None:
                facet_id = known[identity] = next_id
                next_id += 1
            ids[text] = facet_id
            row = rows.setdefault(facet_id, values | {"id": facet_id, "pages": 0})
            row["site_id"], row["pages"] = self._scan.site_id, row["pages"] + pages
        self._connection.execute(delete(t.page_facets).where(own))
        if rows:
            self._connection.execute(insert(t.page_facets), list(rows.values()))
        self._connection.exec_driver_sql(
            "CREATE TEMPORARY TABLE facet_ids (combination TEXT PRIMARY KEY, id BIGINT)"
        )
        if ids:
            columns: dict[str, list[Any]] = {
                "combination": list(ids),
                "id": list(ids.values()),
            }
            insert_columns(self._connection, "facet_ids", columns, {})

    def _remove_gone(self) -> None:
        if self._updates_texts:
            self._run(_SEARCH_FORGET_GONE)
        self._run(_REMOVE_GONE)

    def _write_rows(self, names: dict[str, str]) -> None:
        names["computed"] = _COMPUTED.format_map(names)
        if self._updates_texts:
            self._run(_SEARCH_FORGET, names)
            self._run(_SEARCH_RENEW, names)
        self._run(_WRITE, names)

    @property
    def _updates_texts(self) -> bool:
        # PostgreSQL keeps its index up to date by itself.
        return self._dialect.is_sqlite and self._names["texts_until"] != "0"

    def _index_texts(self) -> None:
        if not self._dialect.is_sqlite:
            self._index_trigrams()
            return
        with self._transaction():
            self._run(_CREATE_SEARCH)
        for names in self._ranges("page_index WHERE site_id = {site}"):
            with self._transaction():
                self._run(_SEARCH_ADD, names)
                self._set_texts_until(int(names["last"]))

    def _index_trigrams(self) -> None:
        try:
            with self._transaction():
                self._connection.exec_driver_sql("CREATE EXTENSION IF NOT EXISTS pg_trgm")
                self._connection.exec_driver_sql(_TRIGRAM_INDEX)
                self._set_texts_until(1)
        except DBAPIError as error:
            logger.info("Searches read all pages: the server has no pg_trgm (%s)", error.orig)

    def _set_texts_until(self, number: int) -> None:
        own = t.indexed_sites.c.site_id == self._scan.site_id
        greater = t.indexed_sites.c.texts_until < number
        change = update(t.indexed_sites).where(own, greater).values(texts_until=number)
        self._connection.execute(change)

    def _ranges(self, rows: str) -> Iterator[dict[str, str]]:
        statement = _FIRST_AND_LAST.format(rows=rows.format_map(self._names))
        with self._transaction("DEFERRED"):
            first, last = self._connection.exec_driver_sql(statement).one()
        for start in range(first, last + 1, _ROWS_AT_ONCE) if first is not None else ():
            yield {"first": str(start), "last": str(min(start + _ROWS_AT_ONCE - 1, last))}

    def _drop_indexes(self) -> None:
        for index in t.page_index.indexes:
            self._connection.execute(DropIndex(index, if_exists=True))

    def _end(self) -> None:
        self._drop_temporary()
        if not self._dialect.is_sqlite:
            # The planner has to know how many rows a combination has.
            for table in ("page_facets", "page_index"):
                self._connection.exec_driver_sql(f"ANALYZE {table}")
        own = t.indexed_sites.c.site_id == self._scan.site_id
        finished_at = self._scan.finished_at
        self._connection.execute(update(t.indexed_sites).where(own).values(finished_at=finished_at))

    def _run(self, statement: str, names: dict[str, str] | None = None) -> None:
        self._connection.exec_driver_sql(statement.format_map(self._names | (names or {})))


def _identity(values: dict[str, Any]) -> tuple[Any, ...]:
    lists = tuple(tuple(values[name]) for name in ("sources", "clusters"))
    return (*lists, *(values[name] for name in (*COMBINED, *OF_CLASS[:-1])))
