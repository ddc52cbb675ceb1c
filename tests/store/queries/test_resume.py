"""Which scan can go on."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import update

from sitecrawl.items import FetchOutcome
from sitecrawl.store.errors import ScanNotResumableError, ScanRunningError
from sitecrawl.store.processes import DEAD_AFTER_SECONDS, ORPHAN_DEAD_AFTER_SECONDS
from sitecrawl.store.queries.resume import find_dead_scans, load_resumption, newest_unfinished_scan
from sitecrawl.store.queries.scans import scan_by_id
from sitecrawl.store.schema import scans
from sitecrawl.store.vocabulary import ScanStatus
from sitecrawl.store.writers.scan_writer import ScanWriter
from tests.store.crawling import Crawling, Link, address
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
    assert chosen(database) is None


def test_a_failed_scan_that_has_read_a_page_can_go_on(database: Database) -> None:
    crawling = Crawling(database)
    crawling.start()
    crawling.visit("/")
    crawling.writer.finish(ScanStatus.FAILED)
    assert chosen(database) == crawling.handle.scan_id


def test_a_failed_scan_that_has_read_no_page_cannot(database: Database) -> None:
    crawling = Crawling(database)
    crawling.start()
    crawling.visit("/", status=None, outcome=FetchOutcome.UNREACHABLE)
    crawling.writer.finish(ScanStatus.FAILED)
    assert chosen(database) is None


def test_the_newest_that_is_partial_or_interrupted(database: Database) -> None:
    scan(database, {}, ScanStatus.INTERRUPTED, site="a.example")
    newer = scan(database, {}, ScanStatus.PARTIAL, site="b.example")
    scan(database, {}, site="c.example")
    assert chosen(database) == newer


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
    _leave_alone(database)
    find_dead_scans(database)
    assert chosen(database) == scanning.handle.scan_id
    found = scan_by_id(database, scanning.handle.scan_id)
    assert found is not None
    assert found.status == ScanStatus.INTERRUPTED


class TestJobsOfScrapyd:
    """Scrapyd calls a job finished whose process died: nobody else says that it failed."""

    def test_a_crash_is_a_failure_that_can_go_on(self, database: Database) -> None:
        scanning = self._dead(database)
        shown = scan_by_id(database, scanning.handle.scan_id)
        assert shown is not None
        find_dead_scans(database)
        stored = scan_by_id(database, scanning.handle.scan_id)
        assert stored is not None
        for found in (shown, stored):
            assert found.status == ScanStatus.FAILED
            assert found.reason is not None
            assert found.reason.startswith("its process died: Scrapyd job monday, process ")
            assert found.reason.endswith(f"; sitecrawl resume {found.id} goes on")
        assert chosen(database) == stored.id

    @pytest.mark.parametrize(
        ("job", "status"), [("", ScanStatus.INTERRUPTED), ("tuesday", ScanStatus.FAILED)]
    )
    def test_the_job_is_that_of_who_went_on(
        self, database: Database, job: str, status: ScanStatus
    ) -> None:
        first = self._dead(database)
        writer = ScanWriter(database)
        writer.resume(first.handle.scan_id, job=job)
        writer.commit()
        writer.close()
        _leave_alone(database)
        found = scan_by_id(database, first.handle.scan_id)
        assert found is not None
        assert found.settings.get("job", "") == job
        assert found.status == status

    def test_one_that_died_after_it_went_on_can_go_on_again(self, database: Database) -> None:
        first = Scanning(database, settings={"job": "monday"})
        first.writer.finish(ScanStatus.PARTIAL, summary={"pages": 1})
        writer = ScanWriter(database)
        writer.resume(first.handle.scan_id, job="tuesday")
        writer.commit()
        writer.close()
        _leave_alone(database)
        find_dead_scans(database)
        assert chosen(database) == first.handle.scan_id

    def _dead(self, database: Database) -> Scanning:
        scanning = Scanning(database, settings={"job": "monday"})
        scanning.writer.commit()
        scanning.writer.close()
        _leave_alone(database)
        return scanning


def _leave_alone(database: Database) -> None:
    long_ago = datetime.now(UTC) - timedelta(seconds=DEAD_AFTER_SECONDS + 1)
    with database.writing() as connection:
        connection.execute(update(scans).values(heartbeat_at=long_ago))


def test_a_scan_on_another_host_is_given_less_time_if_its_worker_is_dead(
    database: Database,
) -> None:
    scanning = Scanning(database)
    scanning.writer.commit()
    scanning.writer.close()
    lately = datetime.now(UTC) - timedelta(seconds=ORPHAN_DEAD_AFTER_SECONDS + 1)
    with database.writing() as connection:
        connection.execute(update(scans).values(heartbeat_at=lately, hostname="another-host"))
    find_dead_scans(database)
    assert chosen(database) is None, "it may be busy"
    find_dead_scans(database, orphan_id=scanning.handle.scan_id)
    assert chosen(database) == scanning.handle.scan_id


MAP = "https://example.com/sitemap.xml"


@pytest.fixture
def crawling(database: Database) -> Crawling:
    crawling = Crawling(database)
    crawling.start()
    return crawling


class TestState:
    def test_the_frontier_comes_back_in_the_order_of_finding(
        self, database: Database, crawling: Crawling
    ) -> None:
        crawling.visit("/", "/a", Link("/x/9", held_under="/x/{n}"), "/b", fingerprint=5)
        crawling.visit("/a")
        crawling.end(ScanStatus.PARTIAL)
        state = load_resumption(database, crawling.handle)
        assert [(visit.url, visit.number, visit.outcome) for visit in state.visits] == [
            (address("/"), 1, "ok"),
            (address("/a"), 2, "ok"),
            (address("/x/9"), None, None),
            (address("/b"), 3, None),
        ]
        assert (state.visits[0].fingerprint, state.visits[0].is_productive) == (5, True)
        assert (state.last_number, state.visited) == (3, 2)
        assert state.root_url == address("/")

    def test_every_page_that_was_stored_is_known(
        self, database: Database, crawling: Crawling
    ) -> None:
        crawling.list_in_sitemap("/a", "/b")
        crawling.visit("/", "/a", "/c")
        crawling.end(ScanStatus.PARTIAL)
        state = load_resumption(database, crawling.handle)
        paths = ("/", "/a", "/b", "/c")
        assert {*state.seen_ids} == {crawling.page_id(address(path)) for path in paths}
        assert len(state.seen_ids) == len(paths)

    def test_pages_of_earlier_scans_are_not(self, database: Database, crawling: Crawling) -> None:
        crawling.visit("/", "/gone")
        crawling.end()
        second = Crawling(database)
        second.start()
        second.visit("/", "/a")
        second.end(ScanStatus.PARTIAL)
        state = load_resumption(database, second.handle)
        assert crawling.page_id(address("/gone")) not in state.seen_ids
        assert [visit.url for visit in state.visits] == [address("/"), address("/a")]

    def test_an_empty_scan_has_nothing(self, database: Database) -> None:
        scanning = Scanning(database)
        scanning.finish(ScanStatus.PARTIAL)
        state = load_resumption(database, scanning.handle)
        assert (state.seen_ids, list(state.visits), state.last_number, state.visited) == (
            ([], [], 0, 0)
        )

    def test_what_was_counted_is_counted_on(self, database: Database, crawling: Crawling) -> None:
        crawling.list_in_sitemap("/a", "/b")
        crawling.visit("/", "/a", Link("/cart", refused=("skipped_path", "/cart")))
        crawling.end(ScanStatus.PARTIAL)
        stats = load_resumption(database, crawling.handle).stats
        assert stats["sitecrawl/pages/listed"] == 3
        assert stats["sitecrawl/pages/source/sitemap"] == 2
        assert stats["sitecrawl/pages/refused/skipped_path"] == 1
        assert stats["sitecrawl/pages/in_sitemaps"] == 2
        assert stats["sitecrawl/crawl/visited"] == 1
        assert stats["sitecrawl/documents/outcome/ok"] == 2

    def test_what_was_not_sent_is_not_counted(self, database: Database) -> None:
        scanning = Scanning(database)
        scanning.fetched(scanning.document(MAP), FetchOutcome.OVER_BUDGET)
        scanning.finish(ScanStatus.PARTIAL)
        stats = load_resumption(database, scanning.handle).stats
        assert not [name for name in stats if name.startswith("sitecrawl/documents/")]

    @pytest.mark.parametrize(
        ("outcome", "facts", "is_read"),
        [
            (FetchOutcome.OK, {"complete": True}, True),
            (FetchOutcome.OK, {"complete": False, "truncated": True}, False),
            (FetchOutcome.OK, {"complete": False}, False),
            (FetchOutcome.NOT_FOUND, {}, True),
            (FetchOutcome.HTTP_ERROR, {}, False),
            (FetchOutcome.OVER_BUDGET, {}, False),
        ],
        ids=["read", "cut by a limit", "died in it", "absent", "failed", "not sent"],
    )
    def test_maps_that_need_not_be_read_again(
        self, database: Database, outcome: FetchOutcome, facts: dict[str, bool], is_read: bool
    ) -> None:
        scanning = Scanning(database)
        parent = scanning.document(MAP)
        scanning.document(f"{MAP}?1", parent_id=parent, position=1, found_by="another sitemap")
        scanning.fetched(parent, outcome, **facts)
        scanning.finish(ScanStatus.PARTIAL)
        found = load_resumption(database, scanning.handle).read_maps
        expected = {MAP: [(f"{MAP}?1", "another sitemap")]} if is_read else {}
        assert {url: list(children) for url, children in found.items()} == expected


class TestReopening:
    @pytest.mark.parametrize("status", [ScanStatus.PARTIAL, ScanStatus.INTERRUPTED])
    def test_a_scan_keeps_its_number_and_runs_again(
        self, database: Database, status: ScanStatus
    ) -> None:
        first = Scanning(database)
        first.writer.finish(status, "stopped", {"pages": 1})
        writer = ScanWriter(database)
        handle = writer.resume(first.handle.scan_id)
        assert (handle.scan_id, handle.seed) == (first.handle.scan_id, first.handle.seed)
        running = scan_by_id(database, handle.scan_id)
        assert running is not None
        assert (running.status, running.reason, running.finished_at) == ("running", None, None)
        with pytest.raises(ScanRunningError):
            ScanWriter(database).resume(first.handle.scan_id)
        writer.finish(ScanStatus.FINISHED)

    def test_it_knows_the_scan_before_it(self, database: Database) -> None:
        before = Scanning(database)
        before.list_pages(MAP, [address("/a")])
        before.finish()
        second = Scanning(database)
        second.finish(ScanStatus.PARTIAL)
        writer = ScanWriter(database)
        handle = writer.resume(second.handle.scan_id)
        assert (handle.previous_scan_id, handle.has_pages) == (before.handle.scan_id, True)
        writer.finish(ScanStatus.FINISHED)

    def test_not_one_that_does_not_exist(self, database: Database) -> None:
        with pytest.raises(ScanNotResumableError, match="no scan 7"):
            ScanWriter(database).resume(7)

    def test_not_one_that_has_ended(self, database: Database) -> None:
        scanning = Scanning(database)
        scanning.finish()
        with pytest.raises(ScanNotResumableError, match="has ended"):
            ScanWriter(database).resume(scanning.handle.scan_id)

    def test_not_one_after_which_another_was_made(self, database: Database) -> None:
        first = Scanning(database)
        first.finish(ScanStatus.PARTIAL)
        second = Scanning(database)
        second.finish(ScanStatus.PARTIAL)
        with pytest.raises(ScanNotResumableError, match=f"scan {second.handle.scan_id} has gone"):
            ScanWriter(database).resume(first.handle.scan_id)

    def test_a_refused_one_is_left_as_it_was(self, database: Database) -> None:
        scanning = Scanning(database)
        scanning.finish()
        before = scan_by_id(database, scanning.handle.scan_id)
        with pytest.raises(ScanNotResumableError):
            ScanWriter(database).resume(scanning.handle.scan_id)
        assert scan_by_id(database, scanning.handle.scan_id) == before
