"""Classifies the pages of a site when a scan ends, and stores their classes.

Pages that are alike share one row of ``classes``; ``page_classes`` says which row a page has. So
pages can be filtered, sorted and counted by class in the database.
"""

from __future__ import annotations

from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import delete, func, insert, select

from sitecrawl.classify.classifier import PageClassifier
from sitecrawl.classify.site_model import SiteModel
from sitecrawl.items import DocumentKind, FetchOutcome
from sitecrawl.store import schema as t
from sitecrawl.store.engine import driver_rows
from sitecrawl.store.queries.classification import (
    CLASSIFIED_COLUMNS,
    learn_inventory,
    page_columns,
    read_model,
)
from sitecrawl.store.queries.page_sql import COLUMNS
from sitecrawl.store.writers.bulk import insert_columns, literal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy.engine import Connection

    from sitecrawl.classify.clusters import Cluster
    from sitecrawl.classify.pages import PageClass
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.scans import Scan

# So many pages are learned again in a moment, so nobody needs to ask whether anything has changed.
_FEW_PAGES: Final = 20_000
_PAGES_AT_ONCE: Final = 5_000
# Rows are tuples until they are columns. If there were more of them, Python's garbage collector
# would look at them time and again, for a quarter of the time that classification takes.
_ROWS_AT_ONCE: Final = 250
# On a site where every page has its own class, they must not fill the memory. A class that was
# forgotten is stored once more.
_MAX_KNOWN: Final = 50_000
_STORED: Final = (
    *("template", "category", "type", "language", "language_source", "priority", "depth"),
    "clusters",
)
# Every page of the site, whether or not it is still in the inventory: older scans show it.
_PAGES: Final = """
SELECT p.number, {columns} FROM pages AS p LEFT JOIN page_signals AS s ON s.page_id = p.id
WHERE p.site_id = {site} AND NOT ({is_only_listed}) ORDER BY p.number
"""
# Of most pages of a large site only sitemaps say anything: reading nothing else of them takes a
# third of the time.
_LISTED_PAGES: Final = """
SELECT p.number, {columns} FROM pages AS p
WHERE p.site_id = {site} AND {is_only_listed} ORDER BY p.number
"""
_SITEMAP_COLUMNS: Final = ("url", "language", "lastmod", "sitemap_priority")
_IS_ONLY_LISTED: Final = """
p.title IS NULL AND p.anchor IS NULL AND p.region IS NULL AND p.importance IS NULL
AND p.category IS NULL AND p.id NOT IN (SELECT page_id FROM page_signals)
"""
_DELETE_OWN: Final = """
DELETE FROM page_classes WHERE page_number IN (SELECT number FROM pages WHERE site_id = {site})
"""
_TEMPORARY: Final = "CREATE TEMPORARY TABLE {name} AS SELECT * FROM {name} WHERE 1 = 0"


def finalize_classes(database: Database, connection: Connection, scan: Scan) -> None:
    """Learn the site and classify its pages again, when all else is written and committed.

    The result depends on the inventory alone: not on the order in which it was found, nor on how
    often the scan was interrupted. If a large inventory has not changed, nothing is done.
    """
    if not _has_changed(connection, scan):
        return
    learned = learn_inventory(database, scan)
    own = literal(scan.site_id)
    connection.exec_driver_sql(_DELETE_OWN.format(site=own))
    for table in (t.clusters, t.classes, t.classifications):
        connection.execute(delete(table).where(table.c.site_id == scan.site_id))
    connection.execute(
        insert(t.classifications).values(
            site_id=scan.site_id,
            scan_id=scan.id,
            last_page_number=connection.scalar(_last_number(scan.site_id)) or 0,
            model=learned.model.as_data(),
        )
    )
    if learned.clusters:
        rows = [_cluster_row(scan.site_id, cluster) for cluster in learned.clusters]
        connection.execute(insert(t.clusters), rows)
    _write_classes(connection, scan, PageClassifier(learned.model))


def write_temporary_classes(database: Database, connection: Connection, scan: Scan) -> None:
    """Classify the pages into temporary tables, which hide the stored ones on this connection."""
    model = read_model(connection, scan.site_id) or learn_inventory(database, scan).model
    for name in ("classes", "page_classes"):
        connection.exec_driver_sql(_TEMPORARY.format(name=name))
    # Each page is looked up by its number.
    connection.exec_driver_sql("CREATE INDEX temporary_numbers ON page_classes (page_number)")
    _write_classes(connection, scan, PageClassifier(model))


def _write_classes(connection: Connection, scan: Scan, classifier: PageClassifier) -> None:
    # No other site has these ids, as those of link contexts.
    ids = _ClassIds(scan.site_id << 32)
    for statement, names in ((_LISTED_PAGES, _SITEMAP_COLUMNS), (_PAGES, CLASSIFIED_COLUMNS)):
        for numbers, *columns_of_pages in _columns(connection, scan, statement, names):
            classes = classifier.classify(page_columns(names, columns_of_pages))
            columns = {"page_number": numbers, "class_id": [ids[found] for found in classes]}
            insert_columns(connection, "page_classes", columns, {})
            ids.write(connection, scan.site_id)


class _ClassIds(dict["PageClass", int]):
    """The ids of classes that are stored, or wait in ``new`` to be stored."""

    def __init__(self, next_id: int) -> None:
        super().__init__()
        self.new: dict[int, tuple[Any, ...]] = {}
        self._next_id = next_id
        self._by_value: dict[tuple[Any, ...], int] = {}

    def __missing__(self, found: PageClass) -> int:
        if len(self) >= _MAX_KNOWN:
            self.clear()
            self._by_value.clear()
        value = _stored_values(found)
        class_id = self._by_value.get(value)
        if class_id is None:
            class_id = self._by_value[value] = self._next_id
            self.new[class_id] = value
            self._next_id += 1
        self[found] = class_id
        return class_id

    def write(self, connection: Connection, site_id: int) -> None:
        rows = [
            {"id": class_id, "site_id": site_id, **dict(zip(_STORED, values, strict=True))}
            for class_id, values in self.new.items()
        ]
        if rows:
            self.new = {}
            connection.execute(insert(t.classes), rows)


def _stored_values(found: PageClass) -> tuple[Any, ...]:
    return (
        found.template,
        found.category.value,
        found.page_type.value,
        found.language or None,
        found.language_source.value if found.language_source else None,
        found.priority,
        found.depth,
        found.clusters,
    )


def _columns(
    connection: Connection, scan: Scan, statement: str, names: Sequence[str]
) -> Iterator[Sequence[list[Any]]]:
    """The numbers of some pages and their columns of these *names*, until there are no more."""
    sql = statement.format(
        columns=", ".join(COLUMNS[name].format(m="p") for name in names),
        site=literal(scan.site_id),
        is_only_listed=_IS_ONLY_LISTED,
    )
    # On the connection that writes: another one would need as much memory again for its cache.
    with connection.exec_driver_sql(sql, execution_options={"stream_results": True}) as result:
        pieces = (list(zip(*rows, strict=True)) for rows in driver_rows(result, _ROWS_AT_ONCE))
        while some := list(islice(pieces, _PAGES_AT_ONCE // _ROWS_AT_ONCE)):
            yield [list(chain.from_iterable(parts)) for parts in zip(*some, strict=True)]


def _cluster_row(site_id: int, cluster: Cluster) -> dict[str, Any]:
    return {
        "site_id": site_id,
        "key": cluster.key,
        "kind": cluster.kind,
        "name": cluster.name,
        "parent": cluster.parent or None,
        "pages": cluster.pages,
        "sample": list(cluster.sample),
        "why": cluster.why,
    }


def _last_number(site_id: int) -> Any:
    return select(func.max(t.pages.c.number)).where(t.pages.c.site_id == site_id)


def _has_changed(connection: Connection, scan: Scan) -> bool:
    """Whether the inventory may differ from the one that was classified last."""
    own = t.classifications.c.site_id == scan.site_id
    learned = connection.execute(select(t.classifications).where(own)).first()
    if learned is None or SiteModel.from_data(learned.model, frozenset()) is None:
        return True
    pages = select(t.pages.c.number).where(t.pages.c.site_id == scan.site_id)
    if connection.execute(pages.limit(1).offset(_FEW_PAGES)).first() is None:
        return True
    if _has_crawled_anew(connection, scan.id, learned.scan_id):
        return True
    documents = t.documents.c
    is_own = documents.site_id == scan.site_id
    # Any of these: a new page, a sitemap that was read again, one that is gone.
    return any(
        connection.execute(statement.limit(1)).first() is not None
        for statement in (
            select(t.pages.c.number).where(
                t.pages.c.number > learned.last_page_number, t.pages.c.site_id == scan.site_id
            ),
            select(documents.id).where(
                is_own,
                documents.kind == DocumentKind.SITEMAP,
                documents.content_scan_id > learned.scan_id,
            ),
            select(documents.id).where(
                is_own,
                documents.kind == DocumentKind.SITEMAP,
                documents.gone_scan_id > learned.scan_id,
            ),
        )
    )


# The same pages gave the same answers. The root is sent in every scan, so its bytes are compared.
_CRAWLED_ALIKE: Final = """
SELECT max(v.number), count(v.id), count(before.id) FROM visits AS v
LEFT JOIN visits AS before ON before.page_id = v.page_id AND before.scan_id = {learned}
    AND coalesce(before.reason, '') = coalesce(v.reason, '')
    AND coalesce(before.rule, '') = coalesce(v.rule, '')
    AND (v.outcome = '{unchanged}' OR (v.outcome <> '{read}' AND v.outcome = before.outcome)
        OR (v.number = 1 AND EXISTS (
            SELECT 1 FROM fetches AS now JOIN fetches AS earlier
            ON earlier.document_id = now.document_id AND earlier.sha256 = now.sha256
            WHERE now.document_id = v.document_id AND now.scan_id = {scan}
            AND earlier.scan_id = {learned})))
WHERE v.scan_id = {scan} AND v.outcome IS NOT NULL
"""


def _has_crawled_anew(connection: Connection, scan_id: int, learned_scan_id: int) -> bool:
    """Whether the crawl may have found something else than that of the scan classified last."""
    visited = select(func.count(t.visits.c.outcome)).where(t.visits.c.scan_id == learned_scan_id)
    last, pages, alike = connection.exec_driver_sql(
        _CRAWLED_ALIKE.format(
            scan=int(scan_id),
            learned=int(learned_scan_id),
            unchanged=FetchOutcome.NOT_MODIFIED,
            read=FetchOutcome.OK,
        )
    ).one()
    if (last or 0) <= 1:
        return False  # the root alone is no crawl, and may be different each time
    return not pages == alike == connection.scalar(visited)
