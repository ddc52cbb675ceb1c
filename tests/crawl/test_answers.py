"""What the scan of a model site tells beside the list of its pages."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.crawl.scanned import scan_site
from tests.site.sites import docs_site, messy_site, shop_site, trap_site
from tests.stages.stored import scan as scan_of
from tests.stages.stored import summary

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.crawl.scanned import ScannedSite

    Scan = Callable[..., ScannedSite]

_COLOUR = re.compile(r"/p/[^?]+\?colour=")
MENU = "SELECT title, level FROM menu_entries WHERE region = ? ORDER BY position"


class TestTraps:
    @pytest.mark.parametrize("trap", trap_site().most_requests)
    def test_the_summary_names_what_was_given_up(self, scan: Scan, trap: str) -> None:
        scanned = scan(trap_site)
        cuts = summary(scanned.result)["cut_patterns"]
        examples = [scanned.target(cut["example"]) for cut in cuts if cut["left_out"]]
        assert trap in map(scanned.model.trap_of, examples)

    def test_the_crawl_is_done_when_the_traps_are_left(self, scan: Scan) -> None:
        done = scan(trap_site).result
        assert scan_of(done)[0] == "finished"
        assert summary(done)["truncated"] == []

    def test_another_crawl_gives_the_same_list(self, scan: Scan, tmp_path: Path) -> None:
        first, second = scan(trap_site), scan_site(trap_site(), tmp_path)
        assert sorted(first.listed) == sorted(second.listed)
        assert sorted(first.asked) == sorted(second.asked)


class TestPages:
    @pytest.mark.parametrize(
        ("target", "title"),
        [
            ("/", "Mühle & Söhne"),
            ("/old/utf16", "Größe"),
            ("/old/utf16-by-header", "Größe"),
            ("/old/header-wins", "Größe"),
            ("/old/latin1", "Größe"),
            ("/old/by-meta", "Größe"),
            ("/old/byte-order-mark", "Größe"),
        ],
    )
    def test_titles_survive_odd_encodings(self, scan: Scan, target: str, title: str) -> None:
        scanned = scan(messy_site)
        titles = {scanned.target(row["url"]): row["title"] for row in scanned.result.rows}
        assert titles[target] == title

    def test_products_in_other_colours_are_copies(self, scan: Scan) -> None:
        scanned = scan(shop_site)
        rows = {scanned.target(row["url"]): row for row in scanned.result.rows}
        copies = [row for target, row in rows.items() if _COLOUR.match(target)]
        assert {row["reason"] for row in copies} == {"trap_parameter"}
        for row in copies:
            product = row["url"].partition("?")[0]
            assert row["rule"] == (product if row["visited"] else "/p/*?colour={v}")
        assert rows["/p/dome-tents"]["status"] == rows["/p/tunnel-tents"]["status"] == "listed"

    def test_a_canonical_link_is_the_page_when_that_is_asked_for(self, tmp_path: Path) -> None:
        settings = {"SITECRAWL_CANONICAL_IS_IDENTITY": True}
        scanned = scan_site(shop_site(), tmp_path, settings)
        assert scanned.model.truth <= scanned.listed
        variant = scanned.refused["/p/dome-tents?colour=red"]
        assert variant["reason"] == "other_canonical"
        assert scanned.target(variant["rule"]) == "/p/dome-tents"
        # What was not visited has said nothing.
        visited = scanned.listed & {*scanned.asked}
        assert "variants" not in map(scanned.model.trap_of, visited)


class TestMenu:
    def test_it_keeps_the_order_of_the_site(self, scan: Scan) -> None:
        done = scan(docs_site).result
        assert done.query(MENU, "navigation") == [("Docs", 0), ("Blog", 0), ("Old manual", 0)]

    def test_it_keeps_the_nesting_of_the_site(self, scan: Scan) -> None:
        done = scan(docs_site).result
        assert done.query(MENU, "aside")[:8] == [
            ("guide", 0),
            ("install", 1),
            ("linux", 2),
            ("windows", 2),
            ("macos", 2),
            ("configure", 1),
            ("files", 2),
            ("environment", 2),
        ]
