"""Writes files from the inventory of a site: sitemaps, llms.txt, the graph of its links."""

from __future__ import annotations

import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from sitecrawl.config import ConfigError
from sitecrawl.exporters import graph, llms, sitemap
from sitecrawl.services.formats import GraphFormat
from sitecrawl.services.permissions import Permission, requires
from sitecrawl.store.queries.links import GraphFilter, reading_graph
from sitecrawl.urls.address import origin_of, resolve

if TYPE_CHECKING:
    from sitecrawl.exporters.graph import GraphSize
    from sitecrawl.exporters.llms import LlmsExport
    from sitecrawl.exporters.sitemap import SitemapExport
    from sitecrawl.services.database import AskedScan
    from sitecrawl.store.queries.coverage import CrawlCoverage


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
