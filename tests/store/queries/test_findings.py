"""What is wrong with entries of sitemaps."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from sitecrawl.findings.text_similarity import WordChange
from sitecrawl.items import FetchOutcome
from sitecrawl.store.queries import findings
from sitecrawl.store.queries.findings import (
    Found,
    LastmodRange,
    SitemapEntries,
    Trapped,
    implausible_lastmods,
    lastmod_ranges,
    near_duplicate_pages,
    text_difference,
)
from sitecrawl.store.writers.records import PageFactsRecord, VerdictRecord
from sitecrawl.urls.refusal import Reason
from tests.store.crawling import ROOT, Crawling, Link, address

if TYPE_CHECKING:
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.scans import Scan


NOTHING = Found(0, [])


@pytest.fixture
def crawling(database: Database) -> Crawling:
    crawling = Crawling(database)
    crawling.start()
    return crawling


def found(database: Database, scan: Scan, what: str, *args: Reason, examples: int = 20) -> Found:
    with database.reading() as connection:
        result: Found = getattr(SitemapEntries(connection, scan, examples), what)(*args)
    return result


def test_http_in_a_map_with_https(database: Database, crawling: Crawling) -> None:
    crawling.visit("/")
    crawling.list_in_sitemap("http://example.com/a", "/b")
    crawling.list_in_sitemap("http://example.com/c", sitemap="http://example.com/old.xml")
    insecure = found(database, crawling.end(), "insecure")
    assert insecure == Found(1, [("http://example.com/a", f"{ROOT}sitemap.xml")])


def test_entries_are_counted_beyond_the_examples(database: Database, crawling: Crawling) -> None:
    crawling.visit("/")
    crawling.list_in_sitemap(*(f"http://example.com/{number}" for number in range(7)))
    insecure = found(database, crawling.end(), "insecure", examples=2)
    assert insecure.total == 7
    assert [url for url, _ in insecure.items] == ["http://example.com/0", "http://example.com/1"]


def test_a_refused_page_counts_if_a_sitemap_has_it(database: Database, crawling: Crawling) -> None:
    crawling.visit("/", "/gone", "/only-linked")
    crawling.visit(
        "/gone", status=404, outcome=FetchOutcome.NOT_FOUND, reason="not_found", rule="404"
    )
    crawling.visit("/only-linked", status=404, outcome=FetchOutcome.NOT_FOUND, reason="not_found")
    crawling.list_in_sitemap("/gone")
    assert found(database, crawling.end(), "refused_for", Reason.NOT_FOUND) == Found(
        1, [(address("/gone"), "404")]
    )


def test_repeats_in_one_map_and_in_several(database: Database, crawling: Crawling) -> None:
    crawling.visit("/", "/linked-first")
    crawling.list_in_sitemap("/a", "/a", "/b", "/linked-first")
    crawling.list_in_sitemap("/a", "/c", "/linked-first", sitemap=f"{ROOT}more.xml")
    assert found(database, crawling.end(), "repeated") == Found(
        2, [(address("/linked-first"), "2 entries"), (address("/a"), "3 entries")]
    )


def test_a_page_in_a_sitemap_and_linked_is_no_repeat(
    database: Database, crawling: Crawling
) -> None:
    crawling.visit("/", "/a", "/b")
    crawling.visit("/a", "/b", "/b")
    crawling.list_in_sitemap("/", "/a", "/b")
    assert found(database, crawling.end(), "repeated") == NOTHING


def test_errors_have_their_status(database: Database, crawling: Crawling) -> None:
    crawling.visit("/", "/slow", "/broken")
    crawling.visit("/slow", outcome=FetchOutcome.TIMEOUT, fetch={"status": None})
    crawling.visit("/broken", status=502, outcome=FetchOutcome.HTTP_ERROR)
    crawling.list_in_sitemap("/", "/slow", "/broken")
    assert found(database, crawling.end(), "failed").items == [
        (address("/slow"), "timeout"),
        (address("/broken"), "HTTP 502"),
    ]


def test_noindex(database: Database, crawling: Crawling) -> None:
    hidden, shown = PageFactsRecord(is_noindex=True), PageFactsRecord(is_nofollow=True)
    crawling.visit("/", "/hidden", "/shown", "/unlisted", facts=shown)
    crawling.visit("/hidden", facts=hidden)
    crawling.visit("/unlisted", facts=hidden)
    crawling.visit("/shown", facts=shown)
    crawling.list_in_sitemap("/", "/hidden", "/shown")
    assert found(database, crawling.end(), "noindex") == Found(1, [(address("/hidden"), "")])


@pytest.mark.parametrize(
    ("allowed", "reason", "is_found"),
    [(False, "rule", True), (False, "unreachable", False), (True, "rule", False)],
)
def test_blocked_by_a_rule(
    database: Database, crawling: Crawling, allowed: bool, reason: str, is_found: bool
) -> None:
    verdict = crawling.writer.verdict(
        VerdictRecord(None, allowed, reason, "Disallow: /x", 3, "*", None, 1.0)
    )
    crawling.visit("/")
    map_ = crawling.list_pages(f"{ROOT}sitemap.xml", [address("/x")], verdict_id=verdict)
    crawling.fetched(map_)
    blocked = found(database, crawling.end(), "blocked")
    assert blocked == (Found(1, [(address("/x"), "Disallow: /x")]) if is_found else NOTHING)


def test_only_what_the_map_still_has_counts(database: Database, crawling: Crawling) -> None:
    crawling.visit("/")
    crawling.list_in_sitemap("http://example.com/a", "/b", "/b")
    crawling.end()
    again = Crawling(database)
    again.start()
    again.visit("/")
    again.list_in_sitemap("/b")
    scan = again.end()
    assert found(database, scan, "insecure") == NOTHING
    assert found(database, scan, "repeated") == NOTHING


def test_links_to_other_hosts_are_no_entries(database: Database, crawling: Crawling) -> None:
    crawling.visit("/", Link("https://elsewhere.example/", refused=("offsite", ROOT)))
    crawling.list_in_sitemap("/")
    assert found(database, crawling.end(), "refused_for", Reason.OFFSITE) == NOTHING


def test_each_sitemap_has_its_range(database: Database) -> None:
    crawling = Crawling(database)
    pages = [address(f"/{number}") for number in range(3)]
    dates = ["2026-01-03", "", "2025-06"]
    crawling.fetched(crawling.list_pages(f"{ROOT}a.xml", pages, lastmods=dates))
    crawling.fetched(crawling.list_pages(f"{ROOT}b.xml", [address("/9")]))
    crawling.list_pages(f"{ROOT}feed.xml", [address("/8")], lastmods=["2020"], source="feed")
    scan = crawling.end()
    with database.reading() as connection:
        ranges = lastmod_ranges(connection, scan)
    assert ranges == [
        LastmodRange(f"{ROOT}a.xml", 3, 2, "2025-06", "2026-01-03"),
        LastmodRange(f"{ROOT}b.xml", 1, 0, None, None),
    ]


def test_dates_that_cannot_be(database: Database) -> None:
    year = datetime.now(UTC).year
    dates = {
        "/future": f"{year + 1}-01-01",
        "/far": "2999",
        "/epoch": "1970-01-01T00:00:00Z",
        "/today": datetime.now(UTC).date().isoformat(),
        "/this-year": str(year),
        "/old": "1995-01-01",
        "/none": "",
    }
    crawling = Crawling(database)
    pages = list(map(address, dates))
    crawling.fetched(crawling.list_pages(f"{ROOT}a.xml", pages, lastmods=list(dates.values())))
    scan = crawling.end()
    with database.reading() as connection:
        found = implausible_lastmods(connection, scan, max_items=2)
    expected = [(address(path), dates[path]) for path in ("/future", "/far")]
    assert found == Found(3, expected)


def test_where_the_crawl_started(database: Database, crawling: Crawling) -> None:
    crawling.visit("/", "/a")
    scan = crawling.end()
    with database.reading() as connection:
        assert findings.start_pages(connection, scan) == {crawling.page_id(ROOT)}


def test_redirects_have_their_targets(database: Database, crawling: Crawling) -> None:
    crawling.visit("/", "/a", "/plain")
    crawling.redirect("/a", "/b")
    crawling.visit("/plain")
    crawling.redirect("/b", "/c")
    scan = crawling.end()
    with database.reading() as connection:
        targets = findings.redirect_targets(connection, scan)
    assert targets == {address("/a"): address("/b"), address("/b"): address("/c")}


def test_copies_have_their_original(database: Database, crawling: Crawling) -> None:
    crawling.visit("/", "/a", "/b", text_hash="1")
    crawling.visit("/a", text_hash="2")
    crawling.visit("/b", text_hash="2")
    scan = crawling.end()
    with database.reading() as connection:
        same = findings.duplicate_texts(connection, scan, 5)
    assert same == Found(1, [(address("/b"), address("/a"))])


def test_traps_are_counted_by_their_rule(database: Database, crawling: Crawling) -> None:
    crawling.visit(
        "/",
        *(Link(f"/day/{day}", held_under="/day/{n}") for day in (1, 2)),
        Link("/a/a/a/a", refused=("trap_loop", "3 times")),
        Link("/cart", refused=("skipped_path", "/cart")),
    )
    scan = crawling.end(cut={"/day/{n}": "trap_calendar"})
    with database.reading() as connection:
        trapped = findings.trapped_pages(connection, scan)
    assert trapped == [
        Trapped("trap_calendar", "/day/{n}", address("/day/1"), 2),
        Trapped("trap_loop", "3 times", address("/a/a/a/a"), 1),
    ]


_TEXT = " ".join(f"word{number}" for number in range(200))


def test_near_duplicates_and_the_words_that_differ(database: Database, crawling: Crawling) -> None:
    crawling.visit("/", "/rc2", "/rc5", "/copy", "/soft", text="home", text_hash="0")
    crawling.visit("/rc2", text=f"{_TEXT} RC2", text_hash="2")
    crawling.visit("/rc5", text=f"{_TEXT} RC5", text_hash="5")
    crawling.visit("/copy", text=f"{_TEXT} RC2", text_hash="2")
    crawling.visit("/soft", text=f"{_TEXT} RC6", text_hash="6", reason="soft_404", rule="x")
    scan = crawling.end()
    with database.reading() as connection:
        [near] = near_duplicate_pages(connection, scan)
        difference = text_difference(connection, scan, near.original_id, near.page_id)
    assert (near.url, near.original) == (address("/rc5"), address("/rc2"))
    assert 0.9 < near.similarity < 1
    assert difference is not None
    assert difference.changes == [WordChange("RC2", "RC5")]


def test_a_text_that_was_not_kept_or_is_newer_is_not_compared(
    database: Database, crawling: Crawling
) -> None:
    crawling.visit("/", "/a", "/b", text=_TEXT, text_hash="0")
    crawling.visit("/a", text=f"{_TEXT} more", text_hash="1")
    crawling.visit("/b", text_hash="2")
    scan = crawling.end()
    ids = [crawling.page_id(address(path)) for path in ("/", "/a", "/b")]
    with database.reading() as connection:
        assert [near.url for near in near_duplicate_pages(connection, scan)] == [address("/a")]
        assert text_difference(connection, scan, ids[0], ids[2]) is None
    later = Crawling(database)
    later.start()
    later.visit("/", "/a", text=_TEXT, text_hash="0")
    later.visit("/a", text="something else", text_hash="3")
    later.end()
    with database.reading() as connection:
        assert list(near_duplicate_pages(connection, scan)) == []
        assert text_difference(connection, scan, ids[0], ids[1]) is None
