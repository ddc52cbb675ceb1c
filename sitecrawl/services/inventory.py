"""The inventory of one site: what is known of it, as questions and answers."""

from __future__ import annotations

from dataclasses import fields, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from sitecrawl.config import ConfigError
from sitecrawl.errors import ExtraMissingError
from sitecrawl.items import PageItem as Page
from sitecrawl.services.database import AskedScan, configured_url, known_site, wanted_scan
from sitecrawl.services.explain import canonical_rules, look_up, page_id
from sitecrawl.services.inventory_lists import list_pages, page_facets, refresh_page_index
from sitecrawl.services.permissions import Permission, requires
from sitecrawl.store.engine import open_database
from sitecrawl.store.queries.bodies import read_page_body
from sitecrawl.store.queries.changes import ChangeFilter
from sitecrawl.store.queries.coverage import crawl_coverage
from sitecrawl.store.queries.documents import documents, evidence
from sitecrawl.store.queries.feed import iter_page_rows
from sitecrawl.store.queries.links import GraphFilter, reading_graph, site_menu
from sitecrawl.store.queries.page_filter import (
    ALL_PAGES,
    LISTED_PAGES,
    PageFilter,
    PageOrder,
    checked_order,
)
from sitecrawl.store.queries.pages import count_wanted, page_rows
from sitecrawl.store.queries.scans import scans
from sitecrawl.urls.path_tree import PathTree

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Self

    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from sitecrawl.report.data import FindingFacts
    from sitecrawl.services.inventory_lists import PageList
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.bodies import StoredBody
    from sitecrawl.store.queries.changes import ChangeFact
    from sitecrawl.store.queries.coverage import CrawlCoverage
    from sitecrawl.store.queries.documents import Document, EvidenceFact
    from sitecrawl.store.queries.explain import Why
    from sitecrawl.store.queries.facets import Facets
    from sitecrawl.store.queries.links import GraphEdge, MenuFact
    from sitecrawl.store.queries.scans import Scan, Site
    from sitecrawl.urls.path_tree import Folder

_FILTERS: Final = frozenset(each.name for each in fields(PageFilter)) - {"order", "after"}


@requires(Permission.READ)
def open_inventory(
    domain_or_url: str, database: str | None = None, scan: int | None = None
) -> Inventory:
    """Open what is known of a site, given by its domain or any of its URLs.

    *database* is a URL such as ``sqlite:///sitecrawl.db``; by default that of the settings.
    *scan* is the number of the scan to ask as of; by default the newest with a result.
    """
    store = open_database(database or configured_url(), create=False, to_write=False)
    try:
        site = known_site(store, domain_or_url)
        return Inventory(store, site, wanted_scan(store, site, scan))
    except BaseException:
        store.close()
        raise


@requires(Permission.READ)
def path_tree(database: Database, scan: Scan, depth: int) -> PathTree:
    """The folders of a site with their pages, down to a depth."""
    tree = PathTree(depth)
    for rows in page_rows(database, scan, ALL_PAGES, ("url", "reason")):
        for url, reason in rows:
            tree.add(url, is_refused=reason is not None)
    return tree


@requires(Permission.READ)
def menu(asked: AskedScan) -> list[MenuFact]:
    """The entries of the site's menu, in the order of the page."""
    return site_menu(asked.database, asked.scan)


class Pages:
    """Some pages of an inventory; nothing is read before it is asked for."""

    def __init__(self, asked: AskedScan, wanted: PageFilter):
        self._asked = asked
        self._database = asked.database
        self._scan = asked.scan
        self._wanted = wanted

    def __iter__(self) -> Iterator[Page]:
        for row in iter_page_rows(self._database, self._scan.id, self._wanted):
            yield Page(**row)

    def list(self, limit: int = 100, cursor: str | None = None) -> PageList:
        """Some pages in their order, and the cursor of those that follow."""
        return list_pages(
            self._asked, self._wanted, self._wanted.order or PageOrder(), cursor, limit
        )

    def count(self) -> int:
        return count_wanted(self._database, self._scan, self._wanted).pages

    def facets(self) -> Facets:
        """How many of the pages have each category, template, status, source, ..."""
        return page_facets(self._asked, self._wanted)

    def to_arrow(self) -> pa.Table:
        """A table with the fields of a feed row. Needs the extra ``parquet``."""
        from sitecrawl.store.queries.arrow import arrow_batches, arrow_schema

        schema = arrow_schema()
        batches = arrow_batches(self._database, self._scan, self._wanted)
        table: pa.Table = _optional("pyarrow").Table.from_batches(batches, schema)
        return table

    def to_polars(self) -> pl.DataFrame:
        frame: pl.DataFrame = _optional("polars").from_arrow(self.to_arrow())
        return frame

    def to_pandas(self) -> pd.DataFrame:
        _optional("pandas")
        frame: pd.DataFrame = self.to_arrow().to_pandas()
        return frame

    def to_parquet(self, path: str | Path) -> int:
        """Write the pages to a file; return their number."""
        from pathlib import Path as FilePath

        from sitecrawl.exporters.pages import export_pages

        return export_pages(self._database, self._scan, self._wanted, "parquet", FilePath(path))


class Inventory:
    """What is known of one site, as of one of its scans."""

    def __init__(self, database: Database, site: Site, scan: Scan):
        self._database = database
        self.site = site
        self.scan = scan
        self._asked = AskedScan(database, site, scan)

    def pages(self, *, sort: str = "", descending: bool = False, **filters: Any) -> Pages:
        """The listed pages, or those that the filters (fields of ``PageFilter``) want.

        They come roughly in the order in which they were first seen, unless *sort* names another.
        """
        if unknown := sorted(filters.keys() - _FILTERS):
            known = ", ".join(sorted(_FILTERS))
            raise ConfigError(f"filter {unknown[0]}: there is no such filter; there are {known}")
        order = checked_order(sort, descending=descending) if sort or descending else None
        wanted = replace(LISTED_PAGES, **filters)
        return Pages(self._asked, replace(wanted, order=order))

    def count(self, **filters: Any) -> int:
        return self.pages(**filters).count()

    def facets(self, **filters: Any) -> Facets:
        """How many of the pages have each category, template, status, source, ..."""
        return self.pages(**filters).facets()

    def page(self, url: str) -> Page | None:
        """The page with this URL, also if it is refused; None: it is not in the inventory."""
        rules = canonical_rules(self._database, self.site)
        wanted = replace(ALL_PAGES, page_id=page_id(self.site, url, rules))
        return next(iter(Pages(self._asked, wanted)), None)

    def why(self, url: str) -> Why:
        """All that is known of a URL: its mentions, its robots verdict, its visit."""
        return look_up(self._database, self.site, url)

    def body(self, url: str) -> StoredBody | None:
        """The page as it came from the site in the scan or before; None: it was not kept."""
        rules = canonical_rules(self._database, self.site)
        number = page_id(self.site, url, rules)
        return read_page_body(self._database, number, scan_id=self.scan.id)

    def tree(self, depth: int = 3) -> dict[str, Folder]:
        """The folders of the site, by host, with how many pages are in and below each."""
        return path_tree(self._database, self.scan, depth).hosts

    def links(self, region: str = "") -> Iterator[GraphEdge]:
        """Who links to whom, as far as pages were visited."""
        wanted = GraphFilter(region)
        with reading_graph(self._database, self.scan, wanted) as graph:
            yield from graph.edges()

    def documents(self) -> list[Document]:
        """What mentions pages: robots.txt, sitemaps, feeds, pages."""
        return documents(self._database, self.scan.id)

    def evidence(self, kind: str | None = None) -> list[EvidenceFact]:
        """What the scan has recorded, such as ``robots_txt`` and ``discovery_summary``."""
        return evidence(self._database, self.scan.id, kind)

    def coverage(self) -> CrawlCoverage:
        """How much of what is known the scan has visited, and which limits it hit."""
        return crawl_coverage(self._database, self.scan)

    def findings(self) -> list[FindingFacts]:
        """What is wrong with the site, by kind, with severity, pages and advice."""
        from sitecrawl.report.gather import gather_findings  # needs the whole inventory in memory

        return gather_findings(self._database, self.scan)

    def changes(self, since_scan: int | None = None) -> Iterator[ChangeFact]:
        """What changed, the oldest first: in this scan, or in all scans after *since_scan*.

        Scans that were not compared yet are compared first.
        """
        from sitecrawl.services.change_detection import detect_changes
        from sitecrawl.services.changes import iter_changes

        detect_changes(self._database, self.scan.id)
        if since_scan is None:
            wanted = ChangeFilter(scan_id=self.scan.id)
        else:
            wanted = ChangeFilter(after_scan_id=since_scan, until_scan_id=self.scan.id)
        yield from iter_changes(self._database, self.site, wanted)

    def index(self, *, texts: bool = True) -> bool:
        """Write the index that lists of a large site are fast with; False: it is there already.

        *texts* also indexes the words of URLs and titles, for searches.
        """
        return refresh_page_index(self._asked, with_texts=texts)

    def as_of(self, scan: int) -> Inventory:
        """The inventory as it was when this scan had ended; it shares the connection."""
        return Inventory(self._database, self.site, wanted_scan(self._database, self.site, scan))

    def scans(self, limit: int = 20) -> list[Scan]:
        """The newest first."""
        return scans(self._database, limit, self.site.id)

    def to_arrow(self) -> pa.Table:
        return self.pages().to_arrow()

    def to_polars(self) -> pl.DataFrame:
        return self.pages().to_polars()

    def to_pandas(self) -> pd.DataFrame:
        return self.pages().to_pandas()

    def to_parquet(self, path: str | Path) -> int:
        return self.pages().to_parquet(path)

    def close(self) -> None:
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exc_info: object) -> None:
        self.close()


def _optional(module: str) -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        raise ExtraMissingError(f"this needs the {module} package: pip install {module}") from error
