"""Reads the pages of a scan once, and counts while they pass."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from sitecrawl.report.clusters import SiteClusters, site_clusters
from sitecrawl.report.tree import PathTree
from sitecrawl.store.queries.classification import stored_classes
from sitecrawl.store.queries.pages import ALL_PAGES, page_rows
from sitecrawl.store.queries.visits import clicks_and_status

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sitecrawl.report.data import LanguageCount, PageColumns
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.classification import StoredClass
    from sitecrawl.store.queries.links import MentionRow
    from sitecrawl.store.queries.scans import Scan

MAX_PAGES: Final = 100_000
_COLUMNS: Final = (
    *("id", "url", "reason", "title", "lastmod", "importance"),
    *("document_id", "source", "region"),
)
_MENTIONS_AT_ONCE: Final = 20_000


class PageRow(NamedTuple):
    """A page as the inventory has it: the columns of ``_COLUMNS``."""

    id: int
    url: str
    reason: str | None
    title: str | None
    lastmod: str | None
    importance: float | None
    document_id: int
    source: str
    region: str | None


class ReportPage(NamedTuple):
    """A page that the report names."""

    row: PageRow
    found: StoredClass
    """What classification says of it."""


@dataclass(slots=True)
class Inventory:
    """What the pages of a scan come to: 22 bytes for each listed one, and the first ones whole."""

    clusters: SiteClusters
    ids: array[int] = field(default_factory=lambda: array("q"))
    """Of listed pages, in their order."""
    homes: array[int] = field(default_factory=lambda: array("i"))
    """The number of the cluster that each is counted in."""
    documents: array[int] = field(default_factory=lambda: array("q"))
    """That each is listed by."""
    how: array[int] = field(default_factory=lambda: array("H"))
    """Source and region of that mention, as a place in ``ways``."""
    ways: dict[tuple[str, str | None], int] = field(default_factory=dict)
    tree: PathTree = field(default_factory=PathTree)
    by_source: Counter[str] = field(default_factory=Counter)
    by_reason: Counter[str] = field(default_factory=Counter)
    by_depth: Counter[int] = field(default_factory=Counter)
    by_class: Counter[StoredClass] = field(default_factory=Counter)
    listed: list[ReportPage] = field(default_factory=list)
    refused: list[ReportPage] = field(default_factory=list)

    @property
    def total(self) -> int:
        return len(self.ids) + self.by_reason.total()

    def add(self, rows: Sequence[PageRow], classes: Sequence[StoredClass]) -> None:
        pages = [ReportPage(*each) for each in zip(rows, classes, strict=True)]
        listed = [page for page in pages if page.row.reason is None]
        if len(listed) < len(pages):
            refused = [page for page in pages if page.row.reason is not None]
            self.by_reason.update(page.row.reason or "" for page in refused)
            self.refused += refused[: MAX_PAGES - len(self.refused)]
        self._add_listed(listed)

    def _add_listed(self, pages: Sequence[ReportPage]) -> None:
        rows = [page.row for page in pages]
        classes = [page.found for page in pages]
        self.ids.extend(row.id for row in rows)
        self.homes.extend(map(self.clusters.home_of, classes))
        self.documents.extend(row.document_id for row in rows)
        ways = self.ways
        self.how.extend(ways.setdefault((row.source, row.region), len(ways)) for row in rows)
        self.tree.add([row.url for row in rows])
        self.by_source.update(row.source for row in rows)
        self.by_depth.update(found.depth for found in classes)
        self.by_class.update(classes)
        self.listed += pages[: MAX_PAGES - len(self.listed)]

    def mentions(self) -> Iterator[list[MentionRow]]:
        """Of each listed page the one that it is listed by, in chunks."""
        ways = list(self.ways)
        for first in range(0, len(self.ids), _MENTIONS_AT_ONCE):
            part = slice(first, first + _MENTIONS_AT_ONCE)
            yield [
                (document, page, *ways[way])
                for document, page, way in zip(
                    self.documents[part], self.ids[part], self.how[part], strict=True
                )
            ]

    def by_category(self) -> Counter[str]:
        return _sums((found.category.value, pages) for found, pages in self.by_class.items())

    def by_type(self) -> Counter[str]:
        return _sums((found.page_type.value, pages) for found, pages in self.by_class.items())

    def languages(self) -> list[LanguageCount]:
        """The most pages first; those of which none is known are not among them."""
        by_source: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for found, pages in self.by_class.items():
            if found.language:
                by_source[found.language][found.language_source or ""] += pages
        in_order = sorted(by_source.items(), key=lambda item: (-item[1].total(), item[0]))
        return [
            {"code": code, "pages": sources.total(), "by": dict(sources.most_common())}
            for code, sources in in_order
        ]


def read_inventory(database: Database, scan: Scan) -> Inventory:
    classes = stored_classes(database, scan)
    keys = {key for found in classes.values() for key in found.clusters}
    inventory = Inventory(site_clusters(database, scan, keys))
    for rows in page_rows(database, scan, ALL_PAGES, (*_COLUMNS, "class_id")):
        inventory.add([PageRow._make(row[:-1]) for row in rows], [classes[row[-1]] for row in rows])
    return inventory


def report_pages(database: Database, scan: Scan, inventory: Inventory) -> PageColumns:
    """What the report says of single pages."""
    pages = [*inventory.listed, *inventory.refused][:MAX_PAGES]
    rows = [page.row for page in pages]
    visits = clicks_and_status(database, scan, {row.id for row in rows})
    seen = [visits.get(row.id, (None, None)) for row in rows]
    return {
        "url": [row.url for row in rows],
        "title": [row.title or "" for row in rows],
        "reason": [row.reason or "" for row in rows],
        "status": [status for _, status in seen],
        "cluster": [_cluster(inventory.clusters, page) for page in pages],
        "depth": [page.found.depth for page in pages],
        "clicks": [clicks for clicks, _ in seen],
        "priority": [page.found.priority for page in pages],
        "category": [page.found.category.value for page in pages],
        "language": [page.found.language for page in pages],
        "lastmod": [row.lastmod or "" for row in rows],
        "left_out": inventory.total - len(rows),
    }


def _cluster(clusters: SiteClusters, page: ReportPage) -> int | None:
    home = clusters.home_of(page.found)
    return home if home < len(clusters) and page.row.reason is None else None


def _sums(counts: Iterable[tuple[str, int]]) -> Counter[str]:
    found: Counter[str] = Counter()
    for name, pages in counts:
        found[name] += pages
    return found
