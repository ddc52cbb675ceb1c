"""``sitecrawl tree`` and ``sitecrawl graph``."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from sitecrawl.store.engine import open_database
from tests.store.crawling import Crawling

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import Crawled, Inventory
    from tests.site.project import ProcessResult, Project

SITE = "https://example.com"
_NAMESPACE = "{http://graphml.graphdrawing.org/xmlns}"

# --- tree ---------------------------------------------------------------------------------------

_MENU = f"""menu of {SITE}/: 3 entries
  Shop  {SITE}/shop
    Deals  {SITE}/shop/deals
  About us  {SITE}/about
"""
_PATHS = f"""{SITE}  11 pages, 6 refused
  /day  2 pages, 1 refused
  /about  2 pages
  /shop  2 pages
  /alone  1 page
  /cart  1 refused
  /copy  1 page
  /gone  1 refused
  /missing  1 refused
  /old  1 refused
  /older  1 refused
  /search  1 page
  /tag  1 page
elsewhere  1 refused
"""


def test_the_menu_and_the_paths(crawled: Crawled) -> None:
    done = crawled.run("tree", "example.com").succeeded()
    assert done.stdout == f"{_MENU}\n{_PATHS}"
    assert done.stderr == ""


@pytest.mark.parametrize(("option", "text"), [("--menu", _MENU), ("--paths", _PATHS)])
def test_one_of_them_alone(crawled: Crawled, option: str, text: str) -> None:
    assert crawled.run("tree", "example.com", option).succeeded().stdout == text


def test_the_depth_holds_for_both(crawled: Crawled) -> None:
    text = crawled.run("tree", "example.com", "--depth", "1").succeeded().stdout
    assert "Deals" not in text
    assert "menu of https://example.com/: 2 entries\n" in text


def test_a_site_without_a_menu(inventory: Inventory) -> None:
    text = inventory.run("tree", inventory.wiki.url).succeeded().stdout
    menu, _, paths = text.partition("\n\n")
    assert menu == "menu: none (the root was not read, or has no navigation)"
    assert paths == f"{inventory.wiki.url}  5,000 pages\n  /articles  5,000 pages\n"


def test_what_a_site_wrote_steers_no_terminal(
    project: Project, cli: Callable[..., ProcessResult]
) -> None:
    with open_database(f"sqlite:///{project.database}") as database:
        crawling = Crawling(database)
        crawling.start()
        crawling.visit("/", "/a")
        crawling.menu((0, "\x1b[2JHome", "/a"))
        crawling.end()
    text = cli("tree", "example.com").succeeded().stdout
    assert f"  \\x1b[2JHome  {SITE}/a\n" in text


# --- graph --------------------------------------------------------------------------------------


def nodes_and_edges(path: Path) -> tuple[list[str | None], int]:
    root = ET.parse(path).getroot()
    nodes = [node[0].text for node in root.iter(f"{_NAMESPACE}node")]
    return nodes, len(list(root.iter(f"{_NAMESPACE}edge")))


def test_graphml(crawled: Crawled, tmp_path: Path) -> None:
    path = tmp_path / "site.graphml"
    done = crawled.run("graph", "example.com", "-o", str(path)).succeeded()
    nodes, edges = nodes_and_edges(path)
    assert (len(nodes), edges) == (11, 9)
    assert done.stdout == ""
    assert done.stderr.splitlines()[:2] == [
        f"11 pages and 9 links written to {path}",
        "the crawl visited 7 of 13 known pages",
    ]


def test_refused_and_external_pages_when_asked_for(crawled: Crawled, tmp_path: Path) -> None:
    path = tmp_path / "site.graphml"
    crawled.run("graph", "example.com", "-o", str(path), "--refused", "--external").succeeded()
    nodes, _ = nodes_and_edges(path)
    assert {f"{SITE}/cart", f"{SITE}/old", "https://elsewhere.example/"} <= set(nodes)
    crawled.run("graph", "example.com", "-o", str(path), "--internal-only").succeeded()
    assert nodes_and_edges(path)[0] == [node for node in nodes_and_edges(path)[0] if node in nodes]
    assert "https://elsewhere.example/" not in nodes_and_edges(path)[0]


def test_edges_as_csv(crawled: Crawled) -> None:
    done = crawled.run("graph", "example.com", "-f", "csv", "--region", "navigation").succeeded()
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [(row["from"], row["to"], row["anchor"]) for row in rows] == [
        (f"{SITE}/", f"{SITE}/about", "About us"),
        (f"{SITE}/", f"{SITE}/shop/deals", "Deals"),
        (f"{SITE}/about", f"{SITE}/shop", "Shop"),
    ]
    assert done.stderr.startswith("3 links\n")


def test_a_site_that_was_not_crawled_says_so(inventory: Inventory, tmp_path: Path) -> None:
    path = tmp_path / "edges.csv"
    done = inventory.run("graph", inventory.wiki.url, "-o", str(path)).succeeded()
    assert path.read_text() == "from,to,source,region,anchor,rel,position\n"
    assert "0 links written to" in done.stderr
    assert "the crawl did not run" in done.stderr


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("-o", "graph.png"), "-o graph.png: expected a name with one of .graphml, .csv"),
        (("-o", "no/folder/x.csv"), "-o no/folder/x.csv: No such file or directory"),
        (("--region", "sidebar"), "--region sidebar: expected one of navigation, "),
        (("--scan", "9"), "scan 9 is not a scan of example.com"),
    ],
)
def test_wrong_usage_is_one_line(crawled: Crawled, options: tuple[str, ...], words: str) -> None:
    done = crawled.run("graph", "example.com", *options)
    assert done.returncode == 2
    assert words in done.stderr
    assert len(done.stderr.splitlines()) == 1
