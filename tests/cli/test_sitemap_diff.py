"""``sitecrawl sitemap-diff``."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Crawled, Inventory

SITE = "https://example.com"


def test_changes_are_said_with_how_complete_the_crawl_was(crawled: Crawled) -> None:
    done = crawled.run("sitemap-diff", "example.com").succeeded()
    assert done.stdout.splitlines() == [
        f"+ {SITE}/shop/deals  unlisted: link",
        f"+ {SITE}/day/1  unlisted: link",
        f"+ {SITE}/day/2  unlisted: link",
        f"+ {SITE}/tag/4  unlisted: link",
        f"+ {SITE}/search  unlisted: form",
        f"+ {SITE}/shop  unlisted: link",
        f"+ {SITE}/about/team  unlisted: link",
    ]
    assert done.stderr.splitlines() == [
        "7 to add, 0 to drop",
        "the sitemaps list 3 pages",
        "not visited, so their status is unknown: 1",
        "1 sitemap was read",
        "the crawl visited 7 of 13 known pages",
        "4 were still in the queue when it ended (nothing left to fetch)",
        "2 were skipped: similar pages had given nothing new",
        "limit hit: pages left to visit: SITECRAWL_MAX_CRAWL_PAGES=7 can be raised",
    ]


def test_entries_of_a_real_scan(inventory: Inventory) -> None:
    shop = inventory.shop
    done = inventory.run("sitemap-diff", shop.url).succeeded()
    assert done.stdout.splitlines() == [
        f"- {shop.at('/about')}  duplicate: 2 entries, keep one",
        f"- https://elsewhere.example/x  offsite: {shop.url}/",
        "- http://[broken  invalid_url: "
        + done.stdout.partition("invalid_url: ")[2].partition("\n")[0],
    ]
    assert "not compared, because the rules of the scan refuse them" in done.stderr
    assert "1 skipped_file_type, 1 skipped_path" in done.stderr


def test_csv_and_json(crawled: Crawled, tmp_path: Path) -> None:
    path = tmp_path / "changes.csv"
    done = crawled.run("sitemap-diff", "example.com", "-o", str(path)).succeeded()
    assert done.stderr.startswith(f"7 to add, 0 to drop, written to {path}\n")
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows[0] == {
        "action": "add",
        "url": f"{SITE}/shop/deals",
        "reason": "unlisted",
        "detail": "link",
        "document": f"{SITE}/",
    }
    read = json.loads(crawled.run("sitemap-diff", "example.com", "-f", "json").stdout)
    assert read["pages"] == rows
    assert (read["coverage"]["known"], read["coverage"]["is_whole"]) == (13, False)
