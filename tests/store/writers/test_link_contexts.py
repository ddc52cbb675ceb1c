"""Link contexts: each is stored once, and every mention shows its own."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import text

from sitecrawl.html.links import LinkSource, Region
from sitecrawl.store.vocabulary import ScanStatus
from sitecrawl.store.writers import link_contexts
from sitecrawl.store.writers.link_contexts import LinkContextWriter
from sitecrawl.store.writers.records import LinkColumns, ScanHandle
from sitecrawl.store.writers.scan_writer import ScanWriter
from tests.store.crawling import Crawling, Link
from tests.store.scanning import scan

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy.engine import Connection

    from sitecrawl.store.engine import Database

HANDLE = ScanHandle(scan_id=1, site_id=3, seed=7, previous_scan_id=None, has_pages=False)
MENU = ("link", "navigation", "", "nav > a")
FOOTER = ("link", "footer", "nofollow", "footer > a")
CANONICAL = ("canonical", "", "canonical", "")


@pytest.fixture
def connection(sqlite_database: Database) -> Iterator[Connection]:
    with sqlite_database.writing() as opened:
        yield opened


def columns(*contexts: tuple[str, str, str, str]) -> LinkColumns:
    sources, regions, rels, paths = zip(*contexts, strict=True)
    return LinkColumns(sources, regions, ["words"] * len(contexts), rels, paths)


def stored(connection: Connection) -> dict[int, tuple[Any, ...]]:
    rows = connection.execute(text("SELECT id, source, region, rel, path FROM link_contexts"))
    return {context_id: tuple(context) for context_id, *context in rows}


def test_each_context_is_stored_once(connection: Connection) -> None:
    writer = LinkContextWriter(connection, HANDLE)
    menu, footer, again = writer.of_links(columns(MENU, FOOTER, MENU))
    assert menu == again
    writer.flush()
    canonical, footer_again = writer.of_links(columns(CANONICAL, FOOTER))
    assert footer_again == footer
    writer.flush()
    writer.flush()
    assert stored(connection) == {
        menu: ("link", "navigation", None, "nav > a"),
        footer: ("link", "footer", "nofollow", "footer > a"),
        canonical: ("canonical", None, "canonical", None),
    }


def test_what_another_process_has_stored_is_known(connection: Connection) -> None:
    found = []
    for contexts in ([MENU], [FOOTER, MENU], [MENU, FOOTER]):
        writer = LinkContextWriter(connection, HANDLE)
        found.append([*writer.of_links(columns(*contexts)), writer.of_source("sitemap")])
        writer.flush()
    (menu, sitemap), (footer, *second), third = found
    assert (second, third) == ([menu, sitemap], [menu, footer, sitemap])
    assert len(stored(connection)) == 3


def test_what_was_rolled_back_is_stored_again(connection: Connection) -> None:
    writer = LinkContextWriter(connection, HANDLE)
    undone = connection.begin_nested()
    writer.of_links(columns(MENU))
    writer.flush()
    undone.rollback()
    writer.forget()
    [menu] = writer.of_links(columns(MENU))
    writer.flush()
    assert stored(connection).keys() == {menu}


def test_sites_have_their_own(connection: Connection) -> None:
    ids = []
    for site_id in (3, 2, 4, 3):
        writer = LinkContextWriter(connection, replace(HANDLE, site_id=site_id))
        ids += writer.of_links(columns(MENU))
        writer.flush()
    assert len({*ids}) == 3
    assert ids[0] == ids[3]
    assert [context_id >> 32 for context_id in ids] == [3, 2, 4, 3]


def test_words_of_an_enumeration_are_the_same_as_plain_ones(connection: Connection) -> None:
    words = (LinkSource.LINK, Region.NAVIGATION, "", "nav > a")
    plain, same = LinkContextWriter(connection, HANDLE).of_links(columns(MENU, words))
    assert plain == same


def test_more_contexts_than_are_remembered(
    connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link_contexts, "_MAX_KNOWN", 2)
    monkeypatch.setattr(link_contexts, "_MAX_LOADED", 1)
    paths = [f"a:nth({number % 5})" for number in range(20)]
    contexts = columns(*(("link", "footer", "", path) for path in paths))
    ids = []
    for _ in range(2):
        writer = LinkContextWriter(connection, HANDLE)
        for _ in range(2):
            ids += writer.of_links(contexts)
            writer.flush()
    shown = stored(connection)
    assert [shown[context_id] for context_id in ids] == [
        ("link", "footer", None, path) for path in paths * 4
    ]


SHOWN = """
SELECT d.url, m.position, m.source, m.region, m.anchor, m.rel, m.path FROM further_mentions AS m
JOIN documents AS d ON d.id = m.document_id ORDER BY d.url, m.position
"""


def shown(database: Database) -> list[tuple[Any, ...]]:
    with database.reading() as connection:
        return [tuple(row) for row in connection.execute(text(SHOWN))]


def context_count(database: Database) -> int:
    with database.reading() as connection:
        return int(connection.execute(text("SELECT count(*) FROM link_contexts")).scalar_one())


HOME = Link("/", "Home", "header", element="header > a")
A_HOME = ("https://example.com/a", 1, "link", "header", "Home", None, "header > a")
A_IMPRINT = ("https://example.com/a", 2, "link", "footer", "Imprint", "nofollow", "footer > a")


def crawl(database: Database, *, anchor: str = "Imprint") -> Crawling:
    crawling = Crawling(database)
    crawling.start()
    crawling.visit("/", "/a", "/imprint")
    imprint = Link("/imprint", anchor, "footer", rel="nofollow", element="footer > a")
    crawling.visit("/a", HOME, imprint)
    return crawling


def test_a_mention_shows_how_it_contexts(database: Database) -> None:
    crawl(database).end()
    assert shown(database) == [A_HOME, A_IMPRINT]


def test_a_second_crawl_renews_what_a_mention_shows(database: Database) -> None:
    crawl(database, anchor="Legal").end()
    crawl(database).end()
    assert shown(database) == [A_HOME, A_IMPRINT]


def test_entries_of_sitemaps_share_a_context(database: Database) -> None:
    one = "https://example.com/one"
    maps = [f"https://example.com/{name}.xml" for name in "abc"]
    for _ in range(2):
        scan(database, {sitemap: [one, one] for sitemap in maps})
        assert {row[2:] for row in shown(database)} == {("sitemap", None, None, None, None)}
        assert len(shown(database)) == 5
        assert context_count(database) == 1


def test_contexts_that_were_undone_are_stored_with_the_next_mention(database: Database) -> None:
    crawling = Crawling(database)
    crawling.start()
    crawling.visit("/", "/a", "/imprint")

    def break_off() -> None:
        with crawling.writer.together():
            crawling.visit("/a", HOME)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        break_off()
    assert context_count(database) == 0
    with crawling.writer.together():
        crawling.visit("/a", HOME)
    assert shown(database) == [A_HOME]
    crawling.writer.close()


def test_a_scan_that_goes_on_finds_its_contexts(database: Database) -> None:
    crawling = crawl(database)
    crawling.end(ScanStatus.PARTIAL)
    crawling.writer = ScanWriter(database)
    crawling.writer.resume(crawling.handle.scan_id)
    crawling.visit("/imprint", HOME)
    crawling.end()
    assert len(shown(database)) == 3
    assert context_count(database) == 2


# Twelve of these links, one of the other site, two of the pages that second scans merge.
@pytest.mark.parametrize(("limit", "kept"), [(1, 5), (100, 15)])
def test_many_contexts_that_no_mention_has_any_more_are_removed(
    database: Database, monkeypatch: pytest.MonkeyPatch, limit: int, kept: int
) -> None:
    monkeypatch.setattr(link_contexts, "_MAX_LOADED", limit)
    other = Crawling(database, site="other.example")
    other.start()
    other.visit("/", "/a", "/a")
    other.end()
    for number in range(3):
        crawling = Crawling(database)
        crawling.start()
        crawling.visit("/", "/a")
        crawling.visit("/a", *(Link("/", element=f"a#{number}-{each}") for each in range(4)))
        crawling.end()
    assert [row[6] for row in shown(database)] == ["main > a", *(f"a#2-{n}" for n in range(4))]
    assert context_count(database) == kept
