"""Exports the inventory of a scan as XML sitemaps; pages are written as they are read."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sitecrawl.exporters import sitemap_folder
from sitecrawl.exporters.sitemap_fitness import read_fitness
from sitecrawl.exporters.sitemap_xml import (
    entry_xml,
    latest_lastmod,
    valid_alternates,
    valid_lastmod,
)
from sitecrawl.store.columns import iso_text
from sitecrawl.store.inventory import count_pages
from sitecrawl.store.sitemap_pages import listed_pages
from sitecrawl.urls.address import origin_of

if TYPE_CHECKING:
    from pathlib import Path

    from sitecrawl.store.engine import Database
    from sitecrawl.store.facts import Scan, Site


@dataclass(frozen=True, slots=True)
class SitemapExport:
    """What was written, and what was not."""

    pages: int
    parts: int
    index_url: str
    visited: int
    """Pages that the scan has seen answer; of the others only the address is known."""
    left_out: Counter[str]
    """By reason."""
    lastmods_left_out: int
    """Pages whose date is none that a sitemap may have."""


def export_sitemap(
    database: Database,
    site: Site,
    scan: Scan,
    folder: Path,
    base_url: str,
    *,
    compress: bool = True,
) -> SitemapExport:
    """Write the pages that belong in a sitemap which is served below *base_url*.

    The same inventory gives the same bytes. Without any such page nothing is written.
    """
    fitness = read_fitness(database, site, scan, origin_of(base_url))
    latest = latest_lastmod(scan.started_at)
    left_out: Counter[str] = Counter()
    for count in count_pages(database, scan):
        if count.reason:
            left_out[count.reason] += count.pages
    visited = lastmods_left_out = 0

    with sitemap_folder.writing(
        folder, base_url, iso_text(scan.started_at), compress=compress
    ) as sitemaps:
        for page in listed_pages(database, scan):
            if objection := fitness.objection(page):
                left_out[objection.reason] += 1
                continue
            lastmod = valid_lastmod(page.lastmod, latest)
            alternates = valid_alternates(page.details, page.url, fitness.is_known_unfit)
            sitemaps.add(entry_xml(fitness.address(page), lastmod, alternates))
            visited += page.is_visited
            lastmods_left_out += bool(page.lastmod) and not lastmod
    return SitemapExport(
        pages=sitemaps.entries,
        parts=sitemaps.parts,
        index_url=sitemaps.index_url,
        visited=visited,
        left_out=left_out,
        lastmods_left_out=lastmods_left_out,
    )
