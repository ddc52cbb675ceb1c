"""How pages and their mentions are stored, in the first scan of a site and in later ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlalchemy import func, select

from sitecrawl.items import FetchOutcome
from sitecrawl.store.schema import other_mentions, pages
from sitecrawl.store.writers.records import PageRows
from tests.store.scanning import (
    FAILED,
    UNCHANGED,
    Scanning,
    current_mentions,
    explained,
    exported,
    inventory,
    scan,
)

if TYPE_CHECKING:
    from sitecrawl.store.engine import Database

A, B = "https://example.com/a.xml", "https://example.com/b.xml"
ONE, TWO, THREE = (f"https://example.com/{n}" for n in ("one", "two", "three"))


def stored_rows(database: Database) -> tuple[int, int]:
    with database.reading() as connection:
        return tuple(  # type: ignore[return-value]
            connection.scalar(select(func.count()).select_from(table))
            for table in (pages, other_mentions)
        )


class TestFirstScan:
    def test_pages_come_out_in_the_order_they_went_in(self, database: Database) -> None:
        scan(database, {A: [TWO, ONE], B: [THREE]})
        assert inventory(database) == [TWO, ONE, THREE]

    def test_every_column_is_stored(self, database: Database) -> None:
        scanning = Scanning(database)
        document_id = scanning.list_pages(
            A,
            [ONE, TWO],
            source="sitemap-alternate",
            lastmods=["2026-01-02", ""],
            changefreqs=["", "daily"],
            priorities=[0.5, -1.0],
            languages=["de", ""],
            categories={1: "blog"},
            titles={1: "Zwei"},
            details={0: '{"images": 2}'},
            refused={1: ("skipped_path", "/two")},
        )
        scanning.fetched(document_id)
        scanning.finish()
        one, two = exported(database)
        assert one == {
            **{name: one[name] for name in ("id", "number", "class_id")},
            "url": ONE,
            "lastmod": "2026-01-02",
            "document_id": document_id,
            "source": "sitemap-alternate",
            "verdict_id": None,
            "first_scan_id": scanning.handle.scan_id,
            "reason": None,
            "rule": None,
            "title": None,
            "changefreq": None,
            "sitemap_priority": 0.5,
            "category": None,
            "language": "de",
            "importance": None,
            "region": None,
            "anchor": None,
            "inlinks": None,
            "link_region": None,
            "own_language": None,
            "text_language": None,
            "declared_type": None,
        }
        assert (two["reason"], two["rule"]) == ("skipped_path", "/two")
        assert (two["lastmod"], two["changefreq"], two["sitemap_priority"]) == (None, "daily", None)
        assert (two["title"], two["category"], two["language"]) == ("Zwei", "blog", None)
        assert explained(database, ONE).page.details == '{"images": 2}'  # type: ignore[union-attr]

    def test_a_long_list_is_stored_like_a_short_one(self, database: Database) -> None:
        urls = [f"https://example.com/{number}" for number in range(1_037)]
        scanning = Scanning(database)
        lastmods = ["2026-01-02" if number % 3 else "" for number in range(len(urls))]
        scanning.fetched(scanning.list_pages(A, urls, lastmods=lastmods))
        scanning.finish()
        rows = exported(database)
        assert [row["url"] for row in rows] == urls
        assert [row["lastmod"] or "" for row in rows] == lastmods
        assert {row["source"] for row in rows} == {"sitemap"}

    def test_a_further_mention_costs_no_page(self, database: Database) -> None:
        scan(database, {A: [ONE, TWO, ONE], B: [ONE]})
        assert stored_rows(database) == (2, 2)
        assert current_mentions(database, ONE) == {(A, 1), (A, 3), (B, 1)}

    def test_columns_of_unequal_length_are_refused(self, database: Database) -> None:
        scanning = Scanning(database)
        rows = PageRows(scanning.document(A), "sitemap", ids=[1, 2], urls=["u"], positions=[1, 2])
        with pytest.raises(ValueError, match="'url': 1"):
            scanning.writer.add_pages(rows)

    def test_text_is_stored_as_it_is(self, database: Database) -> None:
        odd = "https://example.com/%25'\"{0};--\\?q=%s&ü=1"
        scan(database, {A: [odd]})
        assert inventory(database) == [odd]


class TestSecondScan:
    def test_nothing_is_doubled(self, database: Database) -> None:
        for _ in range(3):
            scan(database, {A: [ONE, TWO, ONE], B: [TWO, THREE]})
        assert stored_rows(database) == (3, 2)
        assert inventory(database) == [ONE, TWO, THREE]

    def test_nothing_is_doubled_when_entries_move(self, database: Database) -> None:
        scan(database, {A: [ONE, TWO, ONE], B: [TWO]})
        scan(database, {B: [THREE, TWO], A: [TWO, TWO, ONE]})
        assert current_mentions(database, ONE) == {(A, 3)}
        assert current_mentions(database, TWO) == {(A, 1), (A, 2), (B, 2)}
        assert stored_rows(database) == (3, 2)

    def test_an_unchanged_document_touches_no_page(self, database: Database) -> None:
        scan(database, {A: [ONE, TWO]})
        first = explained(database, ONE)
        second_id = scan(database, {A: UNCHANGED})
        assert inventory(database) == [ONE, TWO]
        second = explained(database, ONE)
        assert second.page == first.page
        assert second.mentions[0].scan_id == first.mentions[0].scan_id
        assert second.last_seen_scan_id == second_id

    def test_first_seen_stays_and_facts_move(self, database: Database) -> None:
        scanning = Scanning(database)
        scanning.fetched(scanning.list_pages(A, [ONE], lastmods=["2026-01-01"], languages=["de"]))
        scanning.finish()
        before = explained(database, ONE).page
        scanning = Scanning(database)
        scanning.fetched(scanning.list_pages(A, [ONE], changefreqs=["daily"]))
        scanning.finish()
        after = explained(database, ONE).page
        assert before is not None
        assert after is not None
        assert after.first_scan_id == before.first_scan_id
        # What the document says is replaced as a whole, what we worked out is kept.
        assert (after.lastmod, after.changefreq) == (None, "daily")
        assert after.language == "de"

    def test_a_dropped_entry_is_stale(self, database: Database) -> None:
        first_id = scan(database, {A: [ONE, TWO]})
        scan(database, {A: [TWO]})
        assert inventory(database) == [TWO]
        assert current_mentions(database, ONE) == set()
        assert explained(database, ONE).last_seen_scan_id == first_id

    def test_a_dropped_entry_was_last_seen_when_it_was_last_confirmed(
        self, database: Database
    ) -> None:
        scan(database, {A: [ONE, TWO]})
        confirmed_id = scan(database, {A: UNCHANGED})
        scan(database, {A: [TWO]})
        assert explained(database, ONE).last_seen_scan_id == confirmed_id

    def test_an_entry_may_come_back(self, database: Database) -> None:
        for content in ([ONE, TWO], [TWO], [ONE, TWO]):
            scan(database, {A: content})
        assert inventory(database) == [ONE, TWO]

    def test_a_document_that_could_not_be_read_keeps_its_pages(self, database: Database) -> None:
        scan(database, {A: [ONE], B: [TWO]})
        scan(database, {A: FAILED, B: UNCHANGED})
        assert inventory(database) == [ONE, TWO]

    def test_a_document_that_is_not_found_takes_its_pages_out_and_back(
        self, database: Database
    ) -> None:
        scan(database, {A: [ONE], B: [TWO]})
        scan(database, {A: FetchOutcome.NOT_FOUND, B: UNCHANGED})
        assert inventory(database) == [TWO]
        scan(database, {A: [ONE], B: UNCHANGED})
        assert inventory(database) == [ONE, TWO]

    def test_a_page_is_kept_by_another_mention(self, database: Database) -> None:
        scan(database, {A: [ONE], B: [ONE]})
        scan(database, {A: FAILED, B: UNCHANGED})
        assert inventory(database) == [ONE]
        assert current_mentions(database, ONE) == {(A, 1), (B, 1)}

    def test_a_part_of_a_document_makes_nothing_stale(self, database: Database) -> None:
        scan(database, {A: [ONE, TWO]})
        scanning = Scanning(database)
        scanning.fetched(scanning.list_pages(A, [THREE]), complete=False, truncated=True)
        scanning.finish()
        assert inventory(database) == [ONE, TWO, THREE]

    def test_the_verdict_follows_the_newest_scan(self, database: Database) -> None:
        refused = {0: ("skipped_path", "/one")}
        for document, verdict in ((A, refused), (A, {}), (B, refused), (B, {})):
            scanning = Scanning(database)
            scanning.fetched(scanning.list_pages(document, [ONE], refused=verdict))
            scanning.finish()
            page = explained(database, ONE).page
            assert page is not None
            assert (page.reason, page.rule) == (verdict.get(0) or (None, None))

    def test_the_url_follows_the_document_that_lists_it(self, database: Database) -> None:
        spelt = [("http://example.com/one", A), ("https://example.com/one", A)]
        for url, document in (*spelt, ("https://www.example.com/one/", B)):
            scanning = Scanning(database)
            document_id = scanning.document(document)
            scanning.writer.add_pages(
                PageRows(document_id, "sitemap", ids=[7], urls=[url], positions=[1])
            )
            scanning.fetched(document_id)
            other = A if document == B else None
            if other:
                scanning.fetched(scanning.document(other), UNCHANGED)
            scanning.finish()
        assert inventory(database) == ["https://example.com/one"]


def test_two_sites_share_a_database(database: Database) -> None:
    scan(database, {A: [ONE]})
    scan(
        database, {"https://other.example/s.xml": ["https://other.example/x"]}, site="other.example"
    )
    scan(database, {A: UNCHANGED})
    assert inventory(database) == [ONE]
    assert inventory(database, site="other.example") == ["https://other.example/x"]
