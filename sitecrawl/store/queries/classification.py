"""Reads what classification needs and what it has stored: the model, clusters, classes of pages."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sqlalchemy import case, func, select

from sitecrawl.classify.classifier import PageClassifier
from sitecrawl.classify.clusters import Cluster
from sitecrawl.classify.pages import Category, ClusterKind, LanguageSource, PageColumns, PageType
from sitecrawl.classify.site_model import SAMPLE_ROWS, SiteModel, learn_site
from sitecrawl.store import schema as t
from sitecrawl.store.queries.page_filter import PageFilter
from sitecrawl.store.queries.pages import page_rows, reading_pages

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy.engine import Connection

    from sitecrawl.classify.pages import PageClass
    from sitecrawl.classify.priority import PriorityPart
    from sitecrawl.classify.site_model import LearnedSite
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.scans import Scan

# Of the columns of a page, those that classification takes as they are, with their name there.
_TAKEN: Final = {
    "title": "titles",
    "anchor": "anchors",
    "language": "languages",
    "own_language": "own_languages",
    "text_language": "text_languages",
    "lastmod": "lastmods",
    "sitemap_priority": "sitemap_priorities",
    "importance": "importances",
    "inlinks": "inlinks",
}
CLASSIFIED_COLUMNS: Final = (
    *("url", *_TAKEN, "category", "declared_type", "region", "link_region"),
)


class ExplainedPage(NamedTuple):
    """What a page is, and why."""

    page_class: PageClass
    parts: Sequence[PriorityPart]
    """What its priority is made of."""
    clusters: Sequence[Cluster]
    are_estimates: bool
    """The sizes of the clusters."""


class StoredClass(NamedTuple):
    """A class as the database has it; pages that are alike share one."""

    category: Category
    page_type: PageType
    template: str
    depth: int
    language: str
    """``""``: not known."""
    language_source: LanguageSource | None
    priority: float
    clusters: tuple[str, ...]


def page_columns(names: Sequence[str], given: Sequence[Sequence[Any]]) -> PageColumns:
    """What classification takes of some pages; *names* are those of the given columns."""
    columns = {
        name: column
        for name, column in zip(names, given, strict=True)
        if column[0] is not None or column.count(None) < len(column)
    }
    return PageColumns(
        urls=columns.get("url", ()),
        # The kind of a file comes first: it has no structured data.
        kinds=_first_of(columns.get("category"), columns.get("declared_type")),
        # Of all links, if they were counted, else of the one that the page is listed by.
        regions=_first_of(columns.get("link_region"), columns.get("region")),
        **{field: columns.get(name) for name, field in _TAKEN.items()},
    )


def _first_of(first: Sequence[Any] | None, second: Sequence[Any] | None) -> Sequence[Any] | None:
    if first and second:
        return [a or b for a, b in zip(first, second, strict=True)]
    return first or second


def classifier_of(database: Database, scan: Scan) -> PageClassifier:
    """What classifies the pages of the scan's site; learned now, if nothing usable is stored."""
    with database.reading() as connection:
        stored = read_model(connection, scan.site_id)
    return PageClassifier(stored or learn_inventory(database, scan).model)


def explain_page(database: Database, scan: Scan, page_id: int) -> ExplainedPage | None:
    """The class of one page of the scan's inventory, and why; None, if it is not there."""
    wanted = PageFilter(include_refused=True, page_id=page_id)
    with closing(page_rows(database, scan, wanted, CLASSIFIED_COLUMNS)) as found:
        rows = next(found, None)
    if rows is None:
        return None
    classifier = classifier_of(database, scan)
    columns = page_columns(CLASSIFIED_COLUMNS, list(zip(*rows, strict=True)))
    [page_class], [parts] = classifier.classify(columns), classifier.explain(columns)
    with database.reading() as connection:
        known = {each.key: each for each in read_clusters(connection, scan.site_id)}
    clusters = [known[key] for key in page_class.clusters if key in known]
    return ExplainedPage(page_class, parts, clusters, not classifier.model.is_whole)


def learn_inventory(database: Database, scan: Scan) -> LearnedSite:
    """Learn the site from the scan's inventory; of a large one, from a sample of it."""
    with database.reading() as connection:
        pages = _count_pages(connection, scan.site_id)
    one_of = 1
    while pages > 2 * SAMPLE_ROWS * one_of:
        one_of *= 2
    described = PageFilter(is_described=True)
    return learn_site(
        _batches(database, scan, PageFilter(one_of=one_of)),
        _batches(database, scan, described) if one_of > 1 else (),
        one_of=one_of,
    )


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


def main_language(database: Database, scan: Scan) -> str:
    """The language of the root page, else the one of most pages; ``""``: no page has one."""
    root = func.max(case((t.pages.c.url == scan.root_url, 1), else_=0))
    statement = (
        select(t.classes.c.language)
        .join_from(t.classes, t.page_classes, t.page_classes.c.class_id == t.classes.c.id)
        .join(t.pages, t.pages.c.number == t.page_classes.c.page_number)
        .where(
            t.classes.c.site_id == scan.site_id,
            t.classes.c.language.is_not(None),
            t.pages.c.reason.is_(None),
        )
        .group_by(t.classes.c.language)
        .order_by(root.desc(), func.count().desc(), t.classes.c.language)
        .limit(1)
    )
    with database.reading() as connection:
        return connection.scalar(statement) or ""


def stored_classes(database: Database, scan: Scan) -> dict[int, StoredClass]:
    """The classes of the scan's site, by the ``class_id`` of pages."""
    with reading_pages(database, scan, PageFilter(), ["pc.class_id"]) as connection:
        rows = connection.execute(select(t.classes).where(t.classes.c.site_id == scan.site_id))
        return {
            row.id: StoredClass(
                category=Category(row.category),
                page_type=PageType(row.type),
                template=row.template,
                depth=row.depth,
                language=row.language or "",
                language_source=row.language_source and LanguageSource(row.language_source),
                priority=row.priority,
                clusters=tuple(row.clusters),
            )
            for row in rows
        }


def _count_pages(connection: Connection, site_id: int) -> int:
    """The pages of a site; none of them is read, if the database has no other site."""
    pages = select(func.count()).select_from(t.pages)
    if connection.execute(select(t.sites.c.id).where(t.sites.c.id != site_id).limit(1)).first():
        pages = pages.where(t.pages.c.site_id == site_id)
    return connection.scalar(pages) or 0


def _batches(database: Database, scan: Scan, wanted: PageFilter) -> Iterator[PageColumns]:
    for rows in page_rows(database, scan, wanted, CLASSIFIED_COLUMNS):
        yield page_columns(CLASSIFIED_COLUMNS, list(zip(*rows, strict=True)))
