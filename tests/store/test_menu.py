from __future__ import annotations

from typing import TYPE_CHECKING

from sitecrawl.store.menu import MenuFact, site_menu
from tests.store.crawling import ROOT, Crawling, Link, address
from tests.store.scanning import current_scan, scan

if TYPE_CHECKING:
    from sitecrawl.store.engine import Database


def test_the_menu_keeps_its_order_and_nesting(database: Database) -> None:
    crawling = Crawling(database)
    crawling.start()
    login = Link("/login", "Login", refused=("skipped_path", "/login"))
    crawling.visit("/", "/shop", "/shop/shoes", login)
    crawling.menu((0, "Shop", "/shop"), (1, "Shoes", "/shop/shoes"), (0, "Login", "/login"))
    assert site_menu(database, crawling.end()) == [
        MenuFact(0, "Shop", address("/shop"), "navigation", None),
        MenuFact(1, "Shoes", address("/shop/shoes"), "navigation", None),
        MenuFact(0, "Login", address("/login"), "navigation", "skipped_path"),
    ]


def test_a_scan_without_a_menu_has_none(database: Database) -> None:
    scan(database, {"https://example.com/a.xml": [ROOT]})
    assert site_menu(database, current_scan(database)) == []
