"""What exported pages refer to."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sitecrawl.items import FetchOutcome
from sitecrawl.store.queries.scans import VisitFields, membership
from sitecrawl.store.references import _MENTIONED, _NUMBERS, _VISITED, page_references
from sitecrawl.store.writers.records import VerdictRecord
from tests.store.crawling import Crawling, Link, address
from tests.store.scanning import (
    UNCHANGED,
    Scanning,
    current_scan,
    explained,
    exported,
    scan,
)

if TYPE_CHECKING:
    from sitecrawl.store.engine import Database
    from sitecrawl.store.references import PageReferences

A, B = "https://example.com/a.xml", "https://example.com/b.xml"
ONE, TWO, THREE = (f"https://example.com/{each}" for each in ("one", "two", "three"))


def references(database: Database) -> PageReferences:
    return page_references(database, current_scan(database))


def numbers(database: Database) -> dict[str, int]:
    return {row["url"]: row["number"] for row in exported(database)}


def test_further_sources_are_those_of_further_mentions(database: Database) -> None:
    scanning = Scanning(database)
    scanning.fetched(scanning.list_pages(A, [ONE, TWO]))
    scanning.fetched(scanning.list_pages(B, [THREE, ONE], source="feed"))
    scanning.finish()
    assert references(database).further_sources == {numbers(database)[ONE]: ("feed",)}


def test_documents_are_known_by_their_ids(database: Database) -> None:
    scan(database, {A: [ONE, TWO], B: [THREE]})
    urls = references(database).documents
    assert [urls[row["document_id"]] for row in exported(database)] == [A, A, B]


def test_a_page_was_discovered_in_its_first_scan(database: Database) -> None:
    scan(database, {A: [ONE], B: [TWO]})
    first = current_scan(database)
    scan(database, {A: [ONE], B: UNCHANGED})
    assert exported(database)[0]["first_scan_id"] == first.id
    assert explained(database, ONE).first_seen_at == first.started_at
    started = references(database).scans[first.id]
    assert datetime.fromisoformat(started) == first.started_at.replace(microsecond=0)


def test_a_verdict_is_stored_once_and_told(database: Database) -> None:
    closed: dict[str, Any] = {
        "allowed": False,
        "reason": "rule",
        "rule": "Disallow: /one",
        "line": 3,
    }
    ids = []
    for _ in range(2):
        scanning = Scanning(database)
        robots = scanning.document("https://example.com/robots.txt", kind="robots_txt")
        ids.append(scanning.writer.verdict(VerdictRecord(robots, **closed)))
        open_id = scanning.writer.verdict(VerdictRecord(robots, allowed=True, reason="no_rule"))
        scanning.fetched(scanning.list_pages(A, [ONE, TWO], verdict_ids=[ids[-1], open_id]))
        scanning.fetched(scanning.list_pages(B, [THREE], verdict_id=open_id))
        scanning.finish()
    assert ids[0] == ids[1]
    verdict = explained(database, ONE).verdict
    assert verdict is not None
    told = (verdict.allowed, verdict.rule, verdict.line, verdict.robots_url)
    assert told == (False, "Disallow: /one", 3, "https://example.com/robots.txt")
    judged = references(database).verdicts
    pages = {row["url"]: judged[row["verdict_id"]] for row in exported(database)}
    assert pages == {ONE: (False, "Disallow: /one"), TWO: (True, None), THREE: (True, None)}


def test_a_visited_page_has_what_it_said_of_itself(database: Database) -> None:
    crawling = Crawling(database)
    crawling.start()
    crawling.visit(
        "/", "/a", "/b", Link("/c", held_under="/{n}"), "/d", text_hash="00ff", folded_hash=1
    )
    crawling.visit("/a", canonical="../a?x#y", text_hash="aa", folded_hash=7)
    crawling.visit("/b", text_hash="ab", folded_hash=7, canonical="https://other.example/b")
    crawling.visit("/d", status=404, outcome=FetchOutcome.NOT_FOUND, fetch={"content_type": ""})
    crawling.end()
    visits = references(database).visits
    known = numbers(database)
    html = "text/html"
    assert {path: visits[known[address(path)]] for path in ("/", "/a", "/b", "/c", "/d")} == {
        "/": VisitFields(0, 200, html, "00ff", None, None),
        "/a": VisitFields(1, 200, html, "aa", address("/a?x"), None),
        "/b": VisitFields(1, 200, html, "ab", "https://other.example/b", address("/a")),
        "/c": VisitFields(1, None, None, None, None, None),
        "/d": VisitFields(1, 404, None, None, None, None),
    }


def test_visits_are_those_of_the_scan(database: Database) -> None:
    first = Crawling(database)
    first.start()
    first.visit("/", "/a")
    first.end()
    scan(database, {A: [ONE]})
    assert references(database).visits == {}


def test_mentions_of_a_page_that_was_lost_are_left_out(database: Database) -> None:
    scan(database, {A: [ONE, TWO], B: [TWO]})
    with database.writing() as connection:
        connection.exec_driver_sql("DELETE FROM pages WHERE url = '" + TWO + "'")
    assert references(database).further_sources == {}


def test_pages_without_an_index_are_gone_through_once(sqlite_database: Database) -> None:
    scan(sqlite_database, {A: [ONE, TWO], B: [TWO]})
    names = membership(current_scan(sqlite_database))
    for has_index in (True, False):
        with sqlite_database.writing() as connection:
            if not has_index:
                connection.exec_driver_sql("DROP INDEX uq_pages_id")
            for pages in (_MENTIONED, _VISITED):
                statement = _NUMBERS.format(pages=pages).format_map(names)
                asked = f"EXPLAIN QUERY PLAN {statement}"
                plan = [row.detail for row in connection.exec_driver_sql(asked)]
                # Only what finds the ids comes after it.
                assert re.match("SEARCH pages" if has_index else "SCAN pages", plan[0]), plan
                assert not [step for step in plan[1:] if "pages" in step], plan
