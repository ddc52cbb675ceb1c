"""Opens the configured database, and finds sites and scans in it."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sitecrawl.config import Config, ConfigError
from sitecrawl.config.environment import apply_environment
from sitecrawl.config.profiles import load_settings
from sitecrawl.store.engine import open_database
from sitecrawl.store.queries.coverage import crawl_coverage
from sitecrawl.store.queries.scans import (
    is_pruned,
    latest_scan,
    scan_by_id,
    scans,
    site_for,
    sites,
)
from sitecrawl.urls.target import parse_target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.coverage import CrawlCoverage
    from sitecrawl.store.queries.scans import Scan, Site


@contextmanager
def reading(url: str, *, to_write: bool = False) -> Iterator[Database]:
    """Open the existing database at *url*, or the one of the settings."""
    database = open_database(url or configured_url(), create=False, to_write=to_write)
    try:
        yield database
    finally:
        database.close()


@contextmanager
def writing(url: str) -> Iterator[Database]:
    """Open the database at *url*, or the one of the settings; it is made if it is not there."""
    with open_database(url or configured_url()) as database:
        yield database


@dataclass(frozen=True, slots=True)
class AskedScan:
    """The scan that a question is about."""

    database: Database
    site: Site
    scan: Scan

    def coverage(self) -> CrawlCoverage:
        """How much of what is known the scan has visited, and which limits it hit."""
        return crawl_coverage(self.database, self.scan)


@contextmanager
def asking(
    url: str, domain: str, scan_id: int | None = None, *, to_write: bool = False
) -> Iterator[AskedScan]:
    """Open the database for a question about a site, as of a scan or of the newest result."""
    with reading(url, to_write=to_write) as database:
        site = known_site(database, domain)
        yield AskedScan(database, site, wanted_scan(database, site, scan_id))


def configured() -> Config:
    """The default settings, with what the environment says."""
    settings = load_settings("default")
    apply_environment(settings)
    return Config.from_settings(settings)


def configured_url() -> str:
    """The database URL of the environment, or of the default settings."""
    return configured().database_url


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
    if scan is None and scan_id is not None and is_pruned(database, scan_id):
        raise ConfigError(f"scan {scan_id} has been pruned; those that are left: sitecrawl scans")
    if scan is None or scan.site_id != site.id:
        raise ConfigError(f"scan {scan_id} is not a scan of {site.key}; see: sitecrawl scans")
    return scan


def check_database(database: Database) -> None:
    """``StoreError`` if it cannot be read."""
    scans(database, limit=1)
