"""What is wrong with visited pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sitecrawl.items import FetchOutcome
from sitecrawl.store import findings_visits
from sitecrawl.store.findings_entries import Found
from sitecrawl.store.findings_visits import Fingerprint, Trapped
from tests.store.crawling import ROOT, Crawling, Link, address

if TYPE_CHECKING:
    from sitecrawl.store.engine import Database


@pytest.fixture
def crawling(database: Database) -> Crawling:
    crawling = Crawling(database)
    crawling.start()
    return crawling


def test_where_the_crawl_started(database: Database, crawling: Crawling) -> None:
    crawling.visit("/", "/a")
    scan = crawling.end()
    with database.reading() as connection:
        assert findings_visits.start_pages(connection, scan) == {crawling.page_id(ROOT)}


def test_redirects_have_their_targets(database: Database, crawling: Crawling) -> None:
    crawling.visit("/", "/a", "/plain")
    crawling.redirect("/a", "/b")
    crawling.visit("/plain")
    crawling.redirect("/b", "/c")
    scan = crawling.end()
    with database.reading() as connection:
        targets = findings_visits.redirect_targets(connection, scan)
    assert targets == {address("/a"): address("/b"), address("/b"): address("/c")}


def test_a_broken_link_names_the_page_that_has_it(database: Database, crawling: Crawling) -> None:
    crawling.visit("/", "/a")
    crawling.visit("/a", "/gone")
    crawling.visit("/gone", status=404, outcome=FetchOutcome.NOT_FOUND, reason="not_found")
    scan = crawling.end()
    with database.reading() as connection:
        broken = findings_visits.broken_links(connection, scan, 5)
    assert broken == Found(1, [(address("/gone"), address("/a"))])


def test_copies_have_their_original_and_no_fingerprint(
    database: Database, crawling: Crawling
) -> None:
    crawling.visit("/", "/a", "/b", folded_hash=1, fingerprint=-5)
    crawling.visit("/a", folded_hash=2, fingerprint=7)
    crawling.visit("/b", folded_hash=2, fingerprint=7)
    scan = crawling.end()
    with database.reading() as connection:
        same = findings_visits.duplicate_texts(connection, scan, 5)
        texts = findings_visits.text_fingerprints(connection, scan)
    assert same == Found(1, [(address("/b"), address("/a"))])
    assert texts == [Fingerprint(ROOT, -5), Fingerprint(address("/a"), 7)]


def test_traps_are_counted_by_their_rule(database: Database, crawling: Crawling) -> None:
    crawling.visit(
        "/",
        *(Link(f"/day/{day}", held_under="/day/{n}") for day in (1, 2)),
        Link("/a/a/a/a", refused=("trap_loop", "3 times")),
        Link("/cart", refused=("skipped_path", "/cart")),
    )
    scan = crawling.end(cut={"/day/{n}": "trap_calendar"})
    with database.reading() as connection:
        trapped = findings_visits.trapped_pages(connection, scan)
    assert trapped == [
        Trapped("trap_calendar", "/day/{n}", address("/day/1"), 2),
        Trapped("trap_loop", "3 times", address("/a/a/a/a"), 1),
    ]
