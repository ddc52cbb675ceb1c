"""Finds pages by the index of the inventory (``schema/page_index.py``).

Conditions on what combinations of facets have (category, status, ...) choose some rows of
``page_facets``; the others are asked of each page. A list of pages in an order is found

- through the few pages that one condition leaves (a search, a prefix, a range), if they are few;
- otherwise by merging the sorted runs of the combinations: of each the first pages are read, and
  more of those that may have pages before the last one of the list.

So the time does not depend on how many pages there are, nor on how many the filter leaves.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sqlalchemy import select

from sitecrawl.store.queries.cursors import Position
from sitecrawl.store.queries.page_filter import (
    TEXT_SORTS,
    Condition,
    PageOrder,
    PageSort,
    spellings,
)
from sitecrawl.store.queries.page_sql import (
    STATUS,
    bound_value,
    bound_values,
    dialect_of,
    names_in,
    sort_key,
    spelled,
    tables_of,
)
from sitecrawl.store.schema import indexed_sites

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sqlalchemy.engine import Connection

    from sitecrawl.store.queries.page_filter import PageFilter
    from sitecrawl.store.queries.scans import Scan

SEARCH_TABLE: Final = "page_search"
# Of a private area: no URL and no title has it. Each site has its own character.
_FIRST_MARK: Final = 0xF0000
_MARKS: Final = 0xFFFD
_TRIGRAM: Final = 3
_MAX_TRIGRAMS: Final = 12
# So many pages are looked up and sorted in a fraction of the time that a person notices.
_FEW: Final = 10_000
_FIRST_ROWS: Final = 200

_OF_FACETS: Final = {
    **{name: f"g.{name}" for name in ("reason", "source", "robots_allowed", "visited")},
    **{name: f"g.{name}" for name in ("http_status", "clicks", "indexable", "orphan")},
    **{name: f"g.{name}" for name in ("template", "category", "type", "language")},
    **{name: f"g.{name}" for name in ("depth", "priority")},
    "status": STATUS.format(reason="g.reason"),
    "last_scan_id": "coalesce(g.last_scan_id, {scan})",
    "has_source": "{sources_have_it}",
    "has_cluster": "{clusters_have_it}",
}
_OF_PAGES: Final = {
    name: f"l.{name}" for name in ("number", "url", "title", "lastmod", "first_scan_id")
}
_ATTRIBUTES: Final = _OF_FACETS | _OF_PAGES
_ROW_SORTS: Final = frozenset({PageSort.FIRST_SEEN, PageSort.URL, PageSort.TITLE, PageSort.LASTMOD})
_FACETS: Final = """
SELECT g.id, g.pages, {key} FROM page_facets AS g WHERE g.site_id = {site} {conditions}
"""
_SPELLINGS: Final = {
    True: {
        "sources_have_it": "{v_source} IN (SELECT entry.value FROM json_each(g.sources) AS entry)",
        "clusters_have_it": "{v_cluster} IN ("
        "SELECT entry.value FROM json_each(g.clusters) AS entry)",
        "facets": "(SELECT entry.value AS id FROM json_each({v_facets}) AS entry) AS run",
        "few": "(SELECT entry.value AS number FROM json_each({v_few}) AS entry) AS few",
        "is_chosen": "l.facet_id IN (SELECT entry.value FROM json_each({v_chosen}) AS entry)",
    },
    False: {
        "sources_have_it": "jsonb_exists(g.sources, {v_source})",
        "clusters_have_it": "jsonb_exists(g.clusters, {v_cluster})",
        "facets": "unnest(CAST({v_facets} AS bigint[])) AS run (id)",
        "few": "unnest(CAST({v_few} AS bigint[])) AS few (number)",
        "is_chosen": "l.facet_id = ANY(CAST({v_chosen} AS bigint[]))",
    },
}
_RUNS: Final = {
    True: """
SELECT run.id, (
    SELECT json_group_array(json_array(head.sort_key, head.number)) FROM (
        SELECT {key} AS sort_key, l.number FROM page_index AS l
        WHERE l.facet_id = run.id {conditions}
        ORDER BY {order} LIMIT {v_rows}) AS head)
FROM {facets}
""",
    False: """
SELECT run.id, json_agg(json_build_array(head.sort_key, head.number))
FROM {facets} CROSS JOIN LATERAL (
    SELECT {key} AS sort_key, l.number FROM page_index AS l
    WHERE l.facet_id = run.id {conditions}
    ORDER BY {order} LIMIT {v_rows}) AS head
GROUP BY run.id
""",
}
_RANGES: Final = frozenset({"v_prefix", "v_lastmod_since"})
_WITH_PAGES: Final = """
SELECT run.id FROM {facets} WHERE EXISTS (
    SELECT 1 FROM page_index AS l WHERE l.facet_id = run.id AND {condition})
"""
_FIRST_SCANS: Final = """
SELECT l.first_scan_id FROM (SELECT id AS first_scan_id FROM scans WHERE site_id = {site}) AS l
WHERE {condition}
"""
_SEEN_FIRST: Final = """
SELECT
    (SELECT number FROM page_index WHERE site_id = {site} AND first_scan_id >= {v_first_scan}
     ORDER BY first_scan_id, number LIMIT 1),
    (SELECT number FROM page_index WHERE site_id = {site} AND first_scan_id <= {v_last_scan}
     ORDER BY first_scan_id DESC, number DESC LIMIT 1)
"""
_BETWEEN: Final = " AND {number} BETWEEN {v_first_number} AND {v_last_number}"
_GATHER: Final = """
SELECT {key} AS sort_key, l.number FROM {tables}
WHERE g.id = l.facet_id {conditions}
ORDER BY {order} LIMIT {v_rows}
"""
_COUNT: Final = """
SELECT count(*) FROM (
    SELECT 1 FROM {tables} WHERE g.id = l.facet_id {conditions}
    {limit}) AS counted
"""
_COUNT_BY_FACET: Final = """
SELECT l.facet_id, count(*) FROM {tables}
WHERE g.id = l.facet_id {conditions} GROUP BY l.facet_id
"""
_NUMBERS: Final = "{driver} LIMIT {v_bound}"
_HOW_MANY: Final = "SELECT count(*) FROM ({driver} LIMIT {v_bound}) AS found"
_FEW_NUMBERS: Final = "l.number = few.number AND l.site_id = {site}"
_OF_ROWS: Final = "SELECT l.number FROM page_index AS l WHERE {condition}"
_SEARCH: Final = "SELECT rowid AS number FROM page_search WHERE page_search MATCH {v_match}"
_ALL_TABLES: Final = "page_index AS l CROSS JOIN page_facets AS g"
_FEW_TABLES: Final = "{few} CROSS JOIN page_index AS l CROSS JOIN page_facets AS g"
# The order in which pages are to be read is that of an index; the planner would sort them.
_KEEP_INDEX_ORDER: Final = "SET LOCAL enable_sort = off"
_MAY_SORT: Final = "SET LOCAL enable_sort = on"


def is_indexed(connection: Connection, scan: Scan, *, with_texts: bool = False) -> bool:
    """Whether there is an index of the inventory as of this scan.

    A server of PostgreSQL may have no index of texts to offer.
    """
    state = _state(connection, scan)
    may_lack_texts = not with_texts or connection.dialect.name != "sqlite"
    return state is not None and (may_lack_texts or state.texts_until > 0)


def _state(connection: Connection, scan: Scan) -> Any:
    own = indexed_sites.c.site_id == scan.site_id
    state = connection.execute(select(indexed_sites).where(own)).first()
    if state is None or state.finished_at is None:
        return None
    is_current = state.scan_id == scan.id and state.finished_at == scan.finished_at
    return state if is_current else None


def site_mark(site_id: int) -> str:
    """A trigram that all texts of the site have."""
    return chr(_FIRST_MARK + site_id % _MARKS) * _TRIGRAM


def site_mark_sql(site_id: int) -> str:
    return f"char({', '.join(str(ord(each)) for each in site_mark(site_id))})"


def page_index(connection: Connection, scan: Scan, wanted: PageFilter) -> PageIndex | None:
    """The index, if there is one that can tell which pages are wanted."""
    conditions = wanted.conditions()
    is_known = all(
        "p" not in tables_of(each.sql)
        and {name for name in names_in(each.sql) if not name.startswith("v_")}
        <= {*_ATTRIBUTES, "site", "scan", "c"}
        for each in conditions
    )
    if wanted.pattern or not is_known:
        return None
    state = _state(connection, scan)
    if state is None:
        return None
    return PageIndex(connection, scan, wanted, conditions, has_texts=state.texts_until > 0)


class _Facet(NamedTuple):
    id: int
    pages: int
    key: Any


class _Driver(NamedTuple):
    """An index that finds pages for one condition."""

    numbers: str
    """SQL of their numbers: always all, perhaps more."""
    condition: str = ""
    """SQL by which the same index finds the rows; empty: these are looked up by number."""


class _Rows(NamedTuple):
    """From where the rows of pages are read, and the condition that joins the tables."""

    tables: str = _ALL_TABLES
    condition: str = "l.site_id = {site}"


@dataclass(frozen=True, slots=True)
class BoundedCount:
    """A number of pages; *is_more*: there are more than this."""

    pages: int
    is_more: bool = False

    def __str__(self) -> str:
        return f"more than {self.pages:,}" if self.is_more else f"{self.pages:,}"


class PageIndex:
    """The pages that a filter wants, found by the index."""

    def __init__(
        self,
        connection: Connection,
        scan: Scan,
        wanted: PageFilter,
        conditions: Sequence[Condition],
        *,
        has_texts: bool,
    ) -> None:
        self._connection = connection
        self._dialect = dialect_of(connection.dialect.name)
        self._wanted = wanted
        self._has_texts = has_texts
        self._site_id = scan.site_id
        self._of_facets = [each for each in conditions if self._is_of_facets(each)]
        self._of_pages = [each for each in conditions if not self._is_of_facets(each)]
        self._values = bound_values(conditions, self._dialect)
        self._names = {
            "site": str(int(scan.site_id)),
            "scan": str(int(scan.id)),
            "c": self._dialect.c,
            **_SPELLINGS[self._dialect.is_sqlite],
        }

    @staticmethod
    def _is_of_facets(condition: Condition) -> bool:
        return not _OF_PAGES.keys() & names_in(condition.sql)

    def positions(self, order: PageOrder, limit: int) -> list[Position]:
        """The first pages in this order, or the first after ``PageFilter.after``."""
        facets = self._facets(order)
        if self._of_pages and (few := self._few(facets)):
            return self._gather(few, order, limit)
        return self._merge(self._narrowed(facets), order, limit)

    def count(self, bound: int | None) -> BoundedCount:
        """How many there are: exactly, or that there are more than *bound*."""
        if not self._of_pages:
            return BoundedCount(sum(facet.pages for facet in self._facets(PageOrder())))
        limit = "" if bound is None else f"LIMIT {bound + 1}"
        [(pages,)] = self._rows(_COUNT, **self._all_or_few(), limit=limit)
        if bound is not None and pages > bound:
            return BoundedCount(bound, is_more=True)
        return BoundedCount(int(pages))

    def pages_by_facet(self) -> dict[int, int]:
        """How many of the pages each combination of facets has."""
        if not self._of_pages:
            return {facet.id: facet.pages for facet in self._facets(PageOrder())}
        return dict(map(tuple, self._rows(_COUNT_BY_FACET, **self._all_or_few())))

    def _all_or_few(self) -> dict[str, str]:
        rows = self._few(self._facets(PageOrder())) or _Rows()
        return {"tables": rows.tables, "conditions": self._conditions(rows)}

    def _facets(self, order: PageOrder) -> list[_Facet]:
        """The combinations that may have wanted pages, with what these are sorted by."""
        key = "0" if order.sort in _ROW_SORTS else sort_key(order.sort, _ATTRIBUTES, self._dialect)
        conditions = self._joined(self._of_facets)
        return [_Facet(*row) for row in self._rows(_FACETS, key=key, conditions=conditions)]

    def _few(self, facets: Sequence[_Facet]) -> _Rows | None:
        """The wanted pages and perhaps some others, if one condition leaves few."""
        self._values["v_bound"] = _FEW + 1
        self._values["v_chosen"] = bound_value([facet.id for facet in facets], self._dialect)
        for driver in self._drivers():
            if driver.condition:
                [(number,)] = self._rows(_HOW_MANY, driver=driver.numbers)
                if number <= _FEW:
                    return _Rows(condition=driver.condition)
                continue
            numbers = [row[0] for row in self._rows(_NUMBERS, driver=driver.numbers)]
            if len(numbers) <= _FEW:
                self._values["v_few"] = bound_value(numbers, self._dialect)
                return _Rows(_FEW_TABLES, _FEW_NUMBERS)
        return None

    def _narrowed(self, facets: list[_Facet]) -> list[_Facet]:
        """Without combinations that have no page in the wanted ranges.

        To look for a first page in these would read all of theirs.
        """
        for condition in self._of_pages:
            if names_in(condition.sql) & _RANGES:
                ids = [facet.id for facet in facets]
                self._values["v_facets"] = bound_value(ids, self._dialect)
                sql = spelled(condition.sql, _ATTRIBUTES)
                left = {row[0] for row in self._rows(_WITH_PAGES, condition=sql)}
                facets = [facet for facet in facets if facet.id in left]
        return facets

    def _seen_first(self, number: str = "l.number") -> str:
        """The pages that the wanted scans saw first, whose numbers follow each other."""
        for condition in self._of_pages:
            if "first_scan_id" in names_in(condition.sql):
                sql = spelled(condition.sql, _ATTRIBUTES)
                scans = [row[0] for row in self._rows(_FIRST_SCANS, condition=sql)]
                if not scans:
                    return " AND 1 = 0"
                self._values |= {"v_first_scan": min(scans), "v_last_scan": max(scans)}
                [(first, last)] = self._rows(_SEEN_FIRST)
                self._values |= {"v_first_number": first or 0, "v_last_number": last or 0}
                return _BETWEEN.replace("{number}", number)
        return ""

    def _drivers(self) -> Iterator[_Driver]:
        seen_first = self._seen_first()
        texts: list[str] = []
        for condition in self._of_pages:
            names = names_in(condition.sql)
            sql = spelled(condition.sql, _ATTRIBUTES)
            if names & {"first_scan_id", "number"}:
                condition_sql = f"l.site_id = {{site}} AND {sql}"
                yield _Driver(_OF_ROWS.replace("{condition}", condition_sql), condition_sql)
            elif names & _RANGES:
                condition_sql = f"{{is_chosen}} AND {sql}{seen_first}"
                yield _Driver(_OF_ROWS.replace("{condition}", condition_sql), condition_sql)
            else:
                texts.append(sql)
        if not texts:
            return
        if match := self._match():
            self._values["v_match"] = match
            yield _Driver(_SEARCH + self._seen_first("rowid"))
        else:
            # With pg_trgm by its index; otherwise each page is looked at, until there are many.
            in_all = " AND ".join(["l.site_id = {site}", *texts]) + seen_first
            yield _Driver(_OF_ROWS.replace("{condition}", in_all))

    def _match(self) -> str:
        """What the index of texts is asked for; empty: there is none, or it cannot tell."""
        texts = [text for text in (self._wanted.contains, self._wanted.search) if text]
        is_short = any(len(way) < _TRIGRAM for text in texts for way in spellings(text))
        if is_short or not self._has_texts or not self._dialect.is_sqlite:
            return ""
        return " AND ".join([f'"{site_mark(self._site_id)}"', *map(_trigrams_of_any, texts)])

    def _gather(self, rows: _Rows, order: PageOrder, limit: int) -> list[Position]:
        self._values["v_rows"] = limit
        found = self._rows(
            _GATHER,
            tables=rows.tables,
            key=sort_key(order.sort, _ATTRIBUTES, self._dialect),
            conditions=self._conditions(rows) + self._after(order),
            order=_direction(order, "sort_key", "l.number"),
        )
        return [Position(*row) for row in found]

    def _after(self, order: PageOrder) -> str:
        after = self._wanted.after
        if after is None:
            return ""
        self._values |= {"v_after_key": after.key, "v_after_number": after.number}
        key = sort_key(order.sort, _ATTRIBUTES, self._dialect)
        sign = "<" if order.descending else ">"
        return f" AND ({key}, l.number) {sign} ({{v_after_key}}, {{v_after_number}})"

    def _merge(self, facets: Sequence[_Facet], order: PageOrder, limit: int) -> list[Position]:
        if order.sort not in _ROW_SORTS:
            return self._merge_by_facet(facets, order, limit)
        runs = _Runs(order, limit)
        self._read_runs(runs, [facet.id for facet in facets], order, self._after(order))
        return runs.first()

    def _merge_by_facet(
        self, facets: Sequence[_Facet], order: PageOrder, limit: int
    ) -> list[Position]:
        """Pages that are sorted by what their combination has: one value after the other."""
        after = self._wanted.after
        by_number = PageOrder(PageSort.FIRST_SEEN, order.descending)
        found: list[Position] = []
        values = sorted({facet.key for facet in facets}, reverse=order.descending)
        for value in values:
            start = ""
            if after is not None and value == after.key:
                sign = "<" if order.descending else ">"
                start = f" AND l.number {sign} {{v_after_number}}"
                self._values["v_after_number"] = after.number
            elif after is not None and (value < after.key) != order.descending:
                continue
            runs = _Runs(by_number, limit - len(found))
            ids = [facet.id for facet in facets if facet.key == value]
            self._read_runs(runs, ids, by_number, start)
            found += [Position(value, number) for _, number in runs.first()]
            if len(found) >= limit:
                break
        return found

    def _read_runs(self, runs: _Runs, facets: Sequence[int], order: PageOrder, after: str) -> None:
        is_text = order.sort in TEXT_SORTS
        key = f"l.{order.sort}" if order.sort is not PageSort.FIRST_SEEN else "l.number"
        keys = [key, "l.number"] if is_text else ["l.number"]
        rows = max(1, _FIRST_ROWS // max(1, len(facets)))
        conditions = self._joined(self._of_pages) + self._seen_first() + after
        if not self._dialect.is_sqlite:
            self._connection.exec_driver_sql(_KEEP_INDEX_ORDER)
        while facets:
            self._values["v_facets"] = bound_value(list(facets), self._dialect)
            self._values["v_rows"] = rows = min(rows, runs.limit)
            read = self._rows(
                _RUNS[self._dialect.is_sqlite],
                key=key,
                conditions=conditions,
                order=_direction(order, *keys),
            )
            runs.add(read, rows)
            facets = runs.unfinished()
            rows *= 4
        if not self._dialect.is_sqlite:
            self._connection.exec_driver_sql(_MAY_SORT)

    def _conditions(self, rows: _Rows) -> str:
        return f" AND {rows.condition}" + self._joined([*self._of_facets, *self._of_pages])

    def _joined(self, conditions: Iterable[Condition]) -> str:
        return "".join(f" AND {spelled(each.sql, _ATTRIBUTES)}" for each in conditions)

    def _rows(self, statement: str, **parts: str) -> Sequence[Any]:
        sql = spelled(spelled(spelled(statement, parts), _ATTRIBUTES), self._names)
        sql = spelled(sql, {name: self._dialect.value.format(name) for name in self._values})
        return self._connection.exec_driver_sql(sql, self._values).all()


class _Runs:
    """The first pages of each run, and the first ones of all as far as they are sure."""

    def __init__(self, order: PageOrder, limit: int) -> None:
        self.limit = limit
        self._descending = order.descending
        self._read: dict[int, list[Position]] = {}
        self._ended: set[int] = set()

    def add(self, rows: Iterable[Any], asked: int) -> None:
        for run, heads in rows:
            decoded = json.loads(heads) if isinstance(heads, str) else heads
            self._read[run] = [Position(*head) for head in decoded]
            if len(decoded) < asked or asked >= self.limit:
                self._ended.add(run)

    def first(self) -> list[Position]:
        everything = [position for run in self._read.values() for position in run]
        return sorted(everything, reverse=self._descending)[: self.limit]

    def unfinished(self) -> list[int]:
        """Runs whose next pages may come before the last of the first ones."""
        first = self.first()
        last = first[-1] if len(first) >= self.limit else None
        return [
            run
            for run, read in self._read.items()
            if run not in self._ended
            and (last is None or (read[-1] > last if self._descending else read[-1] < last))
        ]


def _direction(order: PageOrder, *keys: str) -> str:
    return ", ".join(f"{key} {'DESC' if order.descending else 'ASC'}" for key in keys)


def _trigrams_of_any(text: str) -> str:
    """What the index is asked for: the trigrams of any of the usual ways to write the text."""
    return f"({' OR '.join(f'({_trigrams(way)})' for way in spellings(text))})"


def _trigrams(text: str) -> str:
    """Some trigrams of the text, evenly spread; a page is looked at anyway before it is given."""
    last = len(text) - _TRIGRAM
    step = max(1, -(-(last + 1) // _MAX_TRIGRAMS))
    starts = dict.fromkeys([*range(0, last + 1, step), last])
    quoted = (text[start : start + _TRIGRAM].replace('"', '""') for start in starts)
    return " AND ".join(f'"{each}"' for each in quoted)
