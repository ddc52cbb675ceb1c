"""Pages are read the same, whatever most of them have alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from sitecrawl.store.queries.pages import (
    ALL_PAGES,
    CHUNK_ROWS,
    LISTED_PAGES,
    PageFilter,
    page_chunks,
)
from tests.store.crawling import Crawling, Link, address
from tests.store.scanning import Scanning, current_scan, exported, scan

if TYPE_CHECKING:
    from sitecrawl.store.engine import Database

SITEMAP = "https://example.com/sitemap.xml"
LISTED = [f"/{number}" for number in range(40)]


@pytest.fixture
def mixed_pages(database: Database) -> Database:
    """Most pages are listed alike; some say more, and some were visited."""
    crawling = Crawling(database)
    crawling.start()
    crawling.visit("/", Link("/a", "A", region="footer"), "/b", title="Start", language="en")
    crawling.visit("/a", Link("/b", region="aside"), "/c", declared_type="article")
    crawling.fetched(
        crawling.list_pages(
            SITEMAP,
            [address(path) for path in LISTED],
            lastmods=["2026-01-02"] * 40,
            changefreqs=["", "daily", *[""] * 38],
            priorities=[0.5, 0.25, *[0.5] * 38],
            languages=["de", *[""] * 39],
            titles={7: "100% {x}"},
            refused={9: ("offsite", "?")},
            categories={11: "image"},
        )
    )
    crawling.end()
    return database


def read_with(
    monkeypatch: pytest.MonkeyPatch, looks: int, database: Database, wanted: PageFilter
) -> list[dict[str, Any]]:
    monkeypatch.setattr("sitecrawl.store.usual_facts._LOOKS", looks)
    return exported(database, wanted)


@pytest.mark.parametrize(
    "wanted",
    [
        ALL_PAGES,
        LISTED_PAGES,
        PageFilter(contains="/1", max_depth=1),
        PageFilter(source="link"),
        PageFilter(is_speaking=True),
        PageFilter(one_of=2),
        PageFilter(category="utility", include_refused=True),
    ],
)
def test_what_is_read_does_not_depend_on_what_is_usual(
    mixed_pages: Database, monkeypatch: pytest.MonkeyPatch, wanted: PageFilter
) -> None:
    # Who looks at all pages finds nothing usual where any page differs; who looks at one takes
    # whatever it has for usual.
    exact = read_with(monkeypatch, 1_000, mixed_pages, wanted)
    assert read_with(monkeypatch, 1, mixed_pages, wanted) == exact
    assert read_with(monkeypatch, 3, mixed_pages, wanted) == exact


def test_the_facts_of_unusual_pages(mixed_pages: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    found = {row["url"]: row for row in read_with(monkeypatch, 1, mixed_pages, ALL_PAGES)}
    assert found[address("/")]["own_language"] == "en"
    assert found[address("/b")]["inlinks"] == 2
    assert found[address("/1")]["changefreq"] == "daily"
    assert found[address("/1")]["sitemap_priority"] == 0.25
    assert found[address("/7")]["title"] == "100% {x}"
    assert found[address("/9")]["reason"] == "offsite"
    assert found[address("/39")]["sitemap_priority"] == 0.5


def test_other_sites_have_other_usual_facts(sqlite_database: Database) -> None:
    for site, source in (("a.example", "feed"), ("b.example", "sitemap"), ("c.example", "feed")):
        scanning = Scanning(sqlite_database, site)
        pages = [f"https://{site}/{number}" for number in range(3)]
        scanning.fetched(scanning.list_pages(f"https://{site}/x.xml", pages, source=source))
        scanning.finish()
    found = exported(sqlite_database, site="b.example")
    assert [row["source"] for row in found] == ["sitemap"] * 3


def test_columns_without_any_usual_one(sqlite_database: Database) -> None:
    urls = [f"https://example.com/{number}" for number in range(CHUNK_ROWS + 1)]
    scan(sqlite_database, {SITEMAP: urls})
    found = page_chunks(sqlite_database, current_scan(sqlite_database), ALL_PAGES, ("url",))
    assert [url for chunk in found for url in chunk["url"]] == urls


def test_pages_that_a_later_scan_lists_by_another_document(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = "https://example.com/a.xml", "https://example.com/b.xml"
    scan(database, {first: ["https://example.com/1", "https://example.com/2"]})
    scanning = Scanning(database)
    scanning.list_pages(second, ["https://example.com/2"], source="feed")
    scanning.writer.commit()
    scanning.writer.close()
    exact = read_with(monkeypatch, 1_000, database, ALL_PAGES)
    assert read_with(monkeypatch, 1, database, ALL_PAGES) == exact
