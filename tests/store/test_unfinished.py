"""Which scan can go on."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from sqlalchemy import update

from sitecrawl.items import FetchOutcome
from sitecrawl.store.queries import scan_by_id
from sitecrawl.store.scan_register import DEAD_AFTER_SECONDS
from sitecrawl.store.tables import scans
from sitecrawl.store.unfinished import find_dead_scans, newest_unfinished_scan
from sitecrawl.store.vocabulary import ScanStatus
from tests.store.crawling import Crawling
from tests.store.scanning import Scanning, scan

if TYPE_CHECKING:
    from sitecrawl.store.engine import Database


def chosen(database: Database) -> int | None:
    found = newest_unfinished_scan(database)
    return found.id if found else None


def test_an_empty_database_has_none(database: Database) -> None:
    assert chosen(database) is None


def test_scans_that_ended_are_none(database: Database) -> None:
    scan(database, {})
    scan(database, {}, ScanStatus.FAILED, site="b.example")
    assert chosen(database) is None


def test_the_newest_that_is_partial_or_interrupted(database: Database) -> None:
    scan(database, {}, ScanStatus.INTERRUPTED, site="a.example")
    newer = scan(database, {}, ScanStatus.PARTIAL, site="b.example")
    scan(database, {}, site="c.example")
    assert chosen(database) == newer


def test_a_failed_scan_that_has_read_a_page(database: Database) -> None:
    crawling = Crawling(database)
    crawling.start()
    crawling.visit("/")
    crawling.writer.finish(ScanStatus.FAILED)
    assert chosen(database) == crawling.handle.scan_id


def test_a_failed_scan_that_has_read_no_page(database: Database) -> None:
    crawling = Crawling(database)
    crawling.start()
    crawling.visit("/", outcome=FetchOutcome.UNREACHABLE)
    crawling.writer.finish(ScanStatus.FAILED)
    assert chosen(database) is None


def test_a_later_scan_of_the_site_has_gone_on(database: Database) -> None:
    other = scan(database, {}, ScanStatus.INTERRUPTED, site="a.example")
    scan(database, {}, ScanStatus.PARTIAL, site="b.example")
    scan(database, {}, site="b.example")
    assert chosen(database) == other


def test_a_scan_whose_process_is_gone_is_found(database: Database) -> None:
    scanning = Scanning(database)
    scanning.writer.commit()
    scanning.writer.close()
    find_dead_scans(database)
    assert chosen(database) is None, "this process is alive"
    long_ago = datetime.now(UTC) - timedelta(seconds=DEAD_AFTER_SECONDS + 1)
    with database.writing() as connection:
        connection.execute(update(scans).values(heartbeat_at=long_ago))
    find_dead_scans(database)
    assert chosen(database) == scanning.handle.scan_id
    found = scan_by_id(database, scanning.handle.scan_id)
    assert found is not None
    assert found.status == ScanStatus.INTERRUPTED
