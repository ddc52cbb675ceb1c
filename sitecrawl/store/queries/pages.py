"""Reads the pages of the inventory as of a scan: one query for all who filter pages.

The inventory is what all scans up to this one know (``queries/scans.py``). That of the newest scan
is exact; that of an earlier one is as far as the database still knows it. Of each page it has what
the last scan said that could tell.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sqlalchemy import func, select

from sitecrawl.store.queries.scans import membership
from sitecrawl.store.schema import classifications, pages, scans, visits
from sitecrawl.store.vocabulary import PageStatus
from sitecrawl.urls.refusal import BROKEN

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence

    from sqlalchemy.engine import Connection, CursorResult

    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.scans import Scan

_ROWS_AT_ONCE: Final = 500
_IDS_AT_ONCE: Final = 10_000
_FIRST_REDIRECT: Final = HTTPStatus.MULTIPLE_CHOICES

_BROKEN_REASONS: Final = ", ".join(f"'{reason}'" for reason in sorted(BROKEN))
IS_BROKEN: Final = f"p.reason IN ({_BROKEN_REASONS})"
_OF_STATUS: Final = {
    PageStatus.LISTED: "p.reason IS NULL",
    PageStatus.REFUSED: f"p.reason IS NOT NULL AND NOT {IS_BROKEN}",
    PageStatus.BROKEN: IS_BROKEN,
}

# What can be read of a page, as SQL: ``p`` is its row, ``{m}`` the mention that it is listed by.
COLUMNS: Final = {
    **{name: f"p.{name}" for name in ("id", "number", "url", "reason", "rule", "title")},
    **{name: f"p.{name}" for name in ("verdict_id", "first_scan_id", "importance")},
    **{name: f"p.{name}" for name in ("changefreq", "sitemap_priority", "language", "category")},
    **{name: f"{{m}}.{name}" for name in ("document_id", "source", "lastmod", "region", "anchor")},
    **{name: f"s.{name}" for name in ("inlinks", "link_region", "declared_type")},
    **{name: f"s.{name}" for name in ("own_language", "text_language")},
    "class_id": "pc.class_id",
}

# Tables beside ``pages AS p``, by the name that columns and conditions know them under.
_JOINS: Final = {
    "pc": "LEFT JOIN page_classes AS pc ON pc.page_number = p.number",
    "k": "LEFT JOIN classes AS k ON k.id = pc.class_id",
    "d": "LEFT JOIN documents AS d ON d.id = {m}.document_id",
    "first": "LEFT JOIN started AS first ON first.id = p.first_scan_id",
    "r": "LEFT JOIN verdicts AS r ON r.id = p.verdict_id",
    "s": "LEFT JOIN page_signals AS s ON s.page_id = p.id",
    "v": "LEFT JOIN visited AS v ON v.page_id = p.id",
    "f": "LEFT JOIN further AS f ON f.page_id = p.id",
    # A text for each row of a table that is smaller than the pages (``select_pages``).
    "ktext": "LEFT JOIN ktext ON ktext.id = pc.class_id",
    "dtext": "LEFT JOIN dtext ON dtext.id = {m}.document_id",
    "firsttext": "LEFT JOIN firsttext ON firsttext.id = p.first_scan_id",
    "rtext": "LEFT JOIN rtext ON rtext.id = p.verdict_id",
    "vtext": "LEFT JOIN vtext ON vtext.id = p.id",
}
_TEXT_SOURCES: Final = {
    "ktext": "SELECT k.id, {text} AS text FROM classes AS k",
    "dtext": "SELECT d.id, {text} AS text FROM documents AS d",
    "firsttext": "SELECT first.id, {text} AS text FROM started AS first",
    "rtext": "SELECT r.id, {text} AS text FROM verdicts AS r",
    "vtext": "SELECT v.page_id AS id, {text} AS text FROM visited AS v",
}
_BY_CLASS: Final = frozenset({"pc", "k", "ktext"})
_TABLE_NAME: Final = re.compile(r"\b([a-z]+)\.")

# Of a page that was fetched twice, the last fetch counts. Of one that this scan has not visited,
# the last visit before: only scans that were the last to read a page are looked at.
_VISITED: Final = """
visited AS MATERIALIZED (
    SELECT page_id, outcome, clicks, status, content_type, text_hash, canonical, duplicate_of
    FROM (
        SELECT visit.page_id, visit.outcome, visit.clicks, fetched.status, fetched.content_type,
            visit.text_hash, visit.canonical,
            (SELECT original.url FROM visits AS original
             WHERE original.page_id = visit.duplicate_of AND original.scan_id = visit.scan_id
             ORDER BY original.id LIMIT 1) AS duplicate_of,
            row_number() OVER (
                PARTITION BY visit.page_id
                ORDER BY visit.outcome IS NULL, visit.id DESC, fetched.id DESC) AS rank
        FROM visits AS visit LEFT JOIN fetches AS fetched
            ON fetched.document_id = visit.document_id AND fetched.scan_id = visit.scan_id
        WHERE visit.scan_id = {scan} OR (
            visit.outcome IS NOT NULL AND visit.scan_id IN (
                SELECT coalesce(gone_scan_id, last_scan_id) FROM documents
                WHERE site_id = {site} AND kind = 'page'
                AND coalesce(gone_scan_id, last_scan_id) < {scan}))
    ) AS ranked WHERE rank = 1)
"""
# Most further mentions have the source of the first one, and add nothing.
_FURTHER: Final = """
further AS MATERIALIZED (
    SELECT named.page_id, {source_list} AS sources FROM (
        SELECT other.page_id, other.source FROM further_mentions AS other
        WHERE other.document_id IN (SELECT id FROM documents WHERE site_id = {site})
        AND {other_counts}
        GROUP BY other.page_id, other.source ORDER BY other.page_id, other.source
    ) AS named CROSS JOIN pages AS own
    WHERE own.id = named.page_id AND {is_further} GROUP BY named.page_id)
"""

# Rows of scans are long, and the database would read much of one for each page.
_STARTED: Final = """
started AS MATERIALIZED (SELECT id, started_at FROM scans WHERE site_id = {site})
"""

_COMMON_TABLES: Final = {"v": _VISITED, "f": _FURTHER, "first": _STARTED}

_BY_OWN_MENTION: Final = "FROM pages AS p {joins} WHERE p.site_id = {site} AND {own_counts}"
# Pages whose own mention no longer counts, but another one does: rare, as the end of each scan
# corrects it; it happens when a scan was interrupted or a document could not be fetched. The cross
# join keeps SQLite from reading every mention of a crawl to find that none is needed.
_BY_OTHER_MENTION: Final = """
FROM (
    SELECT other.*, row_number() OVER (
        PARTITION BY other.page_id ORDER BY other.document_id, other.position) AS rank
    FROM pages AS p CROSS JOIN further_mentions AS other
    WHERE p.site_id = {site} AND NOT {own_counts} AND other.page_id = p.id AND {other_counts}
) AS m
JOIN pages AS p ON p.id = m.page_id {joins}
WHERE m.rank = 1
"""
# Documents that the scan has not read or confirmed, and that may list pages which it did not see.
_ANY_UNCONFIRMED: Final = """
SELECT 1 FROM documents
WHERE site_id = {site} AND kind IN ('sitemap', 'page') AND gone_scan_id IS NULL
AND content_scan_id IS NOT NULL AND last_scan_id < {scan} LIMIT 1
"""
_CONFIRMED: Final = """
(p.seen_scan_id >= {scan} OR {m}.document_id IN {confirming} OR p.id IN (
    SELECT other.page_id FROM other_mentions AS other
    WHERE other.document_id IN {confirming} AND {other_counts}))
"""
_CONFIRMING: Final = "(SELECT id FROM documents WHERE site_id = {site} AND last_scan_id >= {scan})"
_LISTED: Final = """
SELECT count(*), count(CASE WHEN NOT {own_counts} THEN 1 END)
FROM pages AS p WHERE p.site_id = {site} AND p.reason IS NULL
"""

# The mention that a page is listed by, or one of the further ones.
_ANY_MENTION: Final = """
({own} OR p.id IN (
    SELECT other.page_id FROM further_mentions AS other WHERE {also} AND {{other_counts}}))
"""
_DESCRIBED: Final = """
p.id IN (SELECT page_id FROM page_signals UNION SELECT page_id FROM menu_entries)
"""
_IN_CLUSTER: Final = """
pc.class_id IN (SELECT id FROM classes WHERE site_id = {site} AND {has_cluster})
"""


class _Dialect(NamedTuple):
    """What the two databases spell differently."""

    value: str
    source_list: str
    has_cluster: str
    number_is_one_of: str


_SQLITE: Final = _Dialect(
    value="?",
    source_list="json_group_array(named.source)",
    has_cluster="EXISTS (SELECT 1 FROM json_each(clusters) AS entry WHERE entry.value = {value})",
    number_is_one_of="p.number IN (SELECT entry.value FROM json_each({value}) AS entry)",
)
_POSTGRES: Final = _Dialect(
    value="%s",
    source_list="json_agg(named.source ORDER BY named.source)",
    has_cluster="jsonb_exists(clusters, {value})",
    number_is_one_of="p.number IN (SELECT CAST(json_array_elements_text(CAST({value} AS json))"
    " AS bigint))",
)


@dataclass(frozen=True, slots=True)
class PageCount:
    reason: str | None
    source: str
    pages: int


@dataclass(frozen=True, slots=True)
class PageFilter:
    """Which pages are wanted: every listed one, unless more is said."""

    include_refused: bool = False
    """Broken ones as well."""
    status: PageStatus | None = None
    """Refused or broken; implies such pages."""
    source: str = ""
    """Of any mention of the page."""
    region: str = ""
    """Of any mention of the page; together with a source, of the same one."""
    reason: str = ""
    """Why it was refused; implies refused pages."""
    contains: str = ""
    """Text in the URL, in whatever case."""
    text: str = ""
    """Text in the title or in the anchor of any mention, in whatever case."""
    pattern: str = ""
    """As ``sitecrawl.urls.patterns`` gives it, or as the crawl names what it gave up."""
    max_depth: int | None = None
    max_clicks: int | None = None
    http_status: tuple[int, int] | None = None
    """The lowest and the highest; redirects and errors imply refused pages."""
    category: str = ""
    page_type: str = ""
    language: str = ""
    """``pt`` wants ``pt-br``, too."""
    cluster: str = ""
    """The key of one."""
    page_id: int | None = None
    one_of: int = 1
    """A random sample of one of so many pages; a power of two. The same pages every time."""
    is_confirmed: bool = False
    """Whether the scan itself has read or confirmed that it is there."""
    is_described: bool = False
    """Whether more is known of it than its row says, or the menu has it."""

    @property
    def wants_refused(self) -> bool:
        is_no_success = self.http_status is not None and self.http_status[0] >= _FIRST_REDIRECT
        is_asked_for = self.include_refused or self.status is not None or bool(self.reason)
        return is_asked_for or is_no_success

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
        if self.is_confirmed:
            found.append((_CONFIRMED, []))
        if self.is_described:
            found.append((_DESCRIBED, []))
        if self.status is not None:
            found.append((_OF_STATUS[self.status], []))
        if self.reason:
            found.append(("p.reason = {value}", [self.reason]))
        if self.contains:
            found.append((_like("p.url"), [_containing(self.contains.lower())]))
        if self.text:
            found.append(self._text())
        if self.max_clicks is not None:
            found.append(("v.clicks <= {value}", [self.max_clicks]))
        if self.http_status is not None:
            found.append(("v.status BETWEEN {value} AND {value}", self.http_status))
        return [*found, *self._of_class()]

    def _of_class(self) -> Iterator[tuple[str, Sequence[Any]]]:
        if self.category:
            yield "k.category = {value}", [self.category]
        if self.page_type:
            yield "k.type = {value}", [self.page_type]
        if self.language:
            yield "(k.language = {value} OR k.language LIKE {value} ESCAPE '!')", self._languages()
        if self.max_depth is not None:
            yield "k.depth <= {value}", [self.max_depth]
        if self.cluster:
            yield _IN_CLUSTER, [self.cluster]

    def _languages(self) -> Sequence[str]:
        is_primary = "-" not in self.language
        return self.language, f"{_escaped(self.language)}-%" if is_primary else self.language

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
CONFIRMED_PAGES: Final = PageFilter(include_refused=True, is_confirmed=True)


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
    conditions = [condition for condition, _ in wanted.conditions()]
    is_by_class = not _BY_CLASS.isdisjoint(_tables_of(*columns, *conditions))
    with database.reading() as connection:
        if is_by_class and not _has_classes(connection, scan.site_id):
            # A scan that ended in order needs nothing of this.
            from sitecrawl.store.writers.classes import write_temporary_classes

            write_temporary_classes(database, connection, scan)
        yield connection


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
    for every page, and is the column ``ktext.text``.
    """
    is_sqlite = connection.dialect.name == "sqlite"
    dialect = _SQLITE if is_sqlite else _POSTGRES
    filters = wanted.conditions()
    if wanted.pattern:
        numbers = json.dumps(_numbers_of_pattern(connection, scan, wanted))
        filters.append((dialect.number_is_one_of, [numbers]))
    conditions = [condition for condition, _ in filters]
    if not wanted.wants_refused:
        # Last, because SQLite goes through half of a row to come to it.
        conditions.append("p.reason IS NULL")
    where = "".join(f" AND {condition}" for condition in conditions)
    values = tuple(value for _, given in filters for value in given)
    chosen = ", ".join(columns)
    tables = _tables_of(chosen, where)
    joins = " ".join(join for name, join in _JOINS.items() if name in tables)
    common = [sql for name, sql in _COMMON_TABLES.items() if tables & {name, f"{name}text"}]
    for name, text in (texts or {}).items():
        common.append(f"{name} AS MATERIALIZED ({_TEXT_SOURCES[name].format(text=text)})")
    head = f"WITH {', '.join(common)} SELECT" if common else "SELECT"
    for mention, source, counts in _ways(connection, scan):
        names = {**counts, **dialect._asdict(), "m": mention}
        names["has_cluster"] = dialect.has_cluster.format_map(names)
        names["joins"] = joins.format_map(names)
        statement = f"{head} {chosen} {source} {where} {tail}".format_map(names)
        streamed = connection.execution_options(stream_results=True)
        with streamed.exec_driver_sql(statement, values) as result:
            yield from _driver_rows(result, is_sqlite, at_once)


def _tables_of(*sql: str) -> set[str]:
    tables = {name for text in sql for name in _TABLE_NAME.findall(text)}
    return tables if tables.isdisjoint(_BY_CLASS) else tables | {"pc"}


def _ways(connection: Connection, scan: Scan) -> list[tuple[str, str, Mapping[str, str]]]:
    """How pages are found: by the mention in their row, and by another one."""
    names = membership(scan) | {"is_further": "named.source <> own.source"}
    names["confirming"] = _CONFIRMING.format_map(names)
    is_another = (scans.c.site_id == scan.site_id) & (scans.c.id != scan.id)
    if connection.execute(select(scans.c.id).where(is_another).limit(1)).first() is None:
        # Whatever the site has was seen by this scan.
        return [("p", _BY_OWN_MENTION, names | {"own_counts": "1 = 1"})]
    return [
        ("p", _BY_OWN_MENTION, names),
        ("m", _BY_OTHER_MENTION, names | {"is_further": "1 = 1"}),
    ]


def _driver_rows(
    result: CursorResult[*tuple[Any, ...]], is_sqlite: bool, at_once: int
) -> Iterator[Sequence[tuple[Any, ...]]]:
    if not is_sqlite:
        yield from (list(map(tuple, rows)) for rows in result.partitions(at_once))
        return
    # The driver's own cursor: a million Row objects would cost as much as reading them.
    while rows := result.cursor.fetchmany(at_once):
        yield rows


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


def _like(column: str) -> str:
    return f"lower({column}) LIKE {{value}} ESCAPE '!'"


def _escaped(text: str) -> str:
    for special in "!%_":
        text = text.replace(special, f"!{special}")
    return text


def _containing(text: str) -> str:
    return f"%{_escaped(text)}%"


def _spellings(text: str) -> list[str]:
    """The usual ways to write it: SQLite's ``lower`` knows no letters but those of English.

    >>> _spellings("News"), _spellings("über")
    (['%news%'], ['%über%', '%Über%'])
    """
    ways = (text.lower(), text.upper(), text.capitalize(), text.title())
    lowered = (re.sub("[A-Z]+", lambda match: match[0].lower(), way) for way in ways)
    return [_containing(way) for way in dict.fromkeys(lowered)]
