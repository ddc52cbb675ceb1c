"""The inventory of one site: what is known of it, as questions and answers.

Everything here only reads, and needs the permission to read the site.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, Final

from sitecrawl.config import Config, ConfigError, apply_environment
from sitecrawl.config.profiles import load_settings
from sitecrawl.items import PageItem as Page
from sitecrawl.store.engine import open_database
from sitecrawl.store.queries.feed import iter_page_rows
from sitecrawl.store.queries.pages import LISTED_PAGES, PageFilter, count_pages
from sitecrawl.store.queries.scans import latest_scan, scan_by_id, scans, site_for, sites
from sitecrawl.urls.target import parse_target

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Self

    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.documents import Document, EvidenceFact
    from sitecrawl.store.queries.scans import Scan, Site

_FILTERS: Final = frozenset(each.name for each in fields(PageFilter))


def open_inventory(site: str, database: str | None = None, scan: int | None = None) -> Inventory:
    """Open what is known of a site, given by its domain or any of its URLs.

    *database* is a URL such as ``sqlite:///sitecrawl.db``; by default that of the settings.
    *scan* is the number of the scan to ask as of; by default the newest with a result.
    """
    store = open_database(database or configured_database(), create=False)
    try:
        known = known_site(store, site)
        return Inventory(store, known, wanted_scan(store, known, scan))
    except BaseException:
        store.close()
        raise


def configured_database() -> str:
    """The database URL of the environment or of the default settings."""
    settings = load_settings("default")
    apply_environment(settings)
    return Config.from_settings(settings).database_url


def known_site(database: Database, text: str) -> Site:
    """The site that has been scanned and that this domain or URL belongs to."""
    site = site_for(database, text)
    if site is None:
        parse_target(text)  # raises what is wrong with it, if anything is
        known = ", ".join(site.key for site in sites(database)[:10]) or "none yet"
        raise ConfigError(f"{text!r} is not a site that has been scanned; known sites: {known}")
    return site


def wanted_scan(database: Database, site: Site, scan_id: int | None) -> Scan:
    """The scan with this number, or the newest of the site that has a result."""
    scan = latest_scan(database, site.id) if scan_id is None else scan_by_id(database, scan_id)
    if scan is None and scan_id is None:
        raise ConfigError(f"{site.key} has no scan yet; see: sitecrawl discover --help")
    if scan is None or scan.site_id != site.id:
        raise ConfigError(f"scan {scan_id} is not a scan of {site.key}; see: sitecrawl scans")
    return scan


class Pages:
    """Some pages of an inventory; nothing is read before it is asked for."""

    def __init__(self, database: Database, scan: Scan, wanted: PageFilter):
        self._database = database
        self._scan = scan
        self._wanted = wanted

    def __iter__(self) -> Iterator[Page]:
        for row in iter_page_rows(self._database, self._scan.id, self._wanted):
            yield Page(**row)

    def count(self) -> int:
        counts = count_pages(self._database, self._scan, self._wanted)
        return sum(each.pages for each in counts)

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

    def pages(self, **filters: Any) -> Pages:
        """The listed pages, or those that the filters (fields of ``PageFilter``) want."""
        if unknown := sorted(filters.keys() - _FILTERS):
            known = ", ".join(sorted(_FILTERS))
            raise ConfigError(f"filter {unknown[0]}: there is no such filter; there are {known}")
        return Pages(self._database, self.scan, replace(LISTED_PAGES, **filters))

    def count(self, **filters: Any) -> int:
        return self.pages(**filters).count()

    def documents(self) -> list[Document]:
        """What mentions pages: robots.txt, sitemaps, feeds, pages."""
        from sitecrawl.store.queries.documents import documents

        return documents(self._database, self.scan.id)

    def evidence(self, kind: str | None = None) -> list[EvidenceFact]:
        from sitecrawl.store.queries.documents import evidence

        return evidence(self._database, self.scan.id, kind)

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
    from importlib import import_module

    from sitecrawl.errors import ExtraMissingError

    try:
        return import_module(module)
    except ImportError as error:
        raise ExtraMissingError(f"this needs the {module} package: pip install {module}") from error
