"""What a report gathers from an inventory, in each kind of database."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import update

from sitecrawl.items import FetchOutcome
from sitecrawl.report import inventory
from sitecrawl.report.coverage import recent_yield
from sitecrawl.report.gather import gather_report
from sitecrawl.store.engine import open_database
from sitecrawl.store.schema import classifications, clusters
from sitecrawl.store.vocabulary import ScanStatus
from tests.store.crawling import ROOT, Crawling, Link, address

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sitecrawl.report.data import ReportData
    from sitecrawl.store.engine import Database


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    is_sqlite = request.param == "sqlite"
    url = (
        f"sqlite:///{tmp_path}/x.db"
        if is_sqlite
        else request.getfixturevalue("postgres_tables_url")
    )
    with open_database(url) as opened:
        yield opened


def small_site(database: Database) -> ReportData:
    crawling = Crawling(database, settings={}, profile="audit")
    crawling.start()
    crawling.visit(
        "/",
        Link("/blog/", "Blog", "navigation"),
        Link("/about", "About", "footer"),
        Link("/", "Home", "header"),
        Link("/gone", "Gone"),
        Link("/cart", "Cart", refused=("skipped_path", "/cart")),
        title="Home",
        language="en",
    )
    crawling.visit(
        "/blog/",
        Link("/blog/a", "A"),
        Link("/blog/a", "A again"),
        Link("/about", "About", "footer"),
        title="Blog",
    )
    crawling.visit("/about", Link("/about", source="canonical", region=""))
    crawling.visit("/gone", status=404, outcome=FetchOutcome.NOT_FOUND, reason="not_found")
    crawling.menu((0, "Blog", "/blog/"))
    crawling.list_in_sitemap("/", "/about", "/blog/a", "/blog/alone")
    crawling.list_pages(f"{ROOT}feed.xml", [address("/blog/a")], source="feed")
    scan = crawling.end(
        requests=9, received_bytes=1_000, seconds=2.5, documents={"ok": 5, "not_found": 1}
    )
    return gather_report(database, scan)


def test_site_and_headline(database: Database) -> None:
    data = small_site(database)
    site, headline = data["site"], data["headline"]
    assert (site["root_url"], site["status"], site["profile"]) == (ROOT, "finished", "audit")
    assert (site["scan_id"], site["scans"]) == (1, 1)
    # What was not found is neither a page nor a document that was read.
    assert (headline["pages"], headline["refused"], headline["visited"]) == (5, 2, 3)
    assert headline["by_source"] == {"link": 3, "sitemap": 1, "start": 1}
    assert headline["by_reason"] == {"not_found": 1, "skipped_path": 1}
    assert (headline["requests"], headline["bytes"], headline["seconds"]) == (9, 1_000, 2.5)
    assert headline["documents"] == 5


def test_sources_and_their_overlap(database: Database) -> None:
    coverage = small_site(database)["coverage"]
    assert {each["name"]: each["pages"] for each in coverage["sources"]} == {
        "sitemaps": 4,
        "links": 3,
        "feeds": 1,
        "rendered pages": 0,
    }
    # A link of the root to itself makes nobody know it, and neither does its being the start.
    assert {tuple(each["sources"]): each["pages"] for each in coverage["overlap"]} == {
        ("sitemaps",): 2,
        ("links",): 1,
        ("sitemaps", "links"): 1,
        ("sitemaps", "links", "feeds"): 1,
    }
    assert coverage["known"] == 5
    assert coverage["low"] <= (coverage["estimate"] or 0) <= (coverage["high"] or 0)
    assert not coverage["is_trusted"]
    assert "only 5 pages are known: too few to estimate from" in coverage["doubts"]


def test_depths_clicks_clusters_languages(database: Database) -> None:
    data = small_site(database)
    assert data["clicks"] == [
        {"clicks": 0, "pages": 1},
        {"clicks": 1, "pages": 2},
        {"clicks": 2, "pages": 1},
    ]
    blog = data["clusters"][0]
    assert (blog["name"], blog["pages"]) == ("/blog", 3)
    in_blog = [
        url
        for url, number in zip(data["pages"]["url"], data["pages"]["cluster"], strict=True)
        if number == 0
    ]
    assert in_blog == [address("/blog/"), address("/blog/a"), address("/blog/alone")]
    assert [(each["code"], each["pages"]) for each in data["languages"]] == [("en", 1)]
    assert sum(each["pages"] for each in data["categories"]) == 5
    assert sum(each["pages"] for each in data["types"]) == 5
    assert data["tree"]["pages"] == 5


def test_regions_count_links_and_the_pages_they_lead_to(database: Database) -> None:
    regions = {each["region"]: each for each in small_site(database)["regions"]}
    assert regions["footer"] == {"region": "footer", "links": 2, "pages": 1}
    assert regions["content-link"] == {"region": "content-link", "links": 2, "pages": 1}
    assert "header" not in regions


def test_links_between_sections(database: Database) -> None:
    links = small_site(database)["links"]
    names = {section["id"]: section["name"] for section in links["sections"]}
    found = {
        (names[each["source"]], names[each["target"]]): each["links"] for each in links["links"]
    }
    # Each page that links to another counts once.
    assert found == {
        ("other pages", "/blog"): 1,
        ("other pages", "other pages"): 1,
        ("/blog", "/blog"): 1,
        ("/blog", "other pages"): 1,
    }
    most_linked = {
        page["url"]: page["links"] for each in links["sections"] for page in each["most_linked"]
    }
    assert [most_linked[address(path)] for path in ("/about", "/blog/a", "/blog/alone")] == [
        2,
        1,
        0,
    ]


def test_pages_are_columns_of_one_length(database: Database) -> None:
    pages = small_site(database)["pages"]
    columns = {name: column for name, column in pages.items() if name != "left_out"}
    assert {len(column) for column in columns.values()} == {7}  # type: ignore[arg-type]
    facts = zip(pages["reason"], pages["status"], pages["clicks"], strict=True)
    rows = dict(zip(pages["url"], facts, strict=True))
    assert rows[address("/gone")] == ("not_found", 404, 1)
    assert rows[address("/blog/a")] == ("", None, 2)
    assert rows[address("/blog/alone")] == ("", None, None)
    assert rows[ROOT] == ("", 200, 0)
    assert pages["left_out"] == 0


def test_the_same_inventory_gives_the_same_report(database: Database) -> None:
    crawling = Crawling(database)
    crawling.start()
    crawling.visit("/", *(f"/{number}" for number in range(30)))
    crawling.list_in_sitemap(*(f"/{number}" for number in range(10, 40)))
    scan = crawling.end()
    first, second = (json.dumps(gather_report(database, scan)) for _ in range(2))
    assert first == second


def test_clusters_that_the_model_does_not_have_are_not_shown(database: Database) -> None:
    crawling = Crawling(database)
    crawling.start()
    crawling.visit("/", *(f"/blog/post-number-{number}" for number in range(8)))
    scan = crawling.end()
    with database.writing() as connection:
        # As after an upgrade: what is stored is learned anew whenever it is needed.
        connection.execute(update(classifications).values(model={"version": -1}))
        connection.execute(update(clusters).where(clusters.c.key == "/blog").values(key="/gone"))
    shown = gather_report(database, scan)["clusters"]
    assert "/blog/{slug}" in [each["name"] for each in shown]
    assert all(each["pages"] for each in shown)


def test_a_site_without_pages(database: Database) -> None:
    scan = Crawling(database).end(ScanStatus.FAILED, reason="unreachable")
    data = gather_report(database, scan)
    assert (data["headline"]["pages"], data["coverage"]["known"]) == (0, 0)
    assert (data["links"]["sections"], data["pages"]["url"]) == ([], [])
    assert json.loads(json.dumps(data, allow_nan=False))["site"]["status"] == "failed"


def test_what_a_scan_no_longer_sees_is_not_in_its_report(database: Database) -> None:
    first = Crawling(database)
    first.list_in_sitemap("/old", "/kept")
    first.end()
    second = Crawling(database)
    second.list_in_sitemap("/kept", "/new")
    data = gather_report(database, second.end())
    assert data["pages"]["url"] == [address("/kept"), address("/new")]
    assert data["site"]["scans"] == 2
    assert [each["pages"] for each in data["coverage"]["sources"]] == [2, 0, 0, 0]


def test_pages_beyond_the_limit_are_counted(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inventory, "MAX_PAGES", 3)
    crawling = Crawling(database)
    crawling.start()
    crawling.visit("/", *(f"/{n}" for n in range(5)), Link("/no", refused=("skipped_path", "/no")))
    data = gather_report(database, crawling.end())
    assert len(data["pages"]["url"]) == 3
    assert data["pages"]["left_out"] == 4
    assert data["headline"]["pages"] == 6
    assert sum(each["pages"] for each in data["links"]["sections"]) == 6


def test_recent_yield() -> None:
    assert recent_yield([]) == {"requests": 0, "new": 0, "series": []}
    assert recent_yield([100, 5, 0]) == {"requests": 3, "new": 105, "series": [100, 5, 0]}
    long = recent_yield([10] * 100 + [0] * 900 + [1])
    assert (long["requests"], long["new"]) == (100, 1)
    assert len(long["series"]) == 50
    assert sum(long["series"]) == 1_001
