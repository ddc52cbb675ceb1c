"""``sitecrawl orphans`` and ``sitecrawl unlisted``."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

import pytest

from sitecrawl.store.engine import open_database
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


def test_orphans_are_listed_with_how_complete_the_crawl_was(crawled: Crawled) -> None:
    done = crawled.run("orphans", "example.com").succeeded()
    assert done.stdout == f"{SITE}/alone\n"
    assert done.stderr.splitlines() == [
        "1 page is in a sitemap, but not linked from any visited page",
        *_COMPLETENESS,
    ]


def test_unlisted_pages_are_listed_with_how_complete_the_crawl_was(crawled: Crawled) -> None:
    done = crawled.run("unlisted", "example.com").succeeded()
    paths = [line.removeprefix(SITE) for line in done.stdout.splitlines()]
    assert paths == [
        *("/shop/deals", "/copy", "/day/1", "/day/2", "/tag/4", "/search", "/shop", "/about/team"),
    ]
    assert done.stderr.splitlines() == ["8 pages are linked, but in no sitemap", *_COMPLETENESS]


def test_csv(crawled: Crawled, tmp_path: Path) -> None:
    path = tmp_path / "unlisted.csv"
    done = crawled.run("unlisted", "example.com", "-o", str(path)).succeeded()
    rows = list(csv.DictReader(io.StringIO(path.read_text())))
    assert rows[1] == {
        "url": f"{SITE}/copy",
        "title": "",
        "clicks": "1",
        "http_status": "200",
        "linked_by": f"{SITE}/",
        "anchor": "Copy",
    }
    assert done.stdout == ""
    assert done.stderr.startswith(f"8 pages are linked, but in no sitemap, written to {path}\n")


def test_json_says_what_it_rests_on(crawled: Crawled) -> None:
    read = json.loads(crawled.run("orphans", "example.com", "-f", "json").succeeded().stdout)
    assert [page["url"] for page in read["pages"]] == [f"{SITE}/alone"]
    assert read["pages"][0]["sitemap"] == f"{SITE}/sitemap.xml"
    coverage = read["coverage"]
    assert (coverage["known"], coverage["visited"], coverage["is_whole"]) == (13, 7, False)
    assert coverage["limits"][0]["setting"] == "SITECRAWL_MAX_CRAWL_PAGES"


def test_without_a_crawl_no_page_is_called_an_orphan(inventory: Inventory) -> None:
    done = inventory.run("orphans", inventory.wiki.url)
    assert (done.returncode, done.stdout) == (1, "")
    assert "needs a crawl" in done.stderr
    assert "(SITECRAWL_CRAWL is never)" in done.stderr
    assert f"discover {inventory.wiki.url} -s SITECRAWL_CRAWL=always" in done.stderr


def test_a_site_without_a_sitemap_is_said(
    project: Project, cli: Callable[..., ProcessResult]
) -> None:
    with open_database(f"sqlite:///{project.database}") as database:
        crawling = Crawling(database)
        crawling.start()
        crawling.visit("/", "/a")
        crawling.visit("/a")
        crawling.end()
    done = cli("unlisted", "example.com").succeeded()
    assert done.stderr.splitlines() == [
        "1 page is linked, but in no sitemap",
        "no sitemap was read",
        "the crawl visited 2 of 2 known pages",
    ]


@pytest.mark.parametrize("command", ["orphans", "unlisted"])
def test_a_format_that_there_is_not_is_refused(crawled: Crawled, command: str) -> None:
    done = crawled.run(command, "example.com", "-o", "pages.xlsx")
    assert done.returncode == 2
    words = "-o pages.xlsx: expected a name with one of .txt, .csv, .json, or --format\n"
    assert done.stderr == f"sitecrawl: {words}"
