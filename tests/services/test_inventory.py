"""What the library says of an inventory that a real scan has made."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pyarrow.parquet
import pytest

import sitecrawl
from sitecrawl.config import ConfigError
from sitecrawl.store.errors import DatabaseMissingError
from sitecrawl.store.queries.feed import FEED_FIELDS
from tests.site import SiteServer
from tests.site.build import page, robots, sitemap
from tests.site.project import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sitecrawl import Inventory


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> str:
    return f"sqlite:///{tmp_path_factory.mktemp('inventory') / 'inventory.db'}"


@pytest.fixture(scope="module")
def scanned(database: str) -> Iterator[SiteServer]:
    """A site with two scans: /blog has two pages more in the second one."""
    with SiteServer() as site:
        paths = ["/blog/a", "/blog/b", "/about"]
        site.routes |= {
            "/robots.txt": robots(site.at("/sitemap.xml"), disallow=("/secret",)),
            "/sitemap.xml": sitemap(*map(site.at, paths), site.at("/secret/x")),
            "/": page("Home", "/blog/a", "/about"),
            **{path: page(path) for path in paths},
        }
        settings = {"SITECRAWL_CRAWL": "always"}
        sitecrawl.discover(site.url, profile="fast", database=database, settings=settings)
        paths += ["/blog/c", "/blog/d"]
        site.routes["/sitemap.xml"] = sitemap(*map(site.at, paths), site.at("/secret/x"))
        sitecrawl.discover(site.url, profile="fast", database=database, settings=settings)
        yield site


@pytest.fixture
def inventory(scanned: SiteServer, database: str) -> Iterator[Inventory]:
    with sitecrawl.open_inventory(scanned.url, database=database) as opened:
        yield opened


def test_pages_are_typed_and_filtered(inventory: Inventory, scanned: SiteServer) -> None:
    urls = [each.url for each in inventory.pages(contains="/blog/")]
    assert sorted(urls) == [scanned.at(f"/blog/{name}") for name in "abcd"]
    assert inventory.count(contains="/blog/") == 4
    assert inventory.count(reason="blocked_by_robots") == 1
    with pytest.raises(ConfigError, match="filter colour: there is no such filter"):
        inventory.pages(colour="red")


def test_a_page_and_why_it_is_there(inventory: Inventory, scanned: SiteServer) -> None:
    found = inventory.page(scanned.at("/about/"))  # the same page as without the slash
    assert found is not None
    assert (found.url, found.title, found.http_status) == (scanned.at("/about"), "/about", 200)
    assert inventory.page(scanned.at("/none")) is None
    why = inventory.why(scanned.at("/secret/x"))
    assert why.verdict is not None
    assert (why.verdict.allowed, why.verdict.rule) == (False, "Disallow: /secret")
    assert {each.source for each in inventory.why(scanned.at("/about")).mentions} == {
        *("sitemap", "link")
    }


def test_an_index_changes_no_answer(inventory: Inventory) -> None:
    pages = inventory.pages(include_refused=True)
    before, rows = pages.to_arrow(), list(pages)
    assert any(len(each.sources) > 1 for each in rows)
    assert inventory.index()
    assert not inventory.index()
    assert pages.to_arrow().equals(before)
    assert list(pages) == rows


def test_structure_documents_and_records(inventory: Inventory, scanned: SiteServer) -> None:
    assert inventory.tree()[scanned.url].inner["blog"].listed == 4
    edges = {(edge.from_url, edge.to_url) for edge in inventory.links()}
    assert (scanned.at("/"), scanned.at("/about")) in edges
    assert scanned.at("/sitemap.xml") in {each.url for each in inventory.documents()}
    [summary] = inventory.evidence("discovery_summary")
    assert summary.metadata["pages"] == inventory.count()
    assert inventory.coverage().visited == 3
    assert "description_missing" in {each["kind"] for each in inventory.findings()}
    assert [each.id for each in inventory.scans()] == [2, 1]


def test_frames_have_the_rows_and_fields_of_a_feed(inventory: Inventory, tmp_path: Path) -> None:
    rows = list(inventory.pages())
    table = inventory.to_arrow()
    assert table.column_names == list(FEED_FIELDS)
    assert table.to_pylist() == [{name: getattr(row, name) for name in FEED_FIELDS} for row in rows]
    assert inventory.to_polars()["url"].to_list() == [row.url for row in rows]
    assert inventory.to_pandas()["url"].tolist() == [row.url for row in rows]
    file = tmp_path / "pages.parquet"
    assert inventory.to_parquet(file) == len(rows)
    assert pyarrow.parquet.read_table(file).to_pylist() == table.to_pylist()


def test_an_earlier_scan_can_be_asked(scanned: SiteServer, database: str) -> None:
    with sitecrawl.open_inventory(scanned.url, database=database, scan=1) as earlier:
        assert earlier.count(contains="/blog/") == 2


def test_what_is_not_there_is_said(scanned: SiteServer, database: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="not a site that has been scanned"):
        sitecrawl.open_inventory("elsewhere.example", database=database)
    with pytest.raises(ConfigError, match="scan 9 is not a scan of"):
        sitecrawl.open_inventory(scanned.url, database=database, scan=9)
    with pytest.raises(DatabaseMissingError):
        sitecrawl.open_inventory(scanned.url, database=f"sqlite:///{tmp_path / 'none.db'}")


@pytest.mark.parametrize(
    ("script", "words"),
    [("growing_sections.py", "/blog  +2 pages, 4 in all"), ("compare_coverage.py", "in a sitemap")],
)
def test_examples_run(script: str, words: str, scanned: SiteServer, database: str) -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / script), scanned.url],
        env=os.environ | {"SITECRAWL_DATABASE_URL": database, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert words in done.stdout
