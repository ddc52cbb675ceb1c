"""Reads the pages that belong to the inventory of a scan.

The inventory of a scan is what it, or a later one, has seen or confirmed. So that of the newest
scan is exact; that of an older one is as the site is known now, without what disappeared since.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from sitecrawl.store.facts import PageCount
from sitecrawl.store.vocabulary import PageStatus

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sqlalchemy.engine import Connection, CursorResult

    from sitecrawl.store.engine import Database
    from sitecrawl.store.facts import Scan

PageTuple: TypeAlias = tuple[Any, ...]

CHUNK_ROWS: Final = 10_000
_COLUMNS: Final = {
    "id": "p.id",
    "url": "p.url",
    "status": "p.status",
    "reason": "p.reason",
    "rule": "p.rule",
    "source": "{m}.source",
    "parent": "d.url",
    "position": "{m}.position",
    "lastmod": "{m}.lastmod",
    "changefreq": "p.changefreq",
    "sitemap_priority": "p.sitemap_priority",
    "title": "p.title",
    "language": "p.language",
    "depth": "p.depth",
    "category": "p.category",
    "importance": "p.importance",
    "priority": "p.priority",
    "details": "{m}.details",
    "discovered_at": "p.first_seen_at",
}
EXPORT_COLUMNS: Final = tuple(_COLUMNS)
_POSTGRES_ISO: Final = (
    "to_char(p.first_seen_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')"
)

# Whether mention {m} of document {d} belongs to the inventory of the scan.
_COUNTS = """
({m}.{seen} >= coalesce({d}.content_scan_id, 0)
 AND ({m}.{seen} >= {scan} OR {d}.last_scan_id >= {scan}))
"""

_BY_OWN_MENTION = """
FROM pages AS p JOIN documents AS d ON d.id = p.document_id
WHERE p.site_id = {site} AND {own_counts}
"""

# Pages whose own mention no longer counts, but another one does: rare, as the end of each scan
# puts it right; it happens when a scan was interrupted or a document could not be fetched.
_BY_OTHER_MENTION = """
FROM (
    SELECT other.*, row_number() OVER (
        PARTITION BY other.page_id ORDER BY other.document_id, other.position) AS place
    FROM other_mentions AS other
    JOIN documents AS od ON od.id = other.document_id AND od.site_id = {site}
    JOIN pages AS p ON p.id = other.page_id
    JOIN documents AS d ON d.id = p.document_id
    WHERE {other_counts} AND NOT {own_counts}
) AS m
JOIN pages AS p ON p.id = m.page_id
JOIN documents AS d ON d.id = m.document_id
WHERE m.place = 1
"""

_FURTHER_SOURCES = """
SELECT DISTINCT other.page_id, other.source
FROM other_mentions AS other
JOIN documents AS od ON od.id = other.document_id AND od.site_id = {site}
JOIN pages AS p ON p.id = other.page_id
WHERE other.source <> p.source AND {other_counts}
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

    def conditions(self) -> list[tuple[str, Any]]:
        """SQL where ``{value}`` stands for the value, and the value."""
        found: list[tuple[str, Any]] = []
        if not self.include_refused and not self.reason:
            found.append(("p.status = {value}", PageStatus.LISTED.value))
        if self.source:
            found.append(("{m}.source = {value}", self.source))
        if self.reason:
            found.append(("p.reason = {value}", self.reason))
        if self.contains:
            found.append(("lower(p.url) LIKE {value} ESCAPE '!'", f"%{_escaped(self.contains)}%"))
        if self.max_depth is not None:
            found.append(("p.depth <= {value}", self.max_depth))
        return found


LISTED_PAGES: Final = PageFilter()
ALL_PAGES: Final = PageFilter(include_refused=True)


def export_rows(
    database: Database, scan: Scan, wanted: PageFilter = LISTED_PAGES
) -> Iterator[list[PageTuple]]:
    """The pages in the order they were first seen, in chunks; tuples of EXPORT_COLUMNS.

    ``parent`` is the URL of the document that lists the page, ``discovered_at`` ISO 8601 text.
    """
    columns = dict(_COLUMNS)
    if not database.is_sqlite:
        columns["discovered_at"] = _POSTGRES_ISO
    with database.reading() as connection:
        for result in _results(connection, scan, wanted, columns.values(), "ORDER BY p.number"):
            yield from _chunks(result, database.is_sqlite)


def count_pages(database: Database, scan: Scan, wanted: PageFilter = ALL_PAGES) -> list[PageCount]:
    """How many pages there are by status, reason and source, the most first."""
    names = ("p.status", "p.reason", "{m}.source")
    totals: Counter[tuple[str, str | None, str]] = Counter()
    with database.reading() as connection:
        tail = f"GROUP BY {', '.join(names)}"
        for result in _results(connection, scan, wanted, (*names, "count(*)"), tail):
            for status, reason, source, pages in result.all():
                totals[status, reason, source] += pages
    return [
        PageCount(status, reason, source, pages)
        for (status, reason, source), pages in totals.most_common()
    ]


def further_sources(database: Database, scan: Scan) -> dict[int, list[str]]:
    """By page id, the kinds of source that mention a page beside the one it is exported with."""
    found: dict[int, list[str]] = {}
    with database.reading() as connection:
        statement = _FURTHER_SOURCES.format_map(_conditions(scan))
        for page_id, source in connection.exec_driver_sql(statement):
            found.setdefault(page_id, []).append(source)
    return found


def _results(
    connection: Connection,
    scan: Scan,
    wanted: PageFilter,
    columns: Iterable[str],
    tail: str,
) -> Iterator[CursorResult[Any]]:
    place = "?" if connection.dialect.name == "sqlite" else "%s"
    filters = wanted.conditions()
    where = "".join(f" AND {sql}" for sql, _ in filters)
    values = tuple(value for _, value in filters)
    streamed = connection.execution_options(stream_results=True)
    for mention, tables in (("p", _BY_OWN_MENTION), ("m", _BY_OTHER_MENTION)):
        statement = f"SELECT {', '.join(columns)} {tables} {where} {tail}".format_map(
            _conditions(scan) | {"m": mention, "value": place}
        )
        with streamed.exec_driver_sql(statement, values) as result:
            yield result


def _chunks(result: CursorResult[Any], is_sqlite: bool) -> Iterator[list[PageTuple]]:
    if is_sqlite:
        # The driver's own cursor: a million Row objects would cost as much as reading them.
        while chunk := result.cursor.fetchmany(CHUNK_ROWS):
            yield list(chunk)
    else:
        for rows in result.partitions(CHUNK_ROWS):
            yield [tuple(row) for row in rows]


def _conditions(scan: Scan) -> dict[str, str]:
    own = _COUNTS.format(m="p", seen="seen_scan_id", d="d", scan=int(scan.id))
    other = _COUNTS.format(m="other", seen="scan_id", d="od", scan=int(scan.id))
    return {"site": str(int(scan.site_id)), "own_counts": own, "other_counts": other}


def _escaped(text: str) -> str:
    for special in "!%_":
        text = text.replace(special, f"!{special}")
    return text.lower()
