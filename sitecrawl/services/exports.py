"""Writes files from inventories: sitemaps, llms.txt, the graph of links, comparisons, Parquet.

Comparisons are lists: what the sitemaps of a site and the links of its pages disagree about.
"""

from __future__ import annotations

import tempfile
import zipfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from sitecrawl.config import ConfigError
from sitecrawl.errors import CrawlNeededError, NotFoundError
from sitecrawl.exporters import comparison, graph, llms, sitemap, sitemap_diff
from sitecrawl.exporters.parquet_dataset import write_scan
from sitecrawl.exporters.sitemap_diff import SitemapChange, SitemapDiff
from sitecrawl.exporters.sitemap_fitness import read_fitness
from sitecrawl.services.database import known_site
from sitecrawl.services.formats import GraphFormat, ListFormat
from sitecrawl.services.permissions import Permission, requires
from sitecrawl.store.dataset_sql import QueryLimits, asking_dataset
from sitecrawl.store.queries.links import GraphFilter, reading_graph
from sitecrawl.store.queries.scans import latest_scan, scans_of_sites, sites
from sitecrawl.store.queries.sitemap_comparison import (
    Orphan,
    UnlistedPage,
    orphans,
    pages_and_entries,
    unlisted_pages,
)
from sitecrawl.store.vocabulary import ENDED_WELL
from sitecrawl.urls.address import origin_of, resolve

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sitecrawl.exporters.comparison import ComparedPages
    from sitecrawl.exporters.graph import GraphSize
    from sitecrawl.exporters.llms import LlmsExport
    from sitecrawl.exporters.sitemap import SitemapExport
    from sitecrawl.services.database import AskedScan
    from sitecrawl.store.dataset_sql import QueryAnswer
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.coverage import CrawlCoverage
    from sitecrawl.store.queries.scans import Scan

_MAX_SCANS = 10_000


@dataclass(frozen=True, slots=True)
class WrittenGraph:
    """The size of the graph, and how complete the crawl is that it comes from."""

    size: GraphSize
    coverage: CrawlCoverage


@requires(Permission.READ)
def export_sitemaps(
    asked: AskedScan, folder: Path, base_url: str = "", *, compress: bool = True
) -> SitemapExport:
    """Write XML sitemaps of the pages that belong there into the folder.

    *base_url* is the address that the folder will have; by default the root of the site.
    """
    base = _checked_base(base_url) or f"{origin_of(asked.scan.root_url)}/"
    return sitemap.export_sitemap(
        asked.database, asked.site, asked.scan, folder, base, compress=compress
    )


@requires(Permission.READ)
def zip_sitemaps(asked: AskedScan, file: IO[bytes], base_url: str = "") -> SitemapExport:
    """The same as one zip file."""
    with tempfile.TemporaryDirectory() as name, zipfile.ZipFile(file, "w") as archive:
        folder = Path(name)
        done = export_sitemaps(asked, folder, base_url)
        for path in sorted(folder.iterdir()):
            archive.write(path, path.name)
    return done


@requires(Permission.READ)
def export_llms(
    asked: AskedScan, *, title: str, summary: str, links_per_section: int
) -> LlmsExport:
    """The text of an llms.txt: the main pages by section."""
    return llms.export_llms(
        asked.database,
        asked.site,
        asked.scan,
        title=title,
        summary=summary,
        links_per_section=links_per_section,
    )


@requires(Permission.READ)
def write_graph(
    asked: AskedScan,
    format_: GraphFormat,
    file: IO[bytes],
    *,
    region: str = "",
    include_refused: bool = False,
    include_external: bool = False,
) -> WrittenGraph:
    """Write who links to whom."""
    wanted = GraphFilter(region, include_refused, include_external)
    write = graph.write_graphml if format_ is GraphFormat.GRAPHML else graph.write_edges
    with reading_graph(asked.database, asked.scan, wanted) as links:
        size = write(links, file)
    return WrittenGraph(size, asked.coverage())


def _checked_base(text: str) -> str:
    if not text:
        return ""
    url = resolve(text, text)
    if url is None or "?" in url:
        raise ConfigError(
            f"base URL {text}: expected the address of a folder,"
            " such as https://example.com/sitemaps/"
        )
    return url if url.endswith("/") else f"{url}/"


# --- comparisons of the sitemaps with the links ---------------------------------------------------


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
    return WrittenList(_write_list(pages, Orphan._fields, coverage, format_, file), coverage)


@requires(Permission.READ)
def write_unlisted(asked: AskedScan, format_: ListFormat, file: IO[bytes]) -> WrittenList:
    """Pages that are linked, but in no sitemap."""
    coverage = asked.coverage()
    pages = unlisted_pages(asked.database, asked.scan)
    return WrittenList(_write_list(pages, UnlistedPage._fields, coverage, format_, file), coverage)


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
        _write_list(diff, SitemapChange._fields, coverage, format_, file)
    return WrittenDiff(diff, coverage)


def _write_list(
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


# --- Parquet, and SQL over it ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ExportedScan:
    """A scan that was written, or was there already."""

    site: str
    scan_id: int
    rows: dict[str, int] | None
    """By table; None: it was there already."""


@requires(Permission.READ)
def export_parquet(
    database: Database, folder: Path, site: str = "", *, history: bool = False
) -> Iterator[ExportedScan]:
    """Write the newest result of a site or of all; with *history* every scan that is kept."""
    wanted = [known_site(database, site)] if site else sites(database)
    folder.mkdir(parents=True, exist_ok=True)
    for each in wanted:
        for scan in _scans(database, each.id, history):
            rows = write_scan(database, scan, folder)
            yield ExportedScan(scan.site_key, scan.id, rows)


def _scans(database: Database, site_id: int, history: bool) -> list[Scan]:
    if history:
        found = scans_of_sites(database, [site_id], _MAX_SCANS)
    else:
        newest = latest_scan(database, site_id)
        found = [newest] if newest is not None else []
    return [scan for scan in reversed(found) if scan.status in ENDED_WELL]


@requires(Permission.READ)
@contextmanager
def ask_files(folder: Path, sql: str, limits: QueryLimits) -> Iterator[QueryAnswer]:
    """Run one SELECT over exported files; ``InvalidInputError`` says what is wrong with it."""
    if not (folder / "pages").is_dir():
        raise NotFoundError(
            f"{folder} has no exported pages;"
            f" write them: sitecrawl export parquet --all -o {folder}"
        )
    with asking_dataset(folder, sql, limits) as answer:
        yield answer
