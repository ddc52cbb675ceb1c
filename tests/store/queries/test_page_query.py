"""Every filter and every order: the database gives what plain Python over all pages gives.

It is asked in three ways: without an index, with one, and with one that has the texts.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import insert, select, update

from sitecrawl.items import FetchOutcome
from sitecrawl.store import schema as t
from sitecrawl.store.engine import open_database
from sitecrawl.store.queries.cursors import decode_cursor, encode_cursor
from sitecrawl.store.queries.facets import count_facets
from sitecrawl.store.queries.feed import iter_page_rows
from sitecrawl.store.queries.page_filter import ALL_PAGES, PageFilter, PageOrder, PageSort
from sitecrawl.store.queries.page_index import is_indexed
from sitecrawl.store.queries.pages import count_wanted, page_positions, page_rows, reading_pages
from sitecrawl.store.vocabulary import PageStatus
from sitecrawl.store.writers.page_index import index_pages
from tests.store.crawling import Crawling, Link, address
from tests.store.scanning import current_scan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sitecrawl.store.engine import Database
    from tests.site.postgres import PostgresDatabases

BLOG: Final = [f"/blog/2024/{name}" for name in ("winter", "Summer", "spring", "autumn-100%")]
SHOP: Final = [f"/shop/item-{number}" for number in range(12)]
GERMAN: Final = ["/de/über-uns", "/de/shop/item-1"]
ALONE: Final = ["/alone", "/alone/2"]
LASTMODS: Final = ["2024-01-01", "2024-05-06T07:08:09Z", "", "2025-01-01"]


def fill(database: Database) -> None:
    """Two scans: a crawl of a small site, then another that finds it changed."""
    first = Crawling(database)
    first.start()
    _sitemap(first, [*BLOG, *SHOP[:8], *ALONE])
    first.visit("/", "/list", *BLOG[:2], *GERMAN, Link("/gone", refused=("offsite", "")))
    first.visit("/list", *SHOP[:6], Link(SHOP[0], "Again", "footer", "area"), "/broken")
    first.visit(BLOG[0], title="Winter is here")
    first.visit("/broken", status=503, outcome=FetchOutcome.HTTP_ERROR)
    first.end()
    second = Crawling(database)
    second.start()
    _sitemap(second, [*BLOG[1:], *SHOP, *ALONE])
    second.visit("/", "/list", *BLOG[:3], *GERMAN, Link("/gone", refused=("offsite", "")))
    second.visit("/list", *SHOP[:4], title="All of the SHOP")
    second.visit(BLOG[1], title="über den Sommer")
    second.visit(GERMAN[0], "/login", language="de")
    second.visit(SHOP[2], status=404, outcome=FetchOutcome.NOT_FOUND, reason="not_found")
    second.end()
    _judge(database)
    _change(database, second.page_id(address(BLOG[1])), datetime(2026, 6, 1, tzinfo=UTC))
    _change(database, second.page_id(address(SHOP[3])), datetime(2026, 7, 1, tzinfo=UTC))


def _sitemap(crawling: Crawling, paths: list[str]) -> None:
    url = address("/sitemap.xml")
    lastmods = [LASTMODS[len(path) % len(LASTMODS)] for path in paths]
    crawling.fetched(crawling.list_pages(url, [address(path) for path in paths], lastmods=lastmods))


def _judge(database: Database) -> None:
    """Robots.txt allows the blog, and forbids a page of it that a link leads to."""
    verdict = {"site_id": 1, "reason": "rule", "confidence": 1.0, "decided_at": datetime.now(UTC)}
    with database.writing() as connection:
        for number, allowed in ((1, True), (2, False)):
            connection.execute(insert(t.verdicts).values(id=number, allowed=allowed, **verdict))
        for path, number in ((BLOG[1], 1), (BLOG[2], 2), (SHOP[1], 1)):
            own = t.pages.c.url == address(path)
            connection.execute(update(t.pages).where(own).values(verdict_id=number))


def _change(database: Database, page_id: int, occurred_at: datetime) -> None:
    scan = current_scan(database)
    with database.writing() as connection:
        connection.execute(
            insert(t.changes).values(
                site_id=scan.site_id,
                scan_id=scan.id,
                page_id=page_id,
                kind="updated",
                evidence={},
                confidence=1.0,
                status="open",
                occurred_at=occurred_at,
            )
        )


class Filter(NamedTuple):
    """A filter in SQL, and what it means for the row of a page."""

    wanted: dict[str, Any]
    holds: Callable[[dict[str, Any]], bool]


def _has_text(row: dict[str, Any], text: str) -> bool:
    return text.lower() in row["url"].lower() or text.lower() in (row["title"] or "").lower()


FILTERS: Final = {
    "contains": Filter({"contains": "ITEM-1"}, lambda row: "item-1" in row["url"]),
    "contains two": Filter({"contains": "e/"}, lambda row: "e/" in row["url"]),
    "search": Filter({"search": "summer"}, lambda row: _has_text(row, "summer")),
    "search title": Filter({"search": "the shop"}, lambda row: _has_text(row, "the shop")),
    "search umlaut": Filter({"search": "Über"}, lambda row: _has_text(row, "über")),
    "search percent": Filter({"search": "100%"}, lambda row: _has_text(row, "100%")),
    "search quote": Filter({"search": 'a"b OR c'}, lambda _: False),
    "prefix": Filter({"prefix": address("/shop/")}, lambda row: "com/shop/" in row["url"]),
    "template": Filter({"template": "/shop/{slug}"}, lambda row: row["template"] == "/shop/{slug}"),
    "category": Filter({"category": "primary"}, lambda row: row["category"] == "primary"),
    "type": Filter({"page_type": "product"}, lambda row: row["type"] == "product"),
    "language": Filter({"language": "de"}, lambda row: row["language"] == "de"),
    "cluster": Filter({"cluster": "/shop"}, lambda row: "/shop" in row["clusters"]),
    "source": Filter({"source": "sitemap"}, lambda row: "sitemap" in row["sources"]),
    "source link": Filter({"source": "link"}, lambda row: "link" in row["sources"]),
    "depth": Filter({"max_depth": 1}, lambda row: row["depth"] <= 1),
    "min depth": Filter({"min_depth": 2}, lambda row: row["depth"] >= 2),
    "priority": Filter({"min_priority": 0.83}, lambda row: row["priority"] >= 0.83),
    "max priority": Filter({"max_priority": 0.82}, lambda row: row["priority"] <= 0.82),
    "clicks": Filter(
        {"max_clicks": 1}, lambda row: (row["clicks"] or 0) <= 1 and row["clicks"] is not None
    ),
    "visited": Filter({"visited": True}, lambda row: row["visited"]),
    "not visited": Filter({"visited": False}, lambda row: not row["visited"]),
    "ok": Filter({"http_status": (200, 200)}, lambda row: row["http_status"] == 200),
    "indexable": Filter({"indexable": True}, lambda row: row["indexable"]),
    "not indexable": Filter({"indexable": False}, lambda row: not row["indexable"]),
    "orphan": Filter({"orphan": True}, lambda row: row["orphan"]),
    "robots": Filter({"robots_allowed": True}, lambda row: row["robots_allowed"] is True),
    "lastmod": Filter(
        {"lastmod_since": datetime(2024, 2, 1, tzinfo=UTC)},
        lambda row: (row["lastmod"] or "") >= "2024-02-01",
    ),
    "lastmod before": Filter(
        {"lastmod_before": datetime(2024, 12, 1, tzinfo=UTC)},
        lambda row: bool(row["lastmod"]) and row["lastmod"] < "2024-12-01",
    ),
    "first seen": Filter({"first_seen_since": "second"}, lambda row: row["first"] == "second"),
    "seen before": Filter({"first_seen_before": "second"}, lambda row: row["first"] == "first"),
    "last seen": Filter({"last_seen_since": "second"}, lambda row: row["last"] == "second"),
    "changed": Filter(
        {"changed_since": datetime(2026, 6, 15, tzinfo=UTC)},
        lambda row: row["url"] == address(SHOP[3]),
    ),
    "refused": Filter({"status": PageStatus.REFUSED}, lambda row: row["status"] == "refused"),
    "broken": Filter({"status": PageStatus.BROKEN}, lambda row: row["status"] == "broken"),
    "reason": Filter({"reason": "offsite"}, lambda row: row["reason"] == "offsite"),
}


class Inventory(NamedTuple):
    database: Database
    rows: list[dict[str, Any]]
    """Of all pages, with all that filters ask, in the order of their numbers."""
    second_started: datetime

    def wanted(self, *names: str) -> PageFilter:
        given = {key: value for name in names for key, value in FILTERS[name].wanted.items()}
        moments = {key: self.second_started for key, value in given.items() if value == "second"}
        return PageFilter(**(given | moments))

    def expected(self, *names: str) -> list[dict[str, Any]]:
        is_refused_wanted = self.wanted(*names).wants_refused
        return [
            row
            for row in self.rows
            if all(FILTERS[name].holds(row) for name in names)
            and (is_refused_wanted or row["status"] == "listed")
        ]


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def filled(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Database]:
    if request.param == "sqlite":
        with open_database(f"sqlite:///{tmp_path_factory.mktemp('query')}/s.db") as database:
            fill(database)
            yield database
        return
    server: PostgresDatabases = request.getfixturevalue("postgres_server")
    with server.fresh_with_tables() as url, open_database(url) as database:
        fill(database)
        yield database


@pytest.fixture(scope="module", params=["no index", "index", "texts"])
def inventory(request: pytest.FixtureRequest, filled: Database) -> Inventory:
    scan = current_scan(filled)
    with filled.writing() as connection:
        connection.execute(t.indexed_sites.delete())
    if request.param != "no index":
        index_pages(filled, scan, with_texts=request.param == "texts")
    return Inventory(filled, all_rows(filled), scan.started_at)


def all_rows(database: Database) -> list[dict[str, Any]]:
    """What feeds say of all pages, and what they do not say, asked in the plainest way."""
    scan = current_scan(database)
    rows = list(iter_page_rows(database, scan.id, ALL_PAGES))
    with database.reading() as connection:
        found = connection.execute(select(t.pages)).all()
        documents = {row.id: row for row in connection.execute(select(t.documents))}
        facts = {row.page_id: row for row in connection.execute(select(t.page_facts))}
        links = {row.page_id: row.source for row in connection.execute(select(t.mentions)).all()}
    assert links
    by_url = {row.url: row for row in found}
    for row in rows:
        page = by_url[row["url"]]
        row["number"], row["page_id"] = page.number, page.id
        row["first"] = "second" if page.first_scan_id == scan.id else "first"
        last = documents[page.document_id].last_scan_id
        row["last"] = "second" if last == scan.id else "first"
        fact = facts.get(page.id)
        row["indexable"] = (
            row["status"] == "listed"
            and row["robots_allowed"] is not False
            and (row["http_status"] or 200) < 300
            and (fact is None or fact.is_indexable)
        )
        row["orphan"] = row["url"] in {address(path) for path in [*ALONE, BLOG[3], *SHOP[4:]]}
        row["last_seen"], row["first_seen"] = last, page.number
    return sorted(rows, key=lambda row: row["number"])


def found_by(inventory: Inventory, wanted: PageFilter) -> list[str]:
    scan = current_scan(inventory.database)
    return [url for rows in page_rows(inventory.database, scan, wanted, ["url"]) for (url,) in rows]


def check(inventory: Inventory, *names: str) -> None:
    wanted = inventory.wanted(*names)
    expected = [row["url"] for row in inventory.expected(*names)]
    assert sorted(found_by(inventory, wanted)) == sorted(expected), names
    # In pages of a list, which is what the index is asked for.
    assert found_by(inventory, replace(wanted, order=PageOrder(), limit=1_000)) == expected, names
    count = count_wanted(inventory.database, current_scan(inventory.database), wanted)
    assert count.pages == len(expected), names


def test_the_site_has_something_for_every_filter(inventory: Inventory) -> None:
    empty = {name for name in FILTERS if not inventory.expected(name)}
    assert empty == {"search quote"}


def test_every_filter_alone(inventory: Inventory) -> None:
    for name in FILTERS:
        check(inventory, name)


@settings(max_examples=25, deadline=None)
@given(names=st.lists(st.sampled_from(sorted(FILTERS)), min_size=2, max_size=3, unique=True))
def test_filters_in_pairs(inventory: Inventory, names: list[str]) -> None:
    keys = [key for name in names for key in FILTERS[name].wanted]
    if len(keys) == len(set(keys)):
        check(inventory, *names)


def sort_value(row: dict[str, Any], sort: PageSort) -> Any:
    value = row[sort.value]
    texts = {"url", "title", "lastmod", "template", "category", "type", "language", "source"}
    if value is None:
        return "" if sort.value in texts | {"status", "reason"} else -1
    return value


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("sort", PageSort)
def test_walking_by_cursor_gives_each_page_once(
    inventory: Inventory, sort: PageSort, descending: bool
) -> None:
    order = PageOrder(sort, descending)
    for names in ([], ["refused"], ["search"], ["prefix"], ["source"]):
        wanted = replace(inventory.wanted(*names), order=order, limit=9)
        expected = sorted(
            inventory.expected(*names),
            key=lambda row: (sort_value(row, sort), row["number"]),
            reverse=descending,
        )
        assert walk(inventory, wanted) == [row["url"] for row in expected], (names, order)


def walk(inventory: Inventory, wanted: PageFilter) -> list[str]:
    """All pages, nine at a time, each time after the cursor of the last one."""
    assert wanted.order is not None
    found: list[str] = []
    scan = current_scan(inventory.database)
    while True:
        found += found_by(inventory, wanted)
        with reading_pages(inventory.database, scan, wanted, ()) as connection:
            positions = page_positions(connection, scan, wanted)
        if len(positions) < (wanted.limit or 0):
            return found
        cursor = encode_cursor(wanted.order, positions[-1])
        wanted = replace(wanted, after=decode_cursor(wanted.order, cursor))


def test_facets_count_what_the_filter_leaves(inventory: Inventory) -> None:
    for names in ([], ["source"], ["search"], ["refused"], ["lastmod"]):
        scan = current_scan(inventory.database)
        facets = count_facets(inventory.database, scan, inventory.wanted(*names))
        expected = inventory.expected(*names)
        assert facets.pages == len(expected)
        for facet, field in (("category", "category"), ("depth", "depth"), ("status", "status")):
            counted = {each.value: each.pages for each in facets.values[facet]}
            values = [row[field] for row in expected]
            assert counted == {value: values.count(value) for value in values}
        by_source = {each.value: each.pages for each in facets.values["source"]}
        sources = [source for row in expected for source in row["sources"]]
        assert by_source == {source: sources.count(source) for source in sources}


def test_counts_are_exact_up_to_a_bound(inventory: Inventory) -> None:
    scan = current_scan(inventory.database)
    wanted = inventory.wanted("prefix")
    pages = len(inventory.expected("prefix"))
    exact = count_wanted(inventory.database, scan, wanted, bound=pages)
    more = count_wanted(inventory.database, scan, wanted, bound=pages - 1)
    assert (str(exact), str(more)) == (str(pages), f"more than {pages - 1}")


def test_an_index_follows_the_scans(filled: Database) -> None:
    """After another scan it is not used until it is written again."""
    before = current_scan(filled)
    index_pages(filled, before)
    assert not index_pages(filled, before)
    third = Crawling(filled)
    third.start()
    _sitemap(third, [*BLOG[1:], *SHOP[:10], *ALONE])
    third.visit("/", "/list", "/new", *BLOG[:3])
    third.end()
    after = current_scan(filled)
    with filled.reading() as connection:
        assert not is_indexed(connection, after)
    plain = all_rows(filled)
    assert index_pages(filled, after)
    inventory = Inventory(filled, plain, after.started_at)
    for name in ("search", "prefix", "source", "broken", "contains", "visited"):
        check(inventory, name)
    wanted = PageFilter(order=PageOrder(PageSort.URL), limit=1_000)
    listed = sorted(row["url"] for row in plain if row["status"] == "listed")
    assert found_by(inventory, wanted) == listed
