"""Which documents a scan takes for gone, and what that makes of the inventory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from sitecrawl.items import FetchOutcome
from sitecrawl.store.schema import documents
from sitecrawl.store.vocabulary import ScanStatus
from tests.store.crawling import Crawling, address
from tests.store.scanning import Scanning, exported, inventory, scan

if TYPE_CHECKING:
    from sitecrawl.store.engine import Database

ROOT = "https://example.com/"
INDEX, MAP = f"{ROOT}index.xml", f"{ROOT}map.xml"


def gone(database: Database) -> set[str]:
    statement = select(documents.c.url).where(documents.c.gone_scan_id.is_not(None))
    with database.reading() as connection:
        return {url.removeprefix(ROOT) for url in connection.scalars(statement)}


def crawl(
    database: Database, links: dict[str, list[str]], *, is_exhaustive: bool, sitemap: str = ""
) -> None:
    """Visit these pages, which link to others, in this order."""
    crawling = Crawling(database)
    crawling.start()
    if sitemap:
        crawling.list_in_sitemap(sitemap)
    for path, linked in links.items():
        crawling.visit(path, *linked)
    crawling.end(is_exhaustive=is_exhaustive)


class TestSitemaps:
    def test_an_index_that_is_no_longer_named_takes_its_maps_with_it(
        self, database: Database
    ) -> None:
        first = Scanning(database)
        first.name([INDEX])
        index_id = first.document(INDEX)
        first.document(MAP, parent_id=index_id, found_by="another sitemap")
        first.fetched(index_id)
        first.fetched(first.list_pages(MAP, [address("/a")]))
        first.finish()
        scan(database, {f"{ROOT}other.xml": [address("/b")]})
        assert gone(database) == {"index.xml", "map.xml"}
        assert inventory(database) == [address("/b")]

    def test_what_a_map_that_was_not_read_names_is_still_there(self, database: Database) -> None:
        first = Scanning(database)
        first.name([INDEX])
        index_id = first.document(INDEX)
        first.document(MAP, parent_id=index_id, found_by="another sitemap")
        first.fetched(index_id)
        first.fetched(first.list_pages(MAP, [address("/a")]))
        first.finish()
        scan(database, {INDEX: FetchOutcome.TIMEOUT})
        assert gone(database) == set()
        assert inventory(database) == [address("/a")]

    def test_a_common_place_that_nobody_names_is_gone_only_when_it_says_so(
        self, database: Database
    ) -> None:
        first = Scanning(database)
        first.fetched(first.list_pages(MAP, [address("/a")]))
        first.finish()
        scan(database, {})
        assert inventory(database) == [address("/a")]
        scan(database, {MAP: FetchOutcome.NOT_FOUND}, named=[])
        assert inventory(database) == []

    def test_a_scan_that_stops_before_the_sitemaps_takes_nothing_for_gone(
        self, database: Database
    ) -> None:
        scan(database, {MAP: [address("/a")]})
        scan(database, {}, ScanStatus.FAILED, named=[MAP])
        assert inventory(database) == [address("/a")]


class TestPages:
    LINKS = {"/": ["/a", "/b"], "/a": ["/only-a"], "/b": ["/a"], "/only-a": []}  # noqa: RUF012

    def test_a_smaller_crawl_takes_nothing_out(self, database: Database) -> None:
        crawl(database, self.LINKS, is_exhaustive=True)
        crawl(database, {"/": ["/a", "/b"]}, is_exhaustive=False)
        assert gone(database) == set()
        assert set(inventory(database)) == {*map(address, self.LINKS)}

    def test_a_page_that_no_link_leads_to_any_more(self, database: Database) -> None:
        crawl(database, self.LINKS, is_exhaustive=True)
        crawl(database, {"/": ["/b"], "/b": []}, is_exhaustive=True)
        assert gone(database) == {"a", "only-a"}
        assert inventory(database) == [address("/"), address("/b")]

    def test_pages_that_only_lead_to_each_other(self, database: Database) -> None:
        links = {"/": ["/a"], "/a": ["/b", "/a"], "/b": ["/a"]}
        crawl(database, links, is_exhaustive=True)
        crawl(database, {"/": []}, is_exhaustive=False)
        assert len(inventory(database)) == 3, "a crawl with limits cannot tell"
        crawl(database, {"/": []}, is_exhaustive=True)
        assert inventory(database) == [address("/")]

    def test_what_links_lead_to_that_are_not_followed_is_not_gone(self, database: Database) -> None:
        links = {"/": ["/a"], "/a": ["/b"], "/b": ["/c"], "/c": []}
        crawl(database, links, is_exhaustive=True)
        crawl(database, {"/": ["/a"]}, is_exhaustive=True)
        assert gone(database) == set()
        assert len(inventory(database)) == 4

    def test_what_a_sitemap_lists_is_not_gone(self, database: Database) -> None:
        crawl(database, {"/": ["/a"], "/a": ["/b"]}, is_exhaustive=True, sitemap="/a")
        crawl(database, {"/": []}, is_exhaustive=True)
        assert set(inventory(database)) == {address("/"), address("/a"), address("/b")}

    def test_links_of_a_page_that_is_not_found_are_out(self, database: Database) -> None:
        crawl(database, {"/": ["/a"], "/a": ["/b"]}, is_exhaustive=False)
        second = Crawling(database)
        second.start()
        second.visit("/", "/a")
        second.visit("/a", outcome=FetchOutcome.NOT_FOUND, status=404, fetch={"complete": False})
        second.end()
        assert gone(database) == {"a"}
        assert inventory(database) == [address("/"), address("/a")]

    def test_a_page_that_comes_back_is_part_of_the_site_again(self, database: Database) -> None:
        crawl(database, {"/": ["/a"], "/a": ["/b"]}, is_exhaustive=True)
        crawl(database, {"/": []}, is_exhaustive=True)
        crawl(database, {"/": ["/a"], "/a": ["/b"]}, is_exhaustive=True)
        assert gone(database) == set()
        assert len(inventory(database)) == 3


class TestRefusals:
    def test_what_a_visit_found_holds_until_the_next_visit(self, database: Database) -> None:
        first = Crawling(database)
        first.start()
        first.visit("/", "/a")
        refusal = {"reason": "not_found", "rule": "404"}
        first.visit("/a", outcome=FetchOutcome.NOT_FOUND, status=404, **refusal)
        first.end()
        assert self.reason(database) == ("not_found", "404")
        crawl(database, {"/": ["/a"]}, is_exhaustive=False)
        assert self.reason(database) == ("not_found", "404")
        crawl(database, {"/": ["/a"], "/a": []}, is_exhaustive=False)
        assert self.reason(database) == (None, None)

    def reason(self, database: Database) -> tuple[str | None, str | None]:
        [row] = [row for row in exported(database) if row["url"] == address("/a")]
        return row["reason"], row["rule"]
