"""Near duplicates and differences by the kept texts; docs/findings.md#duplicates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sitecrawl.findings.text_similarity import WordChange
from sitecrawl.store.queries.texts import near_duplicate_pages, text_difference
from tests.store.crawling import Crawling, address

if TYPE_CHECKING:
    from sitecrawl.store.engine import Database

_TEXT = " ".join(f"word{number}" for number in range(200))


@pytest.fixture
def crawling(database: Database) -> Crawling:
    crawling = Crawling(database)
    crawling.start()
    return crawling


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
