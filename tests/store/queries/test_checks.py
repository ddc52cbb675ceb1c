from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from sqlalchemy import select, text, update

from sitecrawl.items import FetchOutcome
from sitecrawl.store.queries.checks import due_pages, last_check
from sitecrawl.store.queries.scans import scan_by_id
from sitecrawl.store.schema import page_presence, pages, visits
from sitecrawl.store.writers.records import VisitRecord
from tests.store.scanning import FAILED, UNCHANGED, Scanning, page_id, scan

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sitecrawl.store.engine import Database

MAP = "https://example.com/sitemap.xml"
IMPORTANT, USUAL = "https://example.com/pricing", "https://example.com/a/b/c/d/e/f-2021"


def checks_of_next_scan(
    database: Database,
    limit: int,
    documents: dict[str, Sequence[str] | FetchOutcome] | None = None,
) -> list[tuple[str, str]]:
    """URL and cause of what one more scan would check, and does."""
    scanning = Scanning(database)
    documents = {MAP: UNCHANGED} if documents is None else documents
    scanning.name(documents)
    for url, content in documents.items():
        if isinstance(content, FetchOutcome):
            scanning.fetched(scanning.document(url), content)
        else:
            scanning.fetched(scanning.list_pages(url, content), entries=len(content))
    writer = scanning.writer
    writer.choose_checks(limit, lambda urls: [True] * len(urls))
    writer.choose_checks(limit, lambda urls: [True] * len(urls))  # of a scan that goes on
    for visit in writer.waiting_visits(0, limit + 1, are_checks=True):
        document = scanning.document(visit.url, kind="page", found_by="a check")
        writer.finish_visit(VisitRecord(visit.number, FetchOutcome.OK, document))
    scanning.finish()
    own = (visits.c.scan_id == scanning.handle.scan_id) & visits.c.outcome.is_not(None)
    chosen = select(visits.c.url, visits.c.checked_for).where(own).order_by(visits.c.number)
    with database.reading() as connection:
        return [(url, cause) for url, cause in connection.execute(chosen)]


def test_each_tenth_of_priority_doubles_how_often(database: Database) -> None:
    scan(database, {MAP: [USUAL, IMPORTANT]})
    priorities = "SELECT max(priority) - min(priority) FROM classes"
    with database.reading() as connection:
        difference = connection.execute(text(priorities)).scalar_one()
    assert difference > 0.25
    turns = Counter(checks_of_next_scan(database, 1)[0][0] for _ in range(24))
    assert turns.keys() == {IMPORTANT, USUAL}
    assert turns[IMPORTANT] / turns[USUAL] >= 4


def test_a_page_that_is_missing_unlisted_or_unknown_is_checked_again_soon(
    database: Database,
) -> None:
    others = [f"https://example.com/{number}" for number in range(5)]
    scan(database, {MAP: [USUAL, *others]})
    gone = checks_of_next_scan(database, 2, {MAP: others})
    assert gone[0] == (USUAL, "missing")
    assert gone[1] == (others[0], "rotation")
    scan(database, {MAP: UNCHANGED})
    state = {"page_id": page_id(USUAL), "site_id": 1, "state": "unknown", "since_scan_id": 2}
    with database.writing() as connection:
        connection.execute(page_presence.insert().values(**state, scans=1, flaps=0, evidence={}))
    found = checks_of_next_scan(database, 2)
    assert found[0] == (USUAL, "missing")
    assert found[1][1] == "rotation"
    with database.writing() as connection:
        connection.execute(update(page_presence).values(state="unlisted"))
    assert (USUAL, "rotation") in checks_of_next_scan(database, 9)
    with database.writing() as connection:
        connection.execute(update(page_presence).values(state="removed"))
        connection.execute(update(pages).values(checked_scan_id=None))
    assert USUAL not in [url for url, _ in checks_of_next_scan(database, 9)]


def test_a_document_that_was_not_read_hides_nothing(database: Database) -> None:
    scan(database, {MAP: [USUAL, IMPORTANT]})
    found = checks_of_next_scan(database, 2, {MAP: FAILED})
    assert {cause for _, cause in found} == {"rotation"}


def test_an_address_that_is_a_sitemap_is_not_checked(database: Database) -> None:
    scan(database, {MAP: [USUAL, MAP]})
    assert checks_of_next_scan(database, 5) == [(USUAL, "rotation")]


def test_the_last_check_is_the_newest_visit_that_was_made(database: Database) -> None:
    scan(database, {MAP: [USUAL]})
    assert last_check(database, page_id(USUAL)) is None
    checks_of_next_scan(database, 1)
    scan(database, {MAP: UNCHANGED})
    last = last_check(database, page_id(USUAL))
    assert last is not None
    assert (last.scan_id, last.cause, last.outcome) == (2, "rotation", "ok")


def test_pages_of_another_site_are_left_alone(database: Database) -> None:
    scan(database, {MAP: [USUAL]})
    other = "https://example.org/a"
    scan(database, {"https://example.org/map.xml": [other]}, site="example.org")
    newest = scan_by_id(database, 2)
    assert newest is not None
    with database.reading() as connection:
        assert [page.url for page in due_pages(connection, newest, 9)] == [other]
