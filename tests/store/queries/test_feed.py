"""The rows of a feed, of a site whose pages differ in whatever pages can differ in."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import create_engine

from sitecrawl.store.queries.classification import stored_classes
from sitecrawl.store.queries.feed import (
    FEED_FIELDS,
    feed_columns,
    feed_json,
    iter_page_rows,
    postgres_key,
    sqlite_key,
)
from sitecrawl.store.queries.page_filter import ALL_PAGES, LISTED_PAGES, PageFilter
from sitecrawl.store.queries.pages import page_rows
from sitecrawl.store.vocabulary import PageStatus
from sitecrawl.urls.canonical import KeyRules, page_key
from tests.store.crawling import Crawling, Link, address
from tests.store.scanning import current_scan

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy.engine import Connection

    from sitecrawl.store.engine import Database

SITEMAP, NEWS = address("/sitemap.xml"), address("/news.xml")
LISTED = [address(f"/shop/{number}") for number in range(40)]


@pytest.fixture
def mixed(database: Database) -> Database:
    """Two scans: most pages are listed alike; some say more, some were visited, some came later."""
    for listed in (LISTED[:30], LISTED):
        crawling = Crawling(database)
        crawling.start()
        crawling.visit("/", Link("/a", "A", region="footer"), "/shop/5", title='St"art\\ \u2028ü')
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


def rows_of(database: Database, wanted: PageFilter = ALL_PAGES) -> list[dict[str, Any]]:
    return list(iter_page_rows(database, current_scan(database).id, wanted))


@pytest.mark.parametrize(
    "wanted", [ALL_PAGES, LISTED_PAGES, PageFilter(source="feed"), PageFilter(category="primary")]
)
def test_json_and_columns_have_the_same_values(mixed: Database, wanted: PageFilter) -> None:
    scan = current_scan(mixed)
    rows = rows_of(mixed, wanted)
    assert len(rows) >= 4
    texts = [line for part in feed_json(mixed, scan, wanted) for line in part]
    assert [json.loads(line) for line in texts] == rows
    assert tuple(json.loads(texts[0])) == FEED_FIELDS


def test_a_row_has_the_class_and_the_key_of_its_page(mixed: Database) -> None:
    scan = current_scan(mixed)
    classes = stored_classes(mixed, scan)
    found = dict(
        row for part in page_rows(mixed, scan, ALL_PAGES, ["url", "class_id"]) for row in part
    )
    for row in rows_of(mixed):
        stored = classes[found[row["url"]]]
        assert row["key"] == page_key(row["url"])
        assert (row["category"], row["type"]) == (stored.category, stored.page_type)
        assert (row["template"], row["depth"]) == (stored.template, stored.depth)
        assert (row["priority"], row["clusters"]) == (stored.priority, list(stored.clusters))
        assert (row["language"] or "") == stored.language


def test_the_facts_of_some_pages(mixed: Database) -> None:
    rows = {row["url"]: row for row in rows_of(mixed)}
    assert len(rows) == len(LISTED) + 4
    names = ("parent", "sources", "title", "status", "clicks", "http_status", "lastmod")
    listed = dict.fromkeys(FEED_FIELDS) | {"parent": SITEMAP, "status": "listed"}
    expected: dict[str, dict[str, Any]] = {
        address("/"): {
            "parent": address("/"),
            "sources": ["start", "link"],
            "title": 'St"art\\ \u2028ü',
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
    assert rows[address("/")]["discovered_at"].endswith("Z")
    assert rows[address("/")]["robots_allowed"] is None


def test_broken_pages_are_off_the_list_and_pages_that_were_not_visited_say_so(
    database: Database,
) -> None:
    crawling = Crawling(database)
    crawling.start()
    held = Link("/item/3", held_under="/item/{n}")
    crawling.visit("/", "/item/1", "/item/2", held, Link("/x", refused=("offsite", "?")))
    crawling.visit("/item/1", status=404, outcome="not_found", reason="not_found", rule="HTTP 404")
    crawling.list_in_sitemap("/map")
    crawling.end()
    names = ("status", "visited", "http_status")
    found = {row["url"]: tuple(row[name] for name in names) for row in rows_of(database)}
    assert found == {
        address("/"): ("listed", True, 200),
        address("/item/1"): ("broken", True, 404),
        address("/item/2"): ("listed", False, None),
        address("/item/3"): ("listed", False, None),
        address("/map"): ("listed", False, None),
        address("/x"): ("refused", False, None),
    }
    scan_id = current_scan(database).id
    for wanted in (LISTED_PAGES, *(PageFilter(status=status) for status in PageStatus)):
        of_status = {row["url"] for row in iter_page_rows(database, scan_id, wanted)}
        status = wanted.status or PageStatus.LISTED
        assert of_status == {url for url, facts in found.items() if facts[0] == status}


def test_fields_can_be_chosen_and_renamed(mixed: Database) -> None:
    scan = current_scan(mixed)
    names = {"url": "it's {the} 100% ?", "sources": "s"}
    [first, *_] = feed_json(mixed, scan, LISTED_PAGES, names)
    assert json.loads(first[0]) == {"it's {the} 100% ?": address("/"), "s": ["start", "link"]}
    [columns, *_] = feed_columns(mixed, scan, LISTED_PAGES, ["robots_allowed", "url"])
    assert columns[1][0] == address("/")


def test_pages_in_other_languages_are_marked(database: Database) -> None:
    crawling = Crawling(database, settings={"languages": ["en"]})
    crawling.start()
    crawling.visit("/", "/a", "/b", "/c", language="en-gb")
    crawling.visit("/a", language="de")
    crawling.visit("/b", language="en")
    crawling.end()
    found = {row["url"]: row["other_language"] for row in rows_of(database)}
    assert found == {
        address("/"): False,
        address("/a"): True,
        address("/b"): False,
        address("/c"): None,
    }


@pytest.fixture(scope="module")
def sqlite() -> Iterator[Connection]:
    engine = create_engine("sqlite://")
    with engine.connect() as connection:
        yield connection
    engine.dispose()


_RULES = st.builds(KeyRules, st.booleans(), st.booleans(), st.booleans(), st.booleans())
_URLS = st.one_of(
    st.from_regex(
        r"https?://(www\.)?(a\.example|b)(:80)?(/[aA%/]{0,4}){0,3}(\?[a/?#]{0,3})?(#[a/?]{0,3})?",
        fullmatch=True,
    ),
    st.text("ab:/?#.w", max_size=12),
)


@given(_URLS, _RULES, st.sampled_from(["", "https://www.a.example", "http://a.example"]))
def test_the_key_in_sqlite_is_that_of_the_page(
    sqlite: Connection, url: str, rules: KeyRules, origin: str
) -> None:
    statement = f"SELECT {sqlite_key(rules, 'url', origin)} FROM (SELECT ? AS url)"
    assert sqlite.exec_driver_sql(statement, (url,)).scalar() == page_key(url, rules)


@pytest.mark.parametrize("rules", [KeyRules(), KeyRules(False, False, False, True)])
def test_the_key_in_postgres_is_that_of_the_page(postgres_url: str, rules: KeyRules) -> None:
    urls = [
        *("https://www.a.example/", "http://a.example", "https://a.example/a/?b=/", "a?b", ""),
        *("https://a.example/a//", "https://a.example/A#/b/", "https://www.www.a.example/?", "x/"),
        *("http://a.example:8080/a/?x=1#y", "https://a.example/a\n/b/", "https://a.example?://"),
    ]
    engine = create_engine(postgres_url.replace("postgresql:", "postgresql+psycopg:"))
    statement = f"SELECT {postgres_key(rules, 'url')} FROM (SELECT CAST(%s AS TEXT) AS url) AS one"
    with engine.connect() as connection:
        found = [connection.exec_driver_sql(statement, (url,)).scalar() for url in urls]
    engine.dispose()
    assert found == [page_key(url, rules) for url in urls]
