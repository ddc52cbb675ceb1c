"""A watched site at a glance: how many URLs it has, its sitemaps, its newest scans and changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sitecrawl.services.changes import catch_up, list_changes, scan_counts
from sitecrawl.services.permissions import Permission, requires
from sitecrawl.services.sites import get_site, site_scans
from sitecrawl.store.queries.scans import latest_scan, site_by_id
from sitecrawl.store.queries.sitemap_counts import UrlCounts, read_sitemap_facts

if TYPE_CHECKING:
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.changes import ChangeFact
    from sitecrawl.store.queries.scans import Scan
    from sitecrawl.store.queries.sitemap_counts import SitemapFact
    from sitecrawl.store.queries.watched_sites import WatchedSite

RECENT_SCANS: Final = 10
RECENT_CHANGES: Final = 50


@dataclass(frozen=True, slots=True)
class SiteOverview:
    site: WatchedSite
    urls: UrlCounts
    sitemaps: list[SitemapFact]
    recent_scans: list[Scan]
    scan_counts: dict[int, dict[str, int]]
    """By scan, how many changes it has found of each kind."""
    recent_changes: list[ChangeFact]


@requires(Permission.READ)
def site_overview(database: Database, workspace_id: int, number: int) -> SiteOverview:
    """What its page shows first."""
    site = get_site(database, workspace_id, number)
    recent = site_scans(database, workspace_id, number, RECENT_SCANS)
    inventory = site_by_id(database, site.site_id) if site.site_id else None
    scan = latest_scan(database, inventory.id) if inventory else None
    if inventory is None or scan is None:
        return SiteOverview(site, UrlCounts(0, 0, 0), [], recent, {}, [])
    catch_up(database, inventory)
    urls, sitemaps = read_sitemap_facts(database, scan)
    counts = {each.id: scan_counts(database, each) for each in recent}
    changes = list_changes(database, inventory, limit=RECENT_CHANGES)
    return SiteOverview(site, urls, sitemaps, recent, counts, list(changes.rows))
