"""``sitecrawl export sitemap`` and ``sitecrawl export llms``."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest

from sitecrawl.store.engine import open_database
from tests.exporters.sitemap_schema import locs, valid_index, valid_urlset
from tests.store.crawling import Crawling

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import Crawled, Inventory
    from tests.site.project import ProcessResult, Project

SITE = "https://example.com"
_COMPLETENESS = [
    "1 sitemap was read",
    "the crawl visited 7 of 13 known pages",
    "4 were still in the queue when it ended (nothing left to fetch)",
    "2 were skipped: similar pages had given nothing new",
    "limit hit: pages left to visit: SITECRAWL_MAX_CRAWL_PAGES=7 can be raised",
]


def test_a_sitemap_is_written_and_what_was_left_out_is_said(
    crawled: Crawled, tmp_path: Path
) -> None:
    folder = tmp_path / "maps"
    done = crawled.run("export", "sitemap", "example.com", "-o", str(folder)).succeeded()
    assert locs(valid_index(folder / "sitemap.xml")) == [f"{SITE}/sitemap-00001.xml.gz"]
    paths = [loc.removeprefix(SITE) for loc in locs(valid_urlset(folder / "sitemap-00001.xml.gz"))]
    assert paths == [
        *("/", "/about", "/shop/deals", "/day/1", "/day/2", "/tag/4", "/search", "/shop"),
        *("/about/team", "/alone"),
    ]
    assert done.stdout == ""
    assert done.stderr.splitlines() == [
        f"10 pages in 1 sitemap and an index, written to {folder}",
        "not visited, so their status is unknown: 8",
        "8 pages left out:",
        "        2 redirected",
        *(f"        1 {reason}" for reason in ("noindex", "not_found", "offsite")),
        *(f"        1 {reason}" for reason in ("skipped_path", "soft_404", "trap_calendar")),
        f"add to robots.txt: Sitemap: {SITE}/sitemap.xml",
        *_COMPLETENESS,
    ]


def test_files_can_be_served_elsewhere_and_uncompressed(crawled: Crawled, tmp_path: Path) -> None:
    options = ("-o", str(tmp_path), "--base-url", f"{SITE}/maps", "--no-gzip")
    crawled.run("export", "sitemap", "example.com", *options).succeeded()
    assert locs(valid_index(tmp_path / "sitemap.xml")) == [f"{SITE}/maps/sitemap-00001.xml"]
    assert len(locs(valid_urlset(tmp_path / "sitemap-00001.xml"))) == 10


@pytest.mark.parametrize("base", ["ftp://example.com/", "maps/", "https://example.com/?a=1"])
def test_a_base_that_is_no_folder_is_refused(crawled: Crawled, tmp_path: Path, base: str) -> None:
    done = crawled.run(
        "export", "sitemap", "example.com", "-o", str(tmp_path / "out"), "--base-url", base
    )
    assert done.returncode == 2
    assert done.stderr.startswith(f"sitecrawl: base URL {base}: expected the address of a folder")
    assert not (tmp_path / "out").exists()


def test_a_file_of_somebody_else_stays(crawled: Crawled, tmp_path: Path) -> None:
    (tmp_path / "sitemap.xml").write_text("mine")
    done = crawled.run("export", "sitemap", "example.com", "-o", str(tmp_path))
    assert done.returncode == 2
    assert "sitemap.xml is there and was not written by sitecrawl" in done.stderr
    assert [path.read_text() for path in tmp_path.iterdir()] == ["mine"]


def test_no_page_is_a_failure(
    project: Project, cli: Callable[..., ProcessResult], tmp_path: Path
) -> None:
    with open_database(f"sqlite:///{project.database}") as database:
        crawling = Crawling(database)
        crawling.start()
        crawling.visit("/", fetch={"directives": ["noindex"]})
        crawling.end()
    done = cli("export", "sitemap", "example.com", "-o", str(tmp_path / "out"))
    assert done.returncode == 1
    assert done.stderr.startswith("no page belongs in a sitemap: nothing was written\n")


def test_a_site_from_its_sitemaps_alone(inventory: Inventory, tmp_path: Path) -> None:
    done = inventory.run("export", "sitemap", inventory.wiki.url, "-o", str(tmp_path)).succeeded()
    assert done.stderr.startswith("5,000 pages in 1 sitemap and an index")
    body = gzip.decompress((tmp_path / "sitemap-00001.xml.gz").read_bytes())
    assert body.count(b"<url>") == 5_000


def test_an_llms_txt_is_written(crawled: Crawled, tmp_path: Path) -> None:
    path = tmp_path / "llms.txt"
    done = crawled.run(
        "export", "llms", "example.com", "-o", str(path), "--summary", "Tents."
    ).succeeded()
    assert path.read_text().startswith("# Home\n\n> Tents.\n\n## Main pages\n\n- [Home](")
    assert done.stderr.splitlines() == [
        f"10 of 10 pages written to {path}",
        "1 page left out:",
        "        1 noindex",
        *_COMPLETENESS,
    ]


def test_an_llms_txt_goes_to_the_screen(crawled: Crawled) -> None:
    done = crawled.run("export", "llms", "example.com", "--links", "1").succeeded()
    assert "## Shop\n\n- [Shop](https://example.com/shop)\n" in done.stdout


def test_export_without_a_command_says_where_rows_are(crawled: Crawled) -> None:
    done = crawled.run("export")
    assert "sitecrawl urls -o" in " ".join(done.output.split())
