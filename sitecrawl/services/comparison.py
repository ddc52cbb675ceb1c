"""Compares the sitemaps of a site with what its pages link to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from sitecrawl.errors import CrawlNeededError
from sitecrawl.exporters import comparison, sitemap_diff
from sitecrawl.exporters.sitemap_diff import SitemapChange, SitemapDiff
from sitecrawl.exporters.sitemap_fitness import read_fitness
from sitecrawl.services.formats import ListFormat
from sitecrawl.services.permissions import Permission, requires
from sitecrawl.store.queries.comparison import (
    Orphan,
    UnlistedPage,
    orphans,
    pages_and_entries,
    unlisted_pages,
)
from sitecrawl.urls.address import origin_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sitecrawl.exporters.comparison import ComparedPages
    from sitecrawl.services.database import AskedScan
    from sitecrawl.store.queries.coverage import CrawlCoverage


@dataclass(frozen=True, slots=True)
class WrittenList:
    """How many pages were written, and how complete the scan is that they were found by."""

    pages: int
    coverage: CrawlCoverage


@dataclass(frozen=True, slots=True)
class WrittenDiff:
    """What the sitemaps should change, in figures, and how complete the scan was."""

    diff: SitemapDiff
    coverage: CrawlCoverage


@requires(Permission.READ)
def write_orphans(asked: AskedScan, format_: ListFormat, file: IO[bytes]) -> WrittenList:
    """Pages that are in a sitemap, but not linked; ``CrawlNeededError`` without a crawl."""
    coverage = asked.coverage()
    if not coverage.has_crawled:
        because = f" ({coverage.ended})" if coverage.ended else ""
        raise CrawlNeededError(
            f"finding orphans needs a crawl, and scan {asked.scan.id} of {asked.site.key} made"
            f" none{because}"
        )
    pages = orphans(asked.database, asked.scan)
    return WrittenList(_write(pages, Orphan._fields, coverage, format_, file), coverage)


@requires(Permission.READ)
def write_unlisted(asked: AskedScan, format_: ListFormat, file: IO[bytes]) -> WrittenList:
    """Pages that are linked, but in no sitemap."""
    coverage = asked.coverage()
    pages = unlisted_pages(asked.database, asked.scan)
    return WrittenList(_write(pages, UnlistedPage._fields, coverage, format_, file), coverage)


@requires(Permission.READ)
def write_sitemap_diff(asked: AskedScan, format_: ListFormat, file: IO[bytes]) -> WrittenDiff:
    """What the site's own sitemaps should add and drop, each URL with its reason."""
    coverage = asked.coverage()
    origin = origin_of(asked.scan.root_url)
    fitness = read_fitness(asked.database, asked.site, asked.scan, origin)
    diff = SitemapDiff(pages_and_entries(asked.database, asked.scan), fitness)
    if format_ is ListFormat.TEXT:
        sitemap_diff.write_text(diff, file)
    else:
        _write(diff, SitemapChange._fields, coverage, format_, file)
    return WrittenDiff(diff, coverage)


def _write(
    pages: ComparedPages,
    columns: Sequence[str],
    coverage: CrawlCoverage,
    format_: ListFormat,
    file: IO[bytes],
) -> int:
    match format_:
        case ListFormat.CSV:
            return comparison.write_csv(pages, columns, file)
        case ListFormat.JSON:
            return comparison.write_json(pages, coverage.as_dict(), file)
        case ListFormat.TEXT:
            return comparison.write_text(pages, file)
