"""Reads the links between pages, those of one page, and the menu of the site."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from sqlalchemy import select

from sitecrawl.items import DocumentKind, Source
from sitecrawl.store import schema as t
from sitecrawl.store.engine import driver_rows
from sitecrawl.store.queries.scans import counts_in_scan, membership
from sitecrawl.store.schema import documents, menu_entries, pages, visits
from sitecrawl.store.vocabulary import PageStatus
from sitecrawl.urls.refusal import Reason

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy.engine import Connection

    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.scans import Scan

_ROWS_AT_ONCE = 1_000

_NODES = """
SELECT p.number, p.url, p.title, v.clicks, f.status
FROM pages AS p
LEFT JOIN visits AS v ON v.page_id = p.id AND v.scan_id = {scan}
LEFT JOIN fetches AS f ON f.document_id = v.document_id AND f.scan_id = {scan}
WHERE p.site_id = {site} AND {is_wanted} AND ({own_counts} OR EXISTS (
    SELECT 1 FROM other_mentions AS other WHERE other.page_id = p.id AND {other_counts}))
ORDER BY p.number
"""

# What links: by the document of its visit, as mentions know only that.
_LINKING = """
SELECT v.document_id, p.number, p.url
FROM visits AS v JOIN pages AS p ON p.id = v.page_id
WHERE v.scan_id = {scan} AND v.document_id IS NOT NULL AND p.site_id = {site} AND {is_wanted}
"""

_OWN_LINKS = """
SELECT p.document_id, p.number, p.url, p.source, p.region, p.anchor, p.rel, p.position
FROM pages AS p
WHERE p.site_id = {site} AND p.document_id IN {visited} AND {own_counts}
AND p.source <> '{start}' AND {is_wanted} {own_region}
"""
_OTHER_LINKS = """
SELECT other.document_id, p.number, p.url, other.source, other.region, other.anchor, other.rel,
    other.position
FROM further_mentions AS other JOIN pages AS p ON p.id = other.page_id
WHERE p.site_id = {site} AND other.document_id IN {visited} AND {other_counts}
AND other.source <> '{start}' AND {is_wanted} {other_region}
"""

# Where the crawl was allowed to leave the site, what it found there is listed.
_IS_EXTERNAL = """
(coalesce(p.reason, '') = '{offsite}' OR p.id IN (
    SELECT page_id FROM visits WHERE scan_id = {scan} AND external_hops > 0))
"""
_VISITED = "(SELECT document_id FROM visits WHERE scan_id = {scan})"


class GraphNode(NamedTuple):
    """A page."""

    number: int
    url: str
    title: str | None
    clicks: int | None
    http_status: int | None


class GraphEdge(NamedTuple):
    """A link of a visited page to a page."""

    from_number: int
    from_url: str
    to_number: int
    to_url: str
    source: str
    region: str | None
    anchor: str | None
    rel: str | None
    position: int


@dataclass(frozen=True, slots=True)
class GraphFilter:
    """Which pages and links are wanted: links between listed pages of the site, unless more is."""

    region: str = ""
    """Only links in this part of a page."""
    include_refused: bool = False
    include_external: bool = False

    def is_wanted(self) -> str:
        """SQL on ``pages AS p``."""
        if self.include_refused:
            return "TRUE" if self.include_external else f"NOT {_IS_EXTERNAL}"
        if self.include_external:
            return f"(p.reason IS NULL OR {_IS_EXTERNAL})"
        return f"p.reason IS NULL AND NOT {_IS_EXTERNAL}"


class LinkGraph:
    """The graph in one state of the database, read piece by piece."""

    def __init__(self, connection: Connection, scan: Scan, wanted: GraphFilter):
        self._connection = connection
        self._region = [wanted.region] if wanted.region else []
        names = membership(scan)
        condition = wanted.is_wanted().format(offsite=Reason.OFFSITE.value, scan=names["scan"])
        marker = "?" if connection.dialect.name == "sqlite" else "%s"
        self._names = {
            **names,
            "is_wanted": condition,
            "start": Source.START.value,  # where the crawl began is no link
            "visited": _VISITED.format_map(names),
            "own_region": f"AND p.region = {marker}" if wanted.region else "",
            "other_region": f"AND other.region = {marker}" if wanted.region else "",
        }

    def nodes(self) -> Iterator[GraphNode]:
        """Every wanted page, in the order in which they were first seen."""
        last_number = None
        for node in map(GraphNode._make, self._rows(_NODES)):
            # A page that was fetched twice in one scan is one page all the same.
            if node.number != last_number:
                yield node
            last_number = node.number

    def edges(self) -> Iterator[GraphEdge]:
        """Every link between two of the nodes."""
        linking = {document_id: page for document_id, *page in self._rows(_LINKING)}
        for statement in (_OWN_LINKS, _OTHER_LINKS):
            for document_id, *link in self._rows(statement, *self._region):
                page = linking.get(document_id)
                if page is not None:
                    yield GraphEdge(*page, *link)

    def _rows(self, statement: str, *values: str) -> Iterator[tuple[Any, ...]]:
        streamed = self._connection.execution_options(stream_results=True)
        with streamed.exec_driver_sql(statement.format_map(self._names), values) as result:
            for rows in result.partitions(_ROWS_AT_ONCE):
                yield from map(tuple, rows)


@contextmanager
def reading_graph(database: Database, scan: Scan, wanted: GraphFilter) -> Iterator[LinkGraph]:
    """The graph of the scan, as long as the context lasts."""
    with database.reading() as connection:
        yield LinkGraph(connection, scan, wanted)


MentionRow: TypeAlias = tuple[int, int, str, str | None]
"""The document, the page, the kind of source, the part of the document that it stands in."""

_MENTIONS_AT_ONCE: Final = 20_000
_FURTHER: Final = """
SELECT other.document_id, other.page_id, other.source, other.region
FROM further_mentions AS other
WHERE other.document_id IN (SELECT id FROM documents WHERE site_id = {site}) AND {other_counts}
ORDER BY other.document_id, other.position, other.page_id
"""


def further_mentions(database: Database, scan: Scan) -> Iterator[Sequence[MentionRow]]:
    """All mentions but those that pages are listed by, in chunks, document by document."""
    with database.reading() as connection:
        streamed = connection.execution_options(stream_results=True)
        with streamed.exec_driver_sql(_FURTHER.format_map(membership(scan))) as result:
            yield from driver_rows(result, _MENTIONS_AT_ONCE)


def visited_documents(database: Database, scan: Scan) -> list[tuple[int, int]]:
    """The documents that the crawl fetched, each with the id of its page."""
    statement = (
        select(visits.c.document_id, visits.c.page_id)
        .where(visits.c.scan_id == scan.id, visits.c.document_id.is_not(None))
        .order_by(visits.c.id)
    )
    with database.reading() as connection:
        return [(document_id, page_id) for document_id, page_id in connection.execute(statement)]


def sitemap_documents(database: Database, scan: Scan) -> list[int]:
    """The numbers of the site's sitemaps, and of feeds that are used as such."""
    statement = select(documents.c.id).where(
        documents.c.site_id == scan.site_id, documents.c.kind == DocumentKind.SITEMAP
    )
    with database.reading() as connection:
        return list(connection.scalars(statement))


class MenuFact(NamedTuple):
    """An entry of the menu, in its order."""

    level: int
    """0 is the highest."""
    title: str
    url: str
    region: str
    reason: str | None
    """Why the page is refused."""

    @property
    def status(self) -> PageStatus:
        return PageStatus.of(self.reason)


def site_menu(database: Database, scan: Scan) -> list[MenuFact]:
    """The entries in the order of the page; none, if the root was not read or has no menu."""
    statement = (
        select(
            menu_entries.c.level,
            menu_entries.c.title,
            pages.c.url,
            menu_entries.c.region,
            pages.c.reason,
        )
        .join_from(menu_entries, pages, pages.c.id == menu_entries.c.page_id)
        .where(menu_entries.c.scan_id == scan.id)
        .order_by(menu_entries.c.position)
    )
    with database.reading() as connection:
        return [MenuFact(*row) for row in connection.execute(statement)]


# Both are read in the order of their keys, so that a page of the list can begin behind any of them.
_TO: Final = """
SELECT m.document_id, m.position, m.page_id, d.url, d.kind, m.source, m.region, m.anchor, m.rel
FROM mentions AS m JOIN documents AS d ON d.id = m.document_id
WHERE m.page_id = {page} AND {counts}
AND (m.document_id > {document} OR (m.document_id = {document} AND m.position > {position}))
ORDER BY m.document_id, m.position LIMIT {limit}
"""
_FROM: Final = """
SELECT m.document_id, m.position, m.page_id, p.url, p.reason, m.source, m.region, m.anchor, m.rel
FROM mentions AS m JOIN pages AS p ON p.id = m.page_id
WHERE m.document_id IN ({documents}) AND {counts}
AND (m.document_id > {document} OR (m.document_id = {document} AND m.position > {position}))
ORDER BY m.document_id, m.position LIMIT {limit}
"""


@dataclass(frozen=True, slots=True)
class LinkPosition:
    """The last link that was given."""

    document_id: int = 0
    position: int = -1


@dataclass(frozen=True, slots=True)
class PageLink:
    """A link to the page, or of it."""

    document_id: int
    position: int
    page_id: int
    """The page that is linked to."""
    url: str
    """The document that links, or the page that is linked to."""
    kind: str | None
    """Of the document that links."""
    reason: str | None
    """Why the page that is linked to is refused."""
    source: str
    region: str | None
    anchor: str | None
    rel: str | None


def links_to(
    database: Database, scan: Scan, page_id: int, after: LinkPosition, limit: int
) -> list[PageLink]:
    """What mentions the page as of the scan."""
    statement = _TO.format(
        page=int(page_id),
        counts=counts_in_scan(scan, "m"),
        document=int(after.document_id),
        position=int(after.position),
        limit=int(limit),
    )
    with database.reading() as connection:
        rows = connection.exec_driver_sql(statement).all()
    return [PageLink(**row._asdict(), reason=None) for row in rows]


def links_from(
    database: Database, scan: Scan, page_id: int, after: LinkPosition, limit: int
) -> list[PageLink]:
    """What the page mentions as of the scan; nothing if it was never visited."""
    with database.reading() as connection:
        documents = _documents_of(connection, scan, page_id)
        if not documents:
            return []
        statement = _FROM.format(
            documents=", ".join(map(str, documents)),
            counts=counts_in_scan(scan, "m"),
            document=int(after.document_id),
            position=int(after.position),
            limit=int(limit),
        )
        rows = connection.exec_driver_sql(statement).all()
    return [PageLink(**row._asdict(), kind=None) for row in rows]


def _documents_of(connection: Connection, scan: Scan, page_id: int) -> list[int]:
    visited = select(t.visits.c.document_id).where(
        t.visits.c.page_id == page_id, t.visits.c.document_id.is_not(None)
    )
    statement = select(t.documents.c.id).where(
        t.documents.c.site_id == scan.site_id,
        t.documents.c.kind == DocumentKind.PAGE,
        t.documents.c.id.in_(visited),
    )
    return sorted(connection.scalars(statement))
