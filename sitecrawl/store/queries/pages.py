"""Reads the pages of the inventory as of a scan: one query for all who filter pages.

The inventory is what all scans up to this one know (``queries/scans.py``). Of each page it has what
the last scan said that could tell.

What is asked for in pages of a list comes from the index, if there is one (``page_index.py``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from sqlalchemy import func, select

from sitecrawl.store.engine import driver_rows
from sitecrawl.store.queries.cursors import Position
from sitecrawl.store.queries.page_filter import (
    ALL_PAGES,
    LISTED_PAGES,
    Condition,
    PageFilter,
    PageOrder,
)
from sitecrawl.store.queries.page_index import BoundedCount, is_indexed, page_index
from sitecrawl.store.queries.page_sql import (
    ATTRIBUTES,
    BY_CLASS,
    BY_OTHER_MENTION,
    BY_OWN_MENTION,
    COLUMNS,
    COMMON_TABLES,
    FURTHER_INDEXED,
    JOINS,
    TEXT_SOURCES,
    bound_values,
    dialect_of,
    sort_key,
    spelled,
    tables_of,
)
from sitecrawl.store.queries.scans import membership
from sitecrawl.store.queries.sitemap_comparison import link_names
from sitecrawl.store.schema import classifications, pages, scans, visits

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence

    from sqlalchemy.engine import Connection

    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.page_sql import Dialect
    from sitecrawl.store.queries.scans import Scan

_ROWS_AT_ONCE: Final = 500
_IDS_AT_ONCE: Final = 10_000

_WAY: Final = "SELECT * FROM ({}) AS way"
_COUNT: Final = "SELECT count(*) FROM ({}) AS wanted"
_OF_SITE: Final = "listing.site_id = {site} AND other.document_id = listing.id"
# As ``membership`` has it, asked once for each document instead of each mention.
_NOW_COUNTS: Final = """
listing.gone_scan_id IS NULL AND other.scan_id >= coalesce(listing.content_scan_id, 0)
"""
_FEW: Final = "(SELECT id FROM pages WHERE {chosen}) AS few CROSS JOIN "
# Documents that the scan has not read or confirmed, and that may list pages which it did not see.
_ANY_UNCONFIRMED: Final = """
SELECT 1 FROM documents
WHERE site_id = {site} AND kind IN ('sitemap', 'page') AND gone_scan_id IS NULL
AND content_scan_id IS NOT NULL AND last_scan_id < {scan} AND coalesce(entries, 1) > 0 LIMIT 1
"""
_CONFIRMING: Final = "(SELECT id FROM documents WHERE site_id = {site} AND last_scan_id >= {scan})"
_LISTED: Final = """
SELECT count(*), count(CASE WHEN NOT {own_counts} THEN 1 END)
FROM {pages} AS p WHERE p.site_id = {site} AND p.reason IS NULL
"""


@dataclass(frozen=True, slots=True)
class PageCount:
    reason: str | None
    source: str
    pages: int


def page_rows(
    database: Database, scan: Scan, wanted: PageFilter, columns: Sequence[str]
) -> Generator[Sequence[tuple[Any, ...]], None, None]:
    """The pages in the order in which they were first seen: lists of rows of these COLUMNS."""
    chosen = [COLUMNS[name] for name in columns]
    with reading_pages(database, scan, wanted, chosen) as connection:
        yield from select_pages(connection, scan, wanted, chosen)


def count_pages(database: Database, scan: Scan, wanted: PageFilter = ALL_PAGES) -> list[PageCount]:
    """How many pages there are by reason and source, the most first."""
    names = ("p.reason", "{m}.source")
    chosen, tail = (*names, "count(*)"), f"GROUP BY {', '.join(names)}"
    totals: Counter[tuple[str | None, str]] = Counter()
    with reading_pages(database, scan, wanted, chosen) as connection:
        for rows in select_pages(connection, scan, wanted, chosen, tail):
            for reason, source, number in rows:
                totals[reason, source] += number
    return [PageCount(reason, source, number) for (reason, source), number in totals.most_common()]


def count_wanted(
    database: Database, scan: Scan, wanted: PageFilter, bound: int | None = None
) -> BoundedCount:
    """How many pages are wanted; *bound*: it is enough to know that there are more than so many."""
    with reading_pages(database, scan, wanted, ()) as connection:
        if index := page_index(connection, scan, wanted):
            return index.count(bound)
        statement = _Statement(connection, scan, wanted, ["1"])
        ways = " UNION ALL ".join(map(_WAY.format, statement.by_mention("")))
        limit = "" if bound is None else f" LIMIT {bound + 1}"
        [[(pages,)]] = statement.rows(_COUNT.format(f"{ways}{limit}"))
    if bound is not None and pages > bound:
        return BoundedCount(bound, is_more=True)
    return BoundedCount(pages)


def count_listed(database: Database, scan: Scan) -> int:
    """How many pages are listed, for a fifth of what it costs to count them by source."""
    with database.reading() as connection:
        listed = connection.exec_driver_sql(_LISTED.format_map(membership(scan)))
        number, without_own = listed.one()
    if not without_own:
        return int(number)
    return sum(count.pages for count in count_pages(database, scan, LISTED_PAGES))


def has_unconfirmed(database: Database, scan: Scan) -> bool:
    """Whether the inventory may have pages that the scan has not read or confirmed."""
    statement = _ANY_UNCONFIRMED.format(site=int(scan.site_id), scan=int(scan.id))
    with database.reading() as connection:
        return connection.exec_driver_sql(statement).first() is not None


@contextmanager
def reading_pages(
    database: Database, scan: Scan, wanted: PageFilter, columns: Sequence[str]
) -> Iterator[Connection]:
    """A connection for ``select_pages``, on which every page has its class if classes are wanted.

    Classes are stored when a scan ends. For a scan that has not ended, or was killed, they are
    computed now, into temporary tables of the same names, which end with the transaction.
    """
    named = [spelled(each.sql, ATTRIBUTES) for each in wanted.conditions()]
    if wanted.order is not None:
        named.append(
            sort_key(wanted.order.sort, ATTRIBUTES, dialect_of(database.engine.dialect.name))
        )
    is_by_class = not BY_CLASS.isdisjoint(tables_of(*columns, *named))
    with database.reading() as connection:
        if is_by_class:
            ensure_classes(database, connection, scan)
        yield connection


def ensure_classes(database: Database, connection: Connection, scan: Scan) -> None:
    """Make sure that on this connection every page has its class."""
    if not _has_classes(connection, scan.site_id):
        # A scan that ended in order needs nothing of this.
        from sitecrawl.store.writers.classes import write_temporary_classes

        write_temporary_classes(database, connection, scan)


def page_statements(
    connection: Connection, scan: Scan, wanted: PageFilter, columns: Sequence[str]
) -> list[str]:
    """Statements that together give *columns*, which are SQL, of the wanted pages."""
    return list(_Statement(connection, scan, wanted, columns).by_mention(""))


def select_pages(
    connection: Connection,
    scan: Scan,
    wanted: PageFilter,
    columns: Sequence[str],
    tail: str = "ORDER BY p.number",
    texts: Mapping[str, str] | None = None,
    at_once: int = _ROWS_AT_ONCE,
) -> Iterator[Sequence[tuple[Any, ...]]]:
    """Run the query for *columns*, which are SQL; every list has some of the rows.

    *texts* are SQL of texts by table (``ktext``): each is made once for every row of the table, not
    for every page, and is the column ``ktext.text``. A connection can have texts once.
    """
    if wanted.limit is not None:
        wanted = pages_at(wanted, page_positions(connection, scan, wanted))
    statement = _Statement(connection, scan, wanted, columns)
    if texts:
        statement.make_texts(texts)
    if wanted.order is None:
        for sql in statement.by_mention(tail):
            yield from statement.rows(sql, at_once)
    else:
        for rows in statement.rows(statement.sorted(wanted.order), at_once):
            yield [row[: len(columns)] for row in rows]


class PageReader(NamedTuple):
    """Reads pages that are found in one way, and the tables beside them."""

    is_of_many: bool
    """Whether most pages of the site may be among them, by the mention in their row."""
    pages: Callable[[Sequence[str]], Iterator[Sequence[tuple[Any, ...]]]]
    """Gives columns of the pages; of many in the order of their numbers."""
    table: Callable[[str, Sequence[str]], Iterator[Sequence[tuple[Any, ...]]]]
    """Gives columns of all rows from this SQL (``FROM ...``)."""


def select_by_table(
    connection: Connection, scan: Scan, wanted: PageFilter, at_once: int
) -> Iterator[PageReader]:
    """As ``select_pages``, for who joins the tables beside pages himself."""
    statement = _Statement(connection, scan, wanted, ())
    ways = statement.ways()
    if wanted.order is not None or wanted.limit is not None:
        pages = partial(select_pages, connection, scan, wanted, at_once=at_once)
        yield PageReader(False, pages, partial(statement.table_rows, ways[0], at_once))
        return
    for way in ways:
        is_of_many = way[0] == "p" and not wanted.is_of_few
        pages = partial(statement.page_rows, way, at_once)
        yield PageReader(is_of_many, pages, partial(statement.table_rows, way, at_once))


def page_positions(connection: Connection, scan: Scan, wanted: PageFilter) -> list[Position]:
    """Where the first of the wanted pages are in their order."""
    order = wanted.order or PageOrder()
    if index := page_index(connection, scan, wanted):
        return index.positions(order, wanted.limit or 0)
    statement = _Statement(connection, scan, wanted, ())
    sql = f"{statement.sorted(order)} LIMIT {int(wanted.limit or 0)}"
    return [Position(*row) for rows in statement.rows(sql) for row in rows]


def pages_at(wanted: PageFilter, positions: Sequence[Position]) -> PageFilter:
    """A filter for the pages at these positions, in the same order."""
    numbers = tuple(position.number for position in positions)
    return PageFilter(include_refused=True, numbers=numbers, order=wanted.order or PageOrder())


# The name of the mention that pages are found by, where they are, and which mentions count.
_Way: TypeAlias = tuple[str, str, Mapping[str, str]]


class _Statement:
    """A query for pages: its parts before it is known by which mentions pages are found."""

    def __init__(
        self,
        connection: Connection,
        scan: Scan,
        wanted: PageFilter,
        columns: Sequence[str],
    ) -> None:
        if wanted.pattern:
            numbers = tuple(_numbers_of_pattern(connection, scan, wanted))
            wanted = replace(wanted, pattern="", numbers=numbers)
        self._connection = connection
        self._scan = scan
        self._dialect = dialect_of(connection.dialect.name)
        self._columns = columns
        conditions = wanted.conditions()
        if wanted.after is not None:
            conditions.append(_after(wanted.order or PageOrder(), wanted.after, self._dialect))
        self._where = "".join(f" AND {spelled(each.sql, ATTRIBUTES)}" for each in conditions)
        self._values = bound_values(conditions, self._dialect)
        self._names = {name: self._dialect.value.format(name) for name in self._values}
        self._is_of_few = wanted.is_of_few
        self._names |= _names_of_few(wanted, scan, self._dialect)

    @cached_property
    def _is_indexed(self) -> bool:
        """Whether the index can tell something of many pages."""
        return not self._is_of_few and is_indexed(self._connection, self._scan)

    def make_texts(self, texts: Mapping[str, str]) -> None:
        """Write texts into temporary tables, which end with the transaction.

        There they are found by an integer, in two thirds of the time that a common table takes.
        """
        [(mention, _, counts), *_] = self.ways()
        for name, text in texts.items():
            key, rows_from = TEXT_SOURCES[name]
            create = f"CREATE TEMPORARY TABLE {name} (id {self._dialect.text_key}, text TEXT)"
            self._connection.exec_driver_sql(create)
            rows = self._formatted((mention, rows_from, counts), (key, text), where="")
            self._connection.exec_driver_sql(f"INSERT INTO {name} {rows}", self._values)

    def ways(self) -> list[_Way]:
        return _ways(self._connection, self._scan, of_few=self._is_of_few)

    def by_mention(self, tail: str) -> Iterator[str]:
        """One statement for each way to find pages."""
        for way in self.ways():
            yield self._formatted(way, self._columns, tail)

    def page_rows(
        self, way: _Way, at_once: int, columns: Sequence[str]
    ) -> Iterator[Sequence[tuple[Any, ...]]]:
        return self.rows(self._formatted(way, columns, "ORDER BY p.number"), at_once)

    def table_rows(
        self, way: _Way, at_once: int, rows_from: str, columns: Sequence[str]
    ) -> Iterator[Sequence[tuple[Any, ...]]]:
        """All rows of one table, whichever pages are wanted."""
        mention, _, counts = way
        sql = self._formatted((mention, rows_from, counts), columns, where="")
        return self.rows(sql, at_once)

    def sorted(self, order: PageOrder) -> str:
        """One statement for all pages, whose rows end with what they are sorted by."""
        key = sort_key(order.sort, ATTRIBUTES, self._dialect)
        columns = (*self._columns, f"{key} AS sort_key", "p.number AS sort_number")
        ways = [_WAY.format(self._formatted(way, columns)) for way in self.ways()]
        direction = "DESC" if order.descending else "ASC"
        tail = f"ORDER BY sort_key {direction}, sort_number {direction}"
        return f"{' UNION ALL '.join(ways)} {tail}"

    def rows(self, sql: str, at_once: int = _ROWS_AT_ONCE) -> Iterator[Sequence[tuple[Any, ...]]]:
        streamed = self._connection.execution_options(stream_results=True)
        with streamed.exec_driver_sql(sql, self._values) as result:
            yield from driver_rows(result, at_once)

    def _formatted(
        self, way: _Way, columns: Sequence[str], tail: str = "", where: str | None = None
    ) -> str:
        mention, source, counts = way
        chosen = ", ".join(columns)
        where = self._where if where is None else where
        tables = tables_of(chosen, where)
        common = [
            FURTHER_INDEXED if name == "f" and self._is_indexed else sql
            for name, sql in COMMON_TABLES.items()
            if name in tables
        ]
        head = f"WITH {', '.join(common)} SELECT" if common else "SELECT"
        names = {**link_names(counts), **self._dialect._asdict(), **self._names, "m": mention}
        nested = ("is_one_of_numbers", "clusters_have_it", "mention_is_of_site", "mention_counts")
        for name in nested:
            names[name] = spelled(names[name], names)
        joins = " ".join(join for name, join in JOINS.items() if name in tables)
        names["joins"] = joins.format_map(names)
        return f"{head} {chosen} {source} {where} {tail}".format_map(names)


def _after(order: PageOrder, position: Position, dialect: Dialect) -> Condition:
    key = sort_key(order.sort, ATTRIBUTES, dialect)
    sign = "<" if order.descending else ">"
    return Condition.of(
        f"({key}, p.number) {sign} ({{v_after_key}}, {{v_after_number}})",
        after_key=position.key,
        after_number=position.number,
    )


def _names_of_few(wanted: PageFilter, scan: Scan, dialect: Dialect) -> dict[str, str]:
    """What keeps the tables beside pages from being read as a whole where few pages are wanted.

    The cross join keeps SQLite from reading all visits of the scan to find those of few pages.
    """
    if not wanted.is_of_few:
        names = ("few_visits", "visit_is_of_few", "other_is_of_few", "page_is_of_few")
        return {
            **dict.fromkeys(names, ""),
            "few_mentions": "documents AS listing CROSS JOIN ",
            "mention_is_of_site": _OF_SITE,
            "mention_counts": _NOW_COUNTS if scan.next_scan_id is None else "{other_counts}",
        }
    name, chosen = "v_page_id", "id = {v_page_id}"
    if wanted.page_id is None:
        name, chosen = "v_numbers", dialect.few
    chosen = spelled(chosen, {name: dialect.value.format(name)})
    few = _FEW.format(chosen=chosen)
    return {
        **dict.fromkeys(("few_visits", "few_mentions"), few),
        "visit_is_of_few": " AND visit.page_id = few.id",
        "other_is_of_few": " AND other.page_id = few.id",
        "page_is_of_few": f" AND p.{chosen}",
        "mention_is_of_site": "1 = 1",
        "mention_counts": "{other_counts}",
    }


def _ways(connection: Connection, scan: Scan, *, of_few: bool) -> list[_Way]:
    """How pages are found: by the mention in their row, and by another one."""
    names = membership(scan, of_few=of_few) | {"is_further": "named.source <> own.source"}
    names["confirming"] = _CONFIRMING.format_map(names)
    is_another = (scans.c.site_id == scan.site_id) & (scans.c.id != scan.id)
    if connection.execute(select(scans.c.id).where(is_another).limit(1)).first() is None:
        # Whatever the site has was seen by this scan.
        return [("p", BY_OWN_MENTION, names | {"own_counts": "1 = 1"})]
    if scan.next_scan_id is not None:
        # History has whole pages, whichever mention they were listed by.
        return [("p", BY_OWN_MENTION, names)]
    return [
        ("p", BY_OWN_MENTION, names),
        ("m", BY_OTHER_MENTION, names | {"is_further": "1 = 1"}),
    ]


def page_urls(connection: Connection, ids: Iterable[int]) -> dict[int, str]:
    """By the id of the page."""
    found: dict[int, str] = {}
    in_order = sorted(ids)
    for first in range(0, len(in_order), _IDS_AT_ONCE):
        some = in_order[first : first + _IDS_AT_ONCE]
        statement = select(pages.c.id, pages.c.url).where(pages.c.id.in_(some))
        found |= {row.id: row.url for row in connection.execute(statement)}
    return found


def _has_classes(connection: Connection, site_id: int) -> bool:
    """Whether the last scan that ended has given every page its class."""
    own = select(classifications.c.last_page_number).where(classifications.c.site_id == site_id)
    classified = connection.scalar(own)
    newest = select(func.max(pages.c.number)).where(pages.c.site_id == site_id)
    return classified is not None and classified >= (connection.scalar(newest) or 0)


def _numbers_of_pattern(connection: Connection, scan: Scan, wanted: PageFilter) -> list[int]:
    """The numbers of the pages with this pattern, which SQL cannot tell from the URL."""
    from sitecrawl.urls.crawl_patterns import crawl_pattern
    from sitecrawl.urls.patterns import url_pattern  # few ask for a pattern

    pattern = wanted.pattern
    held_under_it = (visits.c.scan_id == scan.id) & (visits.c.family == pattern)
    held = set(connection.scalars(select(visits.c.url).where(held_under_it)))
    own = PageFilter(include_refused=wanted.wants_refused, contains=wanted.contains)
    return [
        number
        for rows in select_pages(connection, scan, own, ("p.number", "p.url"))
        for number, url in rows
        if url in held or pattern in {url_pattern(url), crawl_pattern(url).name}
    ]
