"""Reads the pages of a scan once, classifies and counts them."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from sitecrawl.classify.pages import ClusterKind
from sitecrawl.report.structure import PathTree
from sitecrawl.store.queries.classification import read_clusters, stored_classes
from sitecrawl.store.queries.page_filter import ALL_PAGES
from sitecrawl.store.queries.pages import page_rows
from sitecrawl.store.queries.visits import clicks_and_status

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

    from sitecrawl.classify.clusters import Cluster
    from sitecrawl.report.data import ClusterFacts, LanguageCount, PageFacts
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
NO_CLUSTER: Final = "other pages"
# A section of this size, or of this share of the site, is a main cluster.
_MIN_PAGES: Final = 20
_MIN_SHARE: Final = 50  # one of so many pages


class SiteClusters:
    """The clusters of a site. They overlap, but each page has one *main cluster*.

    That is its innermost section that is large enough, else its outermost section, else the pattern
    of its URL, else none.
    """

    def __init__(self, clusters: Iterable[Cluster]) -> None:
        self._clusters = list(clusters)
        self._numbers = {cluster.key: number for number, cluster in enumerate(self._clusters)}
        sections = [each for each in self._clusters if each.kind is ClusterKind.SECTION]
        in_sections = sum(each.pages for each in sections if not each.parent)
        self._min_pages = max(_MIN_PAGES, in_sections // _MIN_SHARE)
        self._main_clusters: dict[StoredClass, int] = {}

    def __len__(self) -> int:
        return len(self._clusters)

    def main_cluster_of(self, found: StoredClass) -> int:
        """The number of the main cluster of pages of this class; ``len(self)``: they have none."""
        number = self._main_clusters.get(found)
        if number is None:
            number = self._main_clusters[found] = self._choose_main_cluster(found)
        return number

    def _choose_main_cluster(self, found: StoredClass) -> int:
        numbers = [self._numbers[key] for key in found.clusters if key in self._numbers]
        sections, patterns = (
            [number for number in numbers if self._clusters[number].kind is kind]
            for kind in (ClusterKind.SECTION, ClusterKind.PATTERN)
        )
        large = [number for number in sections if self._clusters[number].pages >= self._min_pages]
        return next(iter([*large[::-1], *sections, *patterns]), len(self._clusters))

    def names(self) -> list[str]:
        """The names of main clusters by number; the last one is for pages without."""
        return [*(cluster.name for cluster in self._clusters), NO_CLUSTER]

    def parents(self) -> dict[int, int]:
        """By number, the cluster that a cluster is inside of."""
        found = ((n, self._numbers.get(each.parent)) for n, each in enumerate(self._clusters))
        return {number: parent for number, parent in found if parent is not None}

    def facts(self, classes: Mapping[StoredClass, int]) -> list[ClusterFacts]:
        """By number, with exact sizes: *classes* has the number of pages of each class."""
        sizes: Counter[str] = Counter()
        for found, pages in classes.items():
            sizes.update(dict.fromkeys(found.clusters, pages))
        return [
            {
                "id": number,
                "kind": cluster.kind.value,
                "name": cluster.name,
                "parent": self._numbers.get(cluster.parent),
                "pages": sizes[cluster.key],
                "sample": list(cluster.sample),
                "why": cluster.why,
            }
            for number, cluster in enumerate(self._clusters)
        ]


def site_clusters(database: Database, scan: Scan, keys: Set[str]) -> SiteClusters:
    """The stored clusters of the site that have one of these keys."""
    with database.reading() as connection:
        found = read_clusters(connection, scan.site_id)
    return SiteClusters(cluster for cluster in found if cluster.key in keys)


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
    """A page that the report shows."""

    row: PageRow
    found: StoredClass
    """What classification says of it."""


@dataclass(slots=True)
class Inventory:
    """The pages of a scan: 22 bytes for each listed page, and the first ones whole."""

    clusters: SiteClusters
    ids: array[int] = field(default_factory=lambda: array("q"))
    """Of listed pages, in their order."""
    main_clusters: array[int] = field(default_factory=lambda: array("i"))
    """The number of the main cluster of each."""
    documents: array[int] = field(default_factory=lambda: array("q"))
    """The document with its first mention."""
    contexts: array[int] = field(default_factory=lambda: array("H"))
    """Source and region of that mention, as a number of ``context_numbers``."""
    context_numbers: dict[tuple[str, str | None], int] = field(default_factory=dict)
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
        self.main_clusters.extend(map(self.clusters.main_cluster_of, classes))
        self.documents.extend(row.document_id for row in rows)
        numbers = self.context_numbers
        self.contexts.extend(
            numbers.setdefault((row.source, row.region), len(numbers)) for row in rows
        )
        self.tree.add([row.url for row in rows])
        self.by_source.update(row.source for row in rows)
        self.by_depth.update(found.depth for found in classes)
        self.by_class.update(classes)
        self.listed += pages[: MAX_PAGES - len(self.listed)]

    def mentions(self) -> Iterator[list[MentionRow]]:
        """The first mention of each listed page, in chunks."""
        contexts = list(self.context_numbers)
        for first in range(0, len(self.ids), _MENTIONS_AT_ONCE):
            part = slice(first, first + _MENTIONS_AT_ONCE)
            yield [
                (document, page, *contexts[number])
                for document, page, number in zip(
                    self.documents[part], self.ids[part], self.contexts[part], strict=True
                )
            ]

    def by_category(self) -> Counter[str]:
        return _sums((found.category.value, pages) for found, pages in self.by_class.items())

    def by_type(self) -> Counter[str]:
        return _sums((found.page_type.value, pages) for found, pages in self.by_class.items())

    def languages(self) -> list[LanguageCount]:
        """The most frequent first, without pages of unknown language."""
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


def report_pages(database: Database, scan: Scan, inventory: Inventory) -> PageFacts:
    """The columns of single pages."""
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
    number = clusters.main_cluster_of(page.found)
    return number if number < len(clusters) and page.row.reason is None else None


def _sums(counts: Iterable[tuple[str, int]]) -> Counter[str]:
    found: Counter[str] = Counter()
    for name, pages in counts:
        found[name] += pages
    return found
