"""The feed of a site whose pages differ in whatever pages can differ in."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import pytest

from sitecrawl.exporters.csv import CsvPageExporter
from sitecrawl.exporters.json import JsonLinesPageExporter
from sitecrawl.exporters.rows import FIELDS, RowMaker
from sitecrawl.store.queries.classification import classifier_of
from sitecrawl.store.queries.pages import ALL_PAGES, LISTED_PAGES, PageFilter, page_chunks
from sitecrawl.store.references import page_references
from sitecrawl.urls.canonical import KeyRules
from tests.exporters.test_formats import lines_of
from tests.store.crawling import Crawling, Link, address
from tests.store.scanning import current_scan

if TYPE_CHECKING:
    from sitecrawl.exporters.pages import PageExporter
    from sitecrawl.store.engine import Database

SITEMAP, NEWS = address("/sitemap.xml"), address("/news.xml")
LISTED = [address(f"/shop/{number}") for number in range(40)]


@pytest.fixture
def mixed(database: Database) -> Database:
    """Two scans: most pages are listed alike; some say more, some were visited, some came later."""
    for listed in (LISTED[:30], LISTED):
        crawling = Crawling(database)
        crawling.start()
        crawling.visit("/", Link("/a", "A", region="footer"), "/shop/5", title="Start")
        crawling.visit("/a", "/", Link("/c", refused=("offsite", "?")), declared_type="article")
        crawling.fetched(
            crawling.list_pages(
                SITEMAP,
                listed,
                lastmods=["2026-01-02", "", *["2026-03-04"] * (len(listed) - 3)],
                titles={7: "Seven"},
                refused={9: ("skipped_file_type", "pdf")},
                categories={11: "image"},
            )
        )
        crawling.fetched(
            crawling.list_pages(
                NEWS, [LISTED[2], LISTED[7], address("/a"), address("/news")], source="feed"
            )
        )
        crawling.end()
    return database


def written(exporter: type[PageExporter], database: Database, wanted: PageFilter) -> bytes:
    file = io.BytesIO()
    writer = exporter(file)
    writer.start_exporting()
    writer.export_scan(database, current_scan(database).id, KeyRules(), wanted)
    writer.finish_exporting()
    return file.getvalue()


def feed(database: Database, wanted: PageFilter = ALL_PAGES) -> list[dict[str, Any]]:
    lines = written(JsonLinesPageExporter, database, wanted).splitlines()
    return [json.loads(line) for line in lines]


def one_by_one(database: Database, wanted: PageFilter) -> list[dict[str, Any]]:
    """The rows of each page read and written alone."""
    scan = current_scan(database)
    references, classifier = page_references(database, scan), classifier_of(database, scan)
    ids = [id_ for chunk in page_chunks(database, scan, wanted, ["id"]) for id_ in chunk["id"]]
    return [
        row
        for id_ in ids
        for chunk in page_chunks(database, scan, PageFilter(include_refused=True, page_id=id_))
        for row in RowMaker(KeyRules(), references, classifier).rows(chunk)
    ]


@pytest.mark.parametrize("looks", [1, 3, 1_000])
@pytest.mark.parametrize(
    "wanted", [ALL_PAGES, LISTED_PAGES, PageFilter(source="feed"), PageFilter(category="primary")]
)
def test_a_feed_has_what_each_page_has(
    mixed: Database, monkeypatch: pytest.MonkeyPatch, wanted: PageFilter, looks: int
) -> None:
    # However few pages it looks at to learn what is usual.
    monkeypatch.setattr("sitecrawl.store.usual_facts._LOOKS", looks)
    expected = one_by_one(mixed, wanted)
    assert len(expected) >= 4
    assert feed(mixed, wanted) == expected
    cells = lines_of(written(CsvPageExporter, mixed, wanted))
    assert [(line["url"], line["sources"], line["clicks"]) for line in cells] == [
        (row["url"], " ".join(row["sources"]), str("" if row["clicks"] is None else row["clicks"]))
        for row in expected
    ]


@pytest.mark.parametrize("looks", [1, 1_000])
def test_the_facts_of_some_pages(
    mixed: Database, monkeypatch: pytest.MonkeyPatch, looks: int
) -> None:
    monkeypatch.setattr("sitecrawl.store.usual_facts._LOOKS", looks)
    rows = {row["url"]: row for row in feed(mixed)}
    assert len(rows) == len(LISTED) + 4
    names = ("parent", "sources", "title", "status", "clicks", "http_status", "lastmod")
    listed = dict.fromkeys(FIELDS) | {"parent": SITEMAP, "status": "listed"}
    expected: dict[str, dict[str, Any]] = {
        address("/"): {
            "parent": address("/"),
            "sources": ["start", "link"],
            "title": "Start",
            "clicks": 0,
            "http_status": 200,
        },
        address("/a"): {
            "parent": address("/"),
            "sources": ["link", "feed"],
            "clicks": 1,
            "http_status": 200,
        },
        address("/c"): {"parent": address("/a"), "sources": ["link"], "status": "refused"},
        address("/news"): {"parent": NEWS, "sources": ["feed"]},
        LISTED[0]: {"sources": ["sitemap"], "lastmod": "2026-01-02"},
        LISTED[1]: {"sources": ["sitemap"]},
        LISTED[2]: {"sources": ["sitemap", "feed"], "lastmod": "2026-03-04"},
        LISTED[5]: {"parent": address("/"), "sources": ["link", "sitemap"], "clicks": 1},
        # One less in the sitemap, as the start page was first.
        LISTED[8]: {"sources": ["sitemap"], "title": "Seven", "lastmod": "2026-03-04"},
        LISTED[10]: {"sources": ["sitemap"], "status": "refused", "lastmod": "2026-03-04"},
        LISTED[39]: {"sources": ["sitemap"], "lastmod": "2026-03-04"},
    }
    assert {url: {name: rows[url][name] for name in names} for url in expected} == {
        url: {name: (listed | facts)[name] for name in names} for url, facts in expected.items()
    }
    assert rows[LISTED[12]]["file_kind"] == "image"
