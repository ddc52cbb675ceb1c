"""What was learned of a site: learned from its inventory at the end of a scan, stored, read again.

Categories, types, languages, priorities and clusters of single pages are not stored: they follow
from the model and the page's row, for less than it costs to read them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sqlalchemy import delete, func, insert, select

from sitecrawl.classify.classifier import PageClassifier
from sitecrawl.classify.clusters import Cluster
from sitecrawl.classify.learning import SAMPLE_ROWS
from sitecrawl.classify.model import SiteModel
from sitecrawl.classify.site import learn_site
from sitecrawl.classify.vocabulary import ClusterKind
from sitecrawl.items import DocumentKind
from sitecrawl.store import schema as t
from sitecrawl.store.classified_columns import CLASSIFIED_COLUMNS, page_columns
from sitecrawl.store.queries.pages import LISTED_PAGES, PageFilter, export_columns, page_chunks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy.engine import Connection

    from sitecrawl.classify.pages import PageClass, PageColumns
    from sitecrawl.classify.priority import PriorityPart
    from sitecrawl.classify.site import LearnedSite
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.scans import Scan

# So many pages are learned again in a moment, so nobody needs to ask whether anything has changed.
_FEW_PAGES: Final = 20_000


class ExplainedPage(NamedTuple):
    """What a page is, and why."""

    page_class: PageClass
    parts: Sequence[PriorityPart]
    """What its priority is made of."""
    clusters: Sequence[Cluster]
    are_estimates: bool
    """The sizes of the clusters."""


def classifier_of(database: Database, scan: Scan) -> PageClassifier:
    """What classifies the pages of the scan's site; learned now, if nothing usable is stored."""
    with database.reading() as connection:
        stored = read_model(connection, scan.site_id)
    return PageClassifier(stored or _learn(database, scan).model)


def explain_page(database: Database, scan: Scan, page_id: int) -> ExplainedPage | None:
    """The class of one page of the scan's inventory, and why; None, if it is not there."""
    names = export_columns(database, scan.site_id)
    wanted = PageFilter(include_refused=True, page_id=page_id)
    page = next(page_chunks(database, scan, wanted, names), None)
    if page is None:
        return None
    classifier = classifier_of(database, scan)
    columns = page_columns(page)
    [page_class], [parts] = classifier.classify(columns), classifier.explain(columns)
    with database.reading() as connection:
        known = {each.key: each for each in read_clusters(connection, scan.site_id)}
    clusters = [known[key] for key in page_class.clusters if key in known]
    return ExplainedPage(page_class, parts, clusters, not classifier.model.is_whole)


def read_model(connection: Connection, site_id: int) -> SiteModel | None:
    """What is stored; None, if there is nothing that this version can use."""
    own = t.classifications.c.site_id == site_id
    data = connection.scalar(select(t.classifications.c.model).where(own))
    if data is None:
        return None
    keys = connection.scalars(select(t.clusters.c.key).where(t.clusters.c.site_id == site_id))
    return SiteModel.from_data(data, frozenset(keys))


def read_clusters(connection: Connection, site_id: int) -> list[Cluster]:
    """The clusters of a site, by kind, the largest first."""
    c = t.clusters.c
    rows = connection.execute(select(t.clusters).where(c.site_id == site_id).order_by(c.id))
    return [
        Cluster(
            key=row.key,
            kind=ClusterKind(row.kind),
            name=row.name,
            parent=row.parent or "",
            pages=row.pages,
            sample=tuple(row.sample),
            why=row.why,
        )
        for row in rows
    ]


def settle_classification(database: Database, connection: Connection, scan: Scan) -> None:
    """At the end of a scan, when all else is written and committed: learn the site again.

    What is learned depends on the inventory alone: not on the order in which it was found, nor on
    how often the scan was interrupted. If a large inventory has not changed, nothing is to be done.
    """
    if not _has_changed(connection, scan):
        return
    learned = _learn(database, scan)
    own_clusters = t.clusters.c.site_id == scan.site_id
    connection.execute(delete(t.clusters).where(own_clusters))
    connection.execute(delete(t.classifications).where(t.classifications.c.site_id == scan.site_id))
    connection.execute(
        insert(t.classifications).values(
            site_id=scan.site_id,
            scan_id=scan.id,
            last_page_number=connection.scalar(_last_number(scan.site_id)) or 0,
            model=learned.model.as_data(),
        )
    )
    if learned.clusters:
        rows = [_row(scan.site_id, cluster) for cluster in learned.clusters]
        connection.execute(insert(t.clusters), rows)


def _row(site_id: int, cluster: Cluster) -> dict[str, Any]:
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


def _learn(database: Database, scan: Scan) -> LearnedSite:
    """Learn the site from the scan's inventory; of a large one, from a part of it."""
    known = export_columns(database, scan.site_id, LISTED_PAGES)
    wanted = [name for name in CLASSIFIED_COLUMNS if name in known]
    with database.reading() as connection:
        pages = _count_pages(connection, scan.site_id)
    one_of = 1
    while pages > 2 * SAMPLE_ROWS * one_of:
        one_of *= 2
    speaking = PageFilter(is_speaking=True)
    return learn_site(
        _batches(database, scan, PageFilter(one_of=one_of), wanted),
        _batches(database, scan, speaking, wanted) if one_of > 1 else (),
        one_of=one_of,
    )


def _count_pages(connection: Connection, site_id: int) -> int:
    """The pages of a site; not one of them is looked at, if the database has no other site."""
    pages = select(func.count()).select_from(t.pages)
    if connection.execute(select(t.sites.c.id).where(t.sites.c.id != site_id).limit(1)).first():
        pages = pages.where(t.pages.c.site_id == site_id)
    return connection.scalar(pages) or 0


def _batches(
    database: Database, scan: Scan, wanted: PageFilter, columns: Sequence[str]
) -> Iterator[PageColumns]:
    for chunk in page_chunks(database, scan, wanted, columns):
        yield page_columns(chunk)


def _last_number(site_id: int) -> Any:
    return select(func.max(t.pages.c.number)).where(t.pages.c.site_id == site_id)


def _has_changed(connection: Connection, scan: Scan) -> bool:
    """Whether the inventory may differ from the one that was learned last."""
    own = t.classifications.c.site_id == scan.site_id
    learned = connection.execute(select(t.classifications).where(own)).first()
    if learned is None or SiteModel.from_data(learned.model, frozenset()) is None:
        return True
    pages = select(t.pages.c.number).where(t.pages.c.site_id == scan.site_id)
    if connection.execute(pages.limit(1).offset(_FEW_PAGES)).first() is None:
        return True
    documents, visits = t.documents.c, t.visits.c
    is_own = documents.site_id == scan.site_id
    # Any of these: a new page, a map that was read anew, one that is gone, a crawl.
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
                documents.last_scan_id >= learned.scan_id,
                documents.last_scan_id < scan.id,
            ),
            select(visits.id).where(
                visits.scan_id == scan.id, visits.number > 1, visits.outcome.is_not(None)
            ),
        )
    )
