"""What the sitemaps of a site should add and drop."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import pytest

from sitecrawl.exporters.sitemap import export_sitemap
from sitecrawl.exporters.sitemap_diff import SitemapChange, SitemapDiff, write_text
from sitecrawl.exporters.sitemap_fitness import read_fitness
from sitecrawl.items import FetchOutcome
from sitecrawl.store.queries.scans import site_for
from sitecrawl.store.queries.sitemap_comparison import pages_and_entries
from sitecrawl.store.writers.records import VerdictRecord
from tests.exporters.sitemap_schema import locs, valid_urlset
from tests.store.crawling import ROOT, Crawling, Link, address

if TYPE_CHECKING:
    from pathlib import Path

    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.scans import Scan

SITEMAP = f"{ROOT}sitemap.xml"


def compared(database: Database, scan: Scan) -> SitemapDiff:
    site = site_for(database, "example.com")
    assert site is not None
    fitness = read_fitness(database, site, scan, "https://example.com")
    return SitemapDiff(pages_and_entries(database, scan), fitness)


def changes(database: Database, scan: Scan) -> list[tuple[str, str, str, str]]:
    return [
        (change.action, change.url.removeprefix(ROOT), change.reason, change.detail)
        for change in compared(database, scan)
    ]


def test_what_is_linked_and_unlisted_is_to_be_added(database: Database, crawling: Crawling) -> None:
    crawling.visit("/", "/linked", "/listed", Link("/cart", refused=("skipped_path", "/cart")))
    crawling.list_in_sitemap("/", "/listed")
    assert list(compared(database, crawling.end())) == [
        SitemapChange("add", address("/linked"), "unlisted", "link", ROOT)
    ]


@pytest.mark.parametrize(
    ("facts", "reason", "detail"),
    [
        ({"status": 404, "reason": "not_found", "rule": "HTTP 404"}, "not_found", "HTTP 404"),
        ({"reason": "soft_404", "rule": "x"}, "soft_404", "x"),
        ({"fetch": {"directives": ["noindex"]}}, "noindex", "noindex"),
        ({"canonical": "/"}, "other_canonical", ROOT),
        ({"status": 500, "outcome": FetchOutcome.HTTP_ERROR}, "failed", "HTTP 500"),
        ({"outcome": FetchOutcome.TIMEOUT, "fetch": {"status": None}}, "failed", "timeout"),
        ({"fetch": {"content_type": "text/css", "format": "other"}}, "no_page", "text/css"),
    ],
)
def test_entries_that_do_not_belong_are_to_be_dropped(
    database: Database, crawling: Crawling, facts: dict[str, Any], reason: str, detail: str
) -> None:
    crawling.visit("/", "/page")
    crawling.visit("/page", **facts)
    crawling.list_in_sitemap("/", "/page")
    assert changes(database, crawling.end()) == [("drop", "page", reason, detail)]


def test_a_redirect_is_replaced_by_its_target(database: Database, crawling: Crawling) -> None:
    crawling.visit("/", "/old", "/slash")
    crawling.redirect("/old", "/new")
    crawling.visit("/slash", fetch={"final_url": address("/slash/")})
    crawling.list_in_sitemap("/", "/old", "/slash")
    assert changes(database, crawling.end()) == [
        ("drop", "old", "redirected", address("/new")),
        ("drop", "slash", "redirected", address("/slash/")),
        ("add", "slash/", "redirect_target", address("/slash")),
        ("add", "new", "unlisted", "redirect"),
    ]


def test_a_page_is_to_be_listed_once(database: Database, crawling: Crawling) -> None:
    crawling.visit("/")
    crawling.list_in_sitemap("/", "/a", "/a")
    crawling.list_in_sitemap("/a", sitemap=f"{ROOT}more.xml")
    assert changes(database, crawling.end()) == [("drop", "a", "duplicate", "3 entries, keep one")]


def test_what_robots_txt_does_not_allow_is_to_be_dropped(
    database: Database, crawling: Crawling
) -> None:
    crawling.visit("/")
    verdict = crawling.writer.verdict(VerdictRecord(None, False, "rule", "Disallow: /x"))
    refused = {0: ("blocked_by_robots", "Disallow: /x"), 1: ("skipped_path", "/x")}
    pages = [address("/x/1"), address("/x/2")]
    crawling.fetched(crawling.list_pages(SITEMAP, pages, refused=refused, verdict_id=verdict))
    found = changes(database, crawling.end())
    assert [change[1:] for change in found if change[0] == "drop"] == [
        ("x/1", "blocked_by_robots", "Disallow: /x"),
        ("x/2", "blocked_by_robots", "Disallow: /x"),
    ]


def test_other_hosts_are_to_be_dropped_unless_the_sitemap_is_theirs(
    database: Database, crawling: Crawling
) -> None:
    crawling.visit("/")
    refused = {1: ("offsite", ROOT)}
    pages = ["https://blog.example.com/a", "https://elsewhere.example/"]
    crawling.fetched(crawling.list_pages(SITEMAP, pages, refused=refused))
    theirs = "https://shop.example.com/sitemap.xml"
    crawling.fetched(crawling.list_pages(theirs, ["https://shop.example.com/b"]))
    crawling.list_in_sitemap("/")
    assert changes(database, crawling.end()) == [
        ("drop", "https://blog.example.com/a", "other_host", ""),
        ("drop", "https://elsewhere.example/", "offsite", ROOT),
    ]


def test_rules_of_the_scan_judge_no_sitemap(database: Database, crawling: Crawling) -> None:
    crawling.visit("/")
    refused = {0: ("skipped_file_type", "*.pdf"), 1: ("trap_calendar", "/{date}")}
    pages = [address("/a.pdf"), address("/2026-01-01"), address("/known")]
    crawling.fetched(crawling.list_pages(SITEMAP, pages, refused=refused))
    crawling.list_in_sitemap("/")
    diff = compared(database, crawling.end())
    assert list(diff) == []
    assert diff.not_judged == {"skipped_file_type": 1, "trap_calendar": 1}
    assert (diff.entries, diff.unvisited, diff.added, diff.dropped) == (4, 1, 0, 0)


def test_the_sitemap_with_the_changes_made_is_the_export(
    database: Database, crawling: Crawling, tmp_path: Path
) -> None:
    crawling.visit("/", "/linked", "/old", "/hidden", "/copy", "/listed")
    crawling.redirect("/old", "/new")
    crawling.visit("/hidden", fetch={"directives": ["noindex"]})
    crawling.visit("/copy", canonical="/listed")
    listed = ["/", "/old", "/hidden", "/copy", "/listed", "/unknown"]
    crawling.list_in_sitemap(*listed)
    scan = crawling.end()
    changed = set(map(address, listed))
    for change in compared(database, scan):
        (changed.add if change.action == "add" else changed.remove)(change.url)
    site = site_for(database, "example.com")
    assert site is not None
    export_sitemap(database, site, scan, tmp_path / "out", ROOT)
    assert changed == set(locs(valid_urlset(tmp_path / "out" / "sitemap-00001.xml.gz")))


def test_text_has_a_line_for_each_and_steers_no_terminal() -> None:
    rows = [
        SitemapChange("add", "https://a.example/", "unlisted", "link", ""),
        SitemapChange("drop", "a\x1b[2J\nb", "noindex", "", ""),
    ]
    file = io.BytesIO()
    assert write_text(rows, file) == 2
    assert file.getvalue().decode().split("\n") == [
        "+ https://a.example/  unlisted: link",
        "- a\\x1b[2J\\nb  noindex",
        "",
    ]
