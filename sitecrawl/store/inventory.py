"""Reads the pages that belong to the inventory of a scan.

The inventory of a scan is what it, or a later one, has read or confirmed. That of the newest scan
is exact; that of an older one is as far as the database still knows it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from sqlalchemy import select

from sitecrawl.store.columns import iso_text
from sitecrawl.store.facts import PageCount
from sitecrawl.store.tables import documents, scans, sites, verdicts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from sqlalchemy.engine import Connection, CursorResult

    from sitecrawl.store.engine import Database
    from sitecrawl.store.facts import Scan

PageTuple: TypeAlias = tuple[Any, ...]

CHUNK_ROWS: Final = 500
# What nearly every page has comes first, then what most pages do not have.
_COLUMNS: Final = {
    "id": "p.id",
    "url": "p.url",
    "lastmod": "{m}.lastmod",
    "depth": "p.depth",
    "document_id": "{m}.document_id",
    "source": "{m}.source",
    "verdict_id": "p.verdict_id",
    "first_scan_id": "p.first_scan_id",
    "reason": "p.reason",
    "rule": "p.rule",
    "title": "p.title",
    "changefreq": "p.changefreq",
    "sitemap_priority": "p.sitemap_priority",
    "category": "p.category",
    "language": "p.language",
    "importance": "p.importance",
    "priority": "p.priority",
}
EXPORT_COLUMNS: Final = tuple(_COLUMNS)
COMMON_COLUMNS: Final = EXPORT_COLUMNS[: EXPORT_COLUMNS.index("reason")]

# Whether mention {m} belongs to the inventory: the scan read it, or confirmed its document.
_COUNTS = """
({m}.{seen} >= {scan} OR EXISTS (
    SELECT 1 FROM documents AS d
    WHERE d.id = {m}.document_id AND d.last_scan_id >= {scan}
    AND {m}.{seen} >= coalesce(d.content_scan_id, 0)))
"""

_BY_OWN_MENTION = "FROM pages AS p WHERE p.site_id = {site} AND {own_counts}"

# Pages whose own mention no longer counts, but another one does: rare, as the end of each scan
# puts it right; it happens when a scan was interrupted or a document could not be fetched.
_BY_OTHER_MENTION = """
FROM (
    SELECT other.*, row_number() OVER (
        PARTITION BY other.page_id ORDER BY other.document_id, other.position) AS place
    FROM other_mentions AS other
    JOIN pages AS p ON p.id = other.page_id AND p.site_id = {site}
    WHERE {other_counts} AND NOT {own_counts}
) AS m
JOIN pages AS p ON p.id = m.page_id
WHERE m.place = 1
"""

_FURTHER_SOURCES = """
SELECT DISTINCT other.page_id, other.source
FROM other_mentions AS other
WHERE other.document_id IN (SELECT id FROM documents WHERE site_id = {site}) AND {other_counts}
"""


@dataclass(frozen=True, slots=True)
class PageFilter:
    """Which pages are wanted: every listed one, unless more is said."""

    include_refused: bool = False
    source: str = ""
    """Of the mention that the page is listed by."""
    reason: str = ""
    """Why it was refused; wants refused pages by itself."""
    contains: str = ""
    """Text in the URL, in whatever case."""
    max_depth: int | None = None

    @property
    def wants_refused(self) -> bool:
        return self.include_refused or bool(self.reason)

    def conditions(self) -> list[tuple[str, Any]]:
        """SQL where ``{value}`` stands for the value, and the value."""
        found: list[tuple[str, Any]] = []
        if self.source:
            found.append(("{m}.source = {value}", self.source))
        if self.reason:
            found.append(("p.reason = {value}", self.reason))
        if self.contains:
            found.append(("lower(p.url) LIKE {value} ESCAPE '!'", f"%{_escaped(self.contains)}%"))
        if self.max_depth is not None:
            found.append(("p.depth <= {value}", self.max_depth))
        return found


@dataclass(frozen=True, slots=True)
class PageReferences:
    """What an exported page refers to by number, so that it is not in every row."""

    documents: Mapping[int, str]
    """URLs."""
    scans: Mapping[int, str]
    """When they started, as ISO 8601 text."""
    verdicts: Mapping[int, tuple[bool, str | None]]
    """Allowed or not, and the rule of robots.txt that decided."""
    further_sources: Mapping[int, Sequence[str]]
    """By page, the kinds of source of further mentions; one may be that of the first, too."""


LISTED_PAGES: Final = PageFilter()
ALL_PAGES: Final = PageFilter(include_refused=True)


def export_columns(database: Database, site_id: int) -> tuple[str, ...]:
    """The columns of EXPORT_COLUMNS in which any page of the site has something.

    Every column costs 0.1 seconds per million rows, also when there is nothing in it.
    """
    with database.reading() as connection:
        written = connection.scalars(
            select(sites.c.page_columns).where(sites.c.id == site_id)
        ).one()
    return COMMON_COLUMNS + tuple(
        name for name in EXPORT_COLUMNS[len(COMMON_COLUMNS) :] if name in written
    )


def export_rows(
    database: Database,
    scan: Scan,
    wanted: PageFilter = LISTED_PAGES,
    columns: Sequence[str] = EXPORT_COLUMNS,
) -> Iterator[list[PageTuple]]:
    """The pages in the order they were first seen, in chunks; tuples of *columns*.

    What they refer to by number is in :func:`page_references`.
    """
    names = [_COLUMNS[name] for name in columns]
    with database.reading() as connection:
        for result in _results(connection, scan, wanted, names, "ORDER BY p.number"):
            yield from _chunks(result, database.is_sqlite)


def count_pages(database: Database, scan: Scan, wanted: PageFilter = ALL_PAGES) -> list[PageCount]:
    """How many pages there are by reason and source, the most first."""
    names = ("p.reason", "{m}.source")
    totals: Counter[tuple[str | None, str]] = Counter()
    with database.reading() as connection:
        tail = f"GROUP BY {', '.join(names)}"
        for result in _results(connection, scan, wanted, (*names, "count(*)"), tail):
            for reason, source, pages in result.all():
                totals[reason, source] += pages
    return [PageCount(reason, source, pages) for (reason, source), pages in totals.most_common()]


def page_references(database: Database, scan: Scan) -> PageReferences:
    """What the exported pages of the scan's site refer to."""
    own_documents = select(documents.c.id, documents.c.url).where(
        documents.c.site_id == scan.site_id
    )
    own_scans = select(scans.c.id, scans.c.started_at).where(scans.c.site_id == scan.site_id)
    own_verdicts = select(verdicts.c.id, verdicts.c.allowed, verdicts.c.rule).where(
        verdicts.c.site_id == scan.site_id
    )
    further: dict[int, list[str]] = {}
    with database.reading() as connection:
        statement = _FURTHER_SOURCES.format_map(_conditions(scan))
        for page_id, source in connection.exec_driver_sql(statement):
            further.setdefault(page_id, []).append(source)
        return PageReferences(
            documents={row.id: row.url for row in connection.execute(own_documents)},
            scans={row.id: iso_text(row.started_at) for row in connection.execute(own_scans)},
            verdicts={row.id: (row.allowed, row.rule) for row in connection.execute(own_verdicts)},
            further_sources=further,
        )


def _results(
    connection: Connection,
    scan: Scan,
    wanted: PageFilter,
    columns: Iterable[str],
    tail: str,
) -> Iterator[CursorResult[*tuple[Any, ...]]]:
    place = "?" if connection.dialect.name == "sqlite" else "%s"
    filters = wanted.conditions()
    where = "" if wanted.wants_refused else " AND p.reason IS NULL"
    where += "".join(f" AND {sql}" for sql, _ in filters)
    values = tuple(value for _, value in filters)
    streamed = connection.execution_options(stream_results=True)
    for mention, tables in (("p", _BY_OWN_MENTION), ("m", _BY_OTHER_MENTION)):
        statement = f"SELECT {', '.join(columns)} {tables} {where} {tail}".format_map(
            _conditions(scan) | {"m": mention, "value": place}
        )
        with streamed.exec_driver_sql(statement, values) as result:
            yield result


def _chunks(result: CursorResult[*tuple[Any, ...]], is_sqlite: bool) -> Iterator[list[PageTuple]]:
    if is_sqlite:
        # The driver's own cursor: a million Row objects would cost as much as reading them.
        while chunk := result.cursor.fetchmany(CHUNK_ROWS):
            yield list(chunk)
    else:
        for rows in result.partitions(CHUNK_ROWS):
            yield [tuple(row) for row in rows]


def _conditions(scan: Scan) -> dict[str, str]:
    own = _COUNTS.format(m="p", seen="seen_scan_id", scan=int(scan.id))
    other = _COUNTS.format(m="other", seen="scan_id", scan=int(scan.id))
    return {"site": str(int(scan.site_id)), "own_counts": own, "other_counts": other}


def _escaped(text: str) -> str:
    for special in "!%_":
        text = text.replace(special, f"!{special}")
    return text.lower()
