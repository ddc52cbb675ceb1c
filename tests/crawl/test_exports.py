"""Model sites, scanned and exported; then a server that has nothing but the export is scanned."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sitecrawl.sitemaps.reader import SitemapReader
from sitecrawl.urls.canonical import page_key
from tests.cli.inprocess import run_inside
from tests.exporters.sitemap_schema import locs, valid_index, valid_urlset
from tests.site.build import robots
from tests.site.project import Project
from tests.site.server import SiteServer
from tests.site.sites import docs_site, news_site, shop_site

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.crawl.scanned import ScannedSite
    from tests.site.sites import ModelSite

    Scan = Callable[[Callable[[], ModelSite]], ScannedSite]

_SITES = [news_site, docs_site, shop_site]


def export(scanned: ScannedSite, folder: Path) -> list[str]:
    """The addresses in the exported files, all of them valid."""
    project = Project.in_folder(folder, f"sqlite:///{scanned.result.database}")
    site = scanned.origin + scanned.model.start
    run_inside(project, "export", "sitemap", site, "-o", str(folder / "out")).succeeded()
    parts = sorted((folder / "out").glob("sitemap-*"))
    assert len(locs(valid_index(folder / "out" / "sitemap.xml"))) == len(parts)
    return [loc for part in parts for loc in locs(valid_urlset(part))]


@pytest.mark.parametrize("make", _SITES)
def test_what_was_exported_is_what_a_second_scan_finds(
    scan: Scan, make: Callable[[], ModelSite], tmp_path: Path
) -> None:
    scanned = scan(make)
    exported = export(scanned, tmp_path)
    assert {scanned.target(url) for url in exported} <= scanned.listed
    assert len(exported) == len(set(exported))
    files = {f"/{path.name}": path.read_bytes() for path in (tmp_path / "out").iterdir()}
    start = scanned.model.start
    routes = files | {
        start: b"<h1>Root</h1>",
        "/robots.txt": robots(f"{scanned.origin}/sitemap.xml"),
    }
    port = int(scanned.origin.rpartition(":")[2])
    second = tmp_path / "second"
    second.mkdir()
    with SiteServer(routes, port=port) as server:
        found = Project.in_folder(second).crawl(server.at(start), spider="sitemap").succeeded()
    keys = {page_key(row["url"]) for row in found.rows if "sitemap" in row["sources"]}
    assert keys == {page_key(url) for url in exported}


@pytest.mark.parametrize("make", _SITES)
def test_our_own_reader_has_nothing_to_say_against_it(
    scan: Scan, make: Callable[[], ModelSite], tmp_path: Path
) -> None:
    exported = export(scan(make), tmp_path)
    [part] = (tmp_path / "out").glob("sitemap-*")
    reader = SitemapReader(part.read_bytes(), f"http://127.0.0.1/{part.name}")
    assert [loc for chunk in reader for loc in chunk.pages.locs] == exported
    assert reader.findings == []


def test_the_same_inventory_gives_the_same_files(scan: Scan, tmp_path: Path) -> None:
    contents = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        export(scan(news_site), tmp_path / name)
        files = sorted((tmp_path / name / "out").iterdir())
        contents.append([(path.name, path.read_bytes()) for path in files])
    assert contents[0] == contents[1]


def test_the_only_real_pages_are_those_of_the_truth(scan: Scan, tmp_path: Path) -> None:
    scanned = scan(news_site)
    exported = {scanned.target(url) for url in export(scanned, tmp_path)}
    # What a site names as a copy (its pages for AMP) is listed, but in no sitemap.
    copies = {target for target in scanned.model.truth if target.endswith("/amp")}
    missing = scanned.model.reachable - exported - copies
    assert missing == set()
    assert not exported & copies
