"""Reads the pages that belong to the inventory of a scan.

The inventory of a scan is what it, or a later one, has read or confirmed. That of the newest scan
is exact; that of an older one is as far as the database still knows it.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sqlalchemy import select

from sitecrawl.classify.paths import path_depth
from sitecrawl.store.pagechunks import PageChunk
from sitecrawl.store.queries.scans import PageCount, membership
from sitecrawl.store.schema import scans, sites, visits
from sitecrawl.store.usual_facts import NUMBER, UsualFacts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from sqlalchemy.engine import Connection, CursorResult

    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.scans import Scan

CHUNK_ROWS: Final = 500
_FIRST_REDIRECT: Final = HTTPStatus.MULTIPLE_CHOICES
# What nearly every page has comes first, then what most pages do not have.
_COLUMNS: Final = {
    "id": "p.id",
    NUMBER: "p.number",
    "url": "p.url",
    "lastmod": "{m}.lastmod",
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
    "region": "{m}.region",
    "anchor": "{m}.anchor",
    "inlinks": "s.inlinks",
    "link_region": "s.link_region",
    "own_language": "s.own_language",
    "text_language": "s.text_language",
    "declared_type": "s.declared_type",
}
# No feed has ids, and reading them takes time.
EXPORT_COLUMNS: Final = tuple(name for name in _COLUMNS if name != "id")
# In these, nearly every page differs from its neighbours.
_OWN_COLUMNS: Final = ("id", *EXPORT_COLUMNS[: EXPORT_COLUMNS.index("source")])
COMMON_COLUMNS: Final = EXPORT_COLUMNS[: EXPORT_COLUMNS.index("reason")]

_WITH_SIGNALS = "LEFT JOIN page_signals AS s ON s.page_id = p.id"
_BY_OWN_MENTION = "FROM pages AS p {signals} WHERE p.site_id = {site} AND {own_counts}"

# Pages whose own mention no longer counts, but another one does: rare, as the end of each scan
# puts it right; it happens when a scan was interrupted or a document could not be fetched. A cross
# join, as SQLite would otherwise look at every mention of a crawl to find that none is needed.
_BY_OTHER_MENTION = """
FROM (
    SELECT other.*, row_number() OVER (
        PARTITION BY other.page_id ORDER BY other.document_id, other.position) AS place
    FROM pages AS p CROSS JOIN further_mentions AS other
    WHERE p.site_id = {site} AND NOT {own_counts} AND other.page_id = p.id AND {other_counts}
) AS m
JOIN pages AS p ON p.id = m.page_id {signals}
WHERE m.place = 1
"""


_LISTED = """
SELECT count(*), count(CASE WHEN NOT {own_counts} THEN 1 END)
FROM pages AS p WHERE p.site_id = {site} AND p.reason IS NULL
"""


class _Way(NamedTuple):
    """One way to find pages: by the mention in their row, or by another one."""

    mention: str
    """What its table is called."""
    tables: str
    names: Mapping[str, str]
    """What stands for the names in the tables."""


# The mention that a page is listed by, or one of the further ones.
_ANY_MENTION = """
({own} OR p.id IN (
    SELECT other.page_id FROM further_mentions AS other WHERE {also} AND {{other_counts}}))
"""

_SPEAKING = """
p.id IN (SELECT page_id FROM page_signals UNION SELECT page_id FROM menu_entries)
"""

_CLICKS = "p.id IN (SELECT page_id FROM visits WHERE scan_id = {scan} AND clicks <= {value})"

_HTTP_STATUS = """
p.id IN (
    SELECT v.page_id FROM visits AS v
    JOIN fetches AS f ON f.document_id = v.document_id AND f.scan_id = v.scan_id
    WHERE v.scan_id = {scan} AND f.status BETWEEN {value} AND {value})
"""


@dataclass(frozen=True, slots=True)
class PageFilter:
    """Which pages are wanted: every listed one, unless more is said."""

    include_refused: bool = False
    source: str = ""
    """Of any mention of the page."""
    region: str = ""
    """Of any mention of the page; together with a source, of the same one."""
    reason: str = ""
    """Why it was refused; wants refused pages by itself."""
    contains: str = ""
    """Text in the URL, in whatever case."""
    text: str = ""
    """Text in the title or in the anchor of any mention, in whatever case."""
    pattern: str = ""
    """As ``sitecrawl.urls.patterns`` gives it, or as the crawl names what it gave up."""
    max_depth: int | None = None
    max_clicks: int | None = None
    http_status: tuple[int, int] | None = None
    """The lowest and the highest; redirects and errors want refused pages by themselves."""
    category: str = ""
    page_type: str = ""
    language: str = ""
    """``pt`` wants ``pt-br``, too."""
    cluster: str = ""
    """The key of one."""
    page_id: int | None = None
    one_of: int = 1
    """By chance only one of so many pages; a power of two. The same ones every time."""
    is_speaking: bool = False
    """Whether more is known of it than its row says, or the menu has it."""

    @property
    def wants_refused(self) -> bool:
        is_no_success = self.http_status is not None and self.http_status[0] >= _FIRST_REDIRECT
        return self.include_refused or bool(self.reason) or is_no_success

    @property
    def is_by_class(self) -> bool:
        """Whether pages have to be classified to tell."""
        return bool(self.category or self.page_type or self.language or self.cluster)

    def conditions(self) -> list[tuple[str, Sequence[Any]]]:
        """SQL where ``{value}`` stands for one value after the other, and the values."""
        found: list[tuple[str, Sequence[Any]]] = []
        if self.source or self.region:
            found.append(self._mention())
        if self.page_id is not None:
            found.append(("p.id = {value}", [self.page_id]))
        if self.one_of > 1:
            # Ids are hashes.
            found.append(("p.id & {value} = 0", [self.one_of - 1]))
        if self.is_speaking:
            found.append((_SPEAKING, []))
        if self.reason:
            found.append(("p.reason = {value}", [self.reason]))
        if self.contains:
            found.append((_like("p.url"), [_containing(self.contains.lower())]))
        if self.text:
            found.append(self._text())
        if self.max_clicks is not None:
            found.append((_CLICKS, [self.max_clicks]))
        if self.http_status is not None:
            found.append((_HTTP_STATUS, self.http_status))
        return found

    def _mention(self) -> tuple[str, Sequence[Any]]:
        wanted = {"source": self.source, "region": self.region}
        wanted = {name: value for name, value in wanted.items() if value}
        own = " AND ".join(f"{{m}}.{name} = {{value}}" for name in wanted)
        also = " AND ".join(f"other.{name} = {{value}}" for name in wanted)
        return _ANY_MENTION.format(own=f"({own})", also=also), [*wanted.values()] * 2

    def _text(self) -> tuple[str, Sequence[Any]]:
        spellings = _spellings(self.text)
        own, also = (
            " OR ".join(_like(column) for column in columns for _ in spellings)
            for columns in (("p.title", "{m}.anchor"), ("other.anchor",))
        )
        return _ANY_MENTION.format(own=own, also=f"({also})"), spellings * 3


LISTED_PAGES: Final = PageFilter()
ALL_PAGES: Final = PageFilter(include_refused=True)


def export_columns(
    database: Database, site_id: int, wanted: PageFilter = ALL_PAGES
) -> tuple[str, ...]:
    """The columns of EXPORT_COLUMNS in which any wanted page of the site may have something.

    Every column costs 0.1 seconds per million rows, also when there is nothing in it.
    """
    with database.reading() as connection:
        written = connection.scalars(
            select(sites.c.page_columns).where(sites.c.id == site_id)
        ).one()
    empty = set() if wanted.wants_refused else {"reason", "rule"}
    return COMMON_COLUMNS + tuple(
        name
        for name in EXPORT_COLUMNS[len(COMMON_COLUMNS) :]
        if name in written and name not in empty
    )


def page_chunks(
    database: Database,
    scan: Scan,
    wanted: PageFilter = LISTED_PAGES,
    columns: Sequence[str] = EXPORT_COLUMNS,
) -> Iterator[PageChunk]:
    """The pages in the order they were first seen, with these *columns*.

    What they refer to by number is in ``sitecrawl.store.references``.
    """
    if wanted.is_by_class:
        from sitecrawl.store.class_filter import chunks_by_class  # few ask for a class

        yield from chunks_by_class(database, scan, wanted, columns)
        return
    with database.reading() as connection:
        is_wanted = _address_test(connection, scan, wanted)
        for way in _ways(connection, scan):
            for chunk in _chunks(connection, scan, wanted, way, columns):
                if is_wanted is None:
                    yield chunk
                elif found := chunk.only([is_wanted(url) for url in chunk["url"]]):
                    yield found


def count_pages(database: Database, scan: Scan, wanted: PageFilter = ALL_PAGES) -> list[PageCount]:
    """How many pages there are by reason and source, the most first."""
    is_countable = not (wanted.pattern or wanted.is_by_class or wanted.max_depth is not None)
    assert is_countable, "the database cannot count by pattern, depth or class"
    names = ("p.reason", "{m}.source")
    totals: Counter[tuple[str | None, str]] = Counter()
    with database.reading() as connection:
        tail = f"GROUP BY {', '.join(names)}"
        for way in _ways(connection, scan):
            with _result(connection, wanted, way, (*names, "count(*)"), tail) as result:
                for reason, source, pages in result.all():
                    totals[reason, source] += pages
    return [PageCount(reason, source, pages) for (reason, source), pages in totals.most_common()]


def count_listed(database: Database, scan: Scan) -> int:
    """How many pages are listed, for a fifth of what it costs to part them by source."""
    with database.reading() as connection:
        listed = connection.exec_driver_sql(_LISTED.format_map(membership(scan)))
        pages, without_own = listed.one()
    if not without_own:
        return int(pages)
    return sum(count.pages for count in count_pages(database, scan, LISTED_PAGES))


def _address_test(
    connection: Connection, scan: Scan, wanted: PageFilter
) -> Callable[[str], bool] | None:
    """Whether a URL is of the pattern and not too deep: SQL cannot tell."""
    pattern, max_depth = wanted.pattern, wanted.max_depth
    if not pattern:
        return None if max_depth is None else lambda url: path_depth(url) <= max_depth
    from sitecrawl.urls.patterns import url_pattern  # few ask for a pattern
    from sitecrawl.urls.places import place_of

    held_under_it = (visits.c.scan_id == scan.id) & (visits.c.family == pattern)
    held = set(connection.scalars(select(visits.c.url).where(held_under_it)))

    def is_wanted(url: str) -> bool:
        if max_depth is not None and path_depth(url) > max_depth:
            return False
        return url in held or pattern in {url_pattern(url), place_of(url).pattern}

    return is_wanted


def _ways(connection: Connection, scan: Scan) -> list[_Way]:
    names = membership(scan)
    is_earlier = (scans.c.site_id == scan.site_id) & (scans.c.id < scan.id)
    if connection.execute(select(scans.c.id).where(is_earlier).limit(1)).first() is None:
        # Whatever the site has was seen by this scan or a later one: nothing needs to be asked.
        return [_Way("p", _BY_OWN_MENTION, names | {"own_counts": "1 = 1"})]
    return [_Way("p", _BY_OWN_MENTION, names), _Way("m", _BY_OTHER_MENTION, names)]


def _chunks(
    connection: Connection, scan: Scan, wanted: PageFilter, way: _Way, columns: Sequence[str]
) -> Iterator[PageChunk]:
    is_sqlite = connection.dialect.name == "sqlite"
    usual = None
    # To find one page, it is enough to look at that.
    if is_sqlite and way.mention == "p" and wanted.page_id is None:
        alike = [name for name in columns if name not in _OWN_COLUMNS]
        sql = {name: _COLUMNS[name].format(m="p") for name in alike}
        usual = UsualFacts.find(connection, scan, sql)
    chosen = {name: _COLUMNS[name] for name in columns if not usual or name not in usual.facts}
    values: Sequence[Any] = ()
    if usual:
        chosen[NUMBER], values = usual.number, usual.values
    order = "ORDER BY p.number"
    with _result(connection, wanted, way, chosen.values(), order, values) as result:
        for rows in _row_chunks(result, is_sqlite):
            chunk = PageChunk.from_rows(list(chosen), rows)
            yield usual.completed(connection, chunk) if usual else chunk


def _result(
    connection: Connection,
    wanted: PageFilter,
    way: _Way,
    columns: Iterable[str],
    tail: str,
    values: Sequence[Any] = (),
) -> CursorResult[*tuple[Any, ...]]:
    """Those pages that are found this way; *values* belong into the columns."""
    place = "?" if connection.dialect.name == "sqlite" else "%s"
    filters = wanted.conditions()
    conditions = [sql for sql, _ in filters]
    if not wanted.wants_refused:
        # Last, because SQLite goes through half of a row to come to it.
        conditions.append("p.reason IS NULL")
    where = "".join(f" AND {sql}" for sql in conditions)
    chosen = ", ".join(columns)
    signals = _WITH_SIGNALS if "s." in chosen else ""
    statement = f"SELECT {chosen} {way.tables} {where} {tail}".format_map(
        {**way.names, "m": way.mention, "value": place, "signals": signals}
    )
    streamed = connection.execution_options(stream_results=True)
    given = tuple(value for _, values in filters for value in values)
    return streamed.exec_driver_sql(statement, (*values, *given))


def _row_chunks(
    result: CursorResult[*tuple[Any, ...]], is_sqlite: bool
) -> Iterator[Sequence[Sequence[Any]]]:
    if not is_sqlite:
        yield from result.partitions(CHUNK_ROWS)
        return
    # The driver's own cursor: a million Row objects would cost as much as reading them.
    while rows := result.cursor.fetchmany(CHUNK_ROWS):
        yield rows


def _like(column: str) -> str:
    return f"lower({column}) LIKE {{value}} ESCAPE '!'"


def _containing(text: str) -> str:
    for special in "!%_":
        text = text.replace(special, f"!{special}")
    return f"%{text}%"


def _spellings(text: str) -> list[str]:
    """The usual ways to write it: SQLite's ``lower`` knows no letters but those of English.

    >>> _spellings("News"), _spellings("über")
    (['%news%'], ['%über%', '%Über%'])
    """
    ways = (text.lower(), text.upper(), text.capitalize(), text.title())
    lowered = (re.sub("[A-Z]+", lambda match: match[0].lower(), way) for way in ways)
    return [_containing(way) for way in dict.fromkeys(lowered)]
