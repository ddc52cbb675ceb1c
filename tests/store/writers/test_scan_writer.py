"""The life of a scan: one at a time per site, and what is left when its process is gone."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import text, update

from sitecrawl.items import DocumentKind
from sitecrawl.store.engine import open_database
from sitecrawl.store.errors import (
    DatabaseLockedError,
    DatabaseReadOnlyError,
    DatabaseUnavailableError,
    KeyRulesChangedError,
    ScanLostError,
    ScanRunningError,
)
from sitecrawl.store.processes import DEAD_AFTER_SECONDS
from sitecrawl.store.queries.documents import evidence
from sitecrawl.store.queries.scans import scan_by_id, scans, site_for
from sitecrawl.store.schema import scans as scan_table
from sitecrawl.store.vocabulary import ScanStatus
from sitecrawl.store.writers import scan_writer
from sitecrawl.store.writers.records import DocumentRecord
from tests.store.scanning import SITE, Scanning, current_scan, inventory, scan

if TYPE_CHECKING:
    from sitecrawl.store.engine import Database

A = "https://example.com/a.xml"
URLS = [f"https://example.com/{number}" for number in range(3000)]


def change_scan(database: Database, scan_id: int, **values: Any) -> None:
    with database.writing() as connection:
        connection.execute(update(scan_table).where(scan_table.c.id == scan_id).values(**values))


class TestBegin:
    def test_what_was_asked_is_recorded(self, database: Database) -> None:
        scanning = Scanning(
            database, asked="Example.COM", profile="audit", settings={"MAX": 5}, key_rules={"a": 1}
        )
        scanning.writer.set_root("https://www.example.com/")
        scanning.writer.finish(ScanStatus.PARTIAL, "stopped by the user", {"pages": 3})
        recorded = scan_by_id(database, scanning.handle.scan_id)
        assert recorded is not None
        assert (recorded.asked, recorded.profile, recorded.settings) == (
            "Example.COM",
            "audit",
            {"MAX": 5},
        )
        assert (recorded.status, recorded.reason) == (ScanStatus.PARTIAL, "stopped by the user")
        assert (recorded.summary, recorded.root_url) == ({"pages": 3}, "https://www.example.com/")
        assert recorded.finished_at is not None
        assert timedelta(0) <= recorded.finished_at - recorded.started_at < timedelta(minutes=1)
        assert recorded.started_at.tzinfo is UTC
        site = site_for(database, SITE)
        assert site is not None
        assert (site.root_url, site.key_rules) == ("https://www.example.com/", {"a": 1})

    def test_a_site_keeps_its_seed(self, database: Database) -> None:
        seeds = []
        for site in (SITE, SITE, "other.example"):
            scanning = Scanning(database, site)
            seeds.append(scanning.handle.seed)
            scanning.finish()
        assert seeds[0] == seeds[1] != seeds[2]
        assert all(0 <= seed < 2**63 for seed in seeds)

    def test_the_handle_tells_of_earlier_scans(self, database: Database) -> None:
        first = Scanning(database)
        assert (first.handle.previous_scan_id, first.handle.has_pages) == (None, False)
        first.list_pages(A, URLS[:1])
        first.finish()
        second = Scanning(database)
        assert second.handle.previous_scan_id == first.handle.scan_id
        assert second.handle.has_pages

    def test_other_key_rules_are_refused(self, database: Database) -> None:
        Scanning(database, key_rules={"fold_www": True}).finish()
        with pytest.raises(KeyRulesChangedError, match=r"'fold_www': True.*'fold_www': False"):
            Scanning(database, key_rules={"fold_www": False})
        Scanning(database, key_rules={"fold_www": True}).finish()


class TestOneAtATime:
    def test_a_second_scan_of_a_site_is_refused(self, database: Database) -> None:
        first = Scanning(database)
        with pytest.raises(ScanRunningError, match=rf"process {os.getpid()} on .*wait for it"):
            Scanning(database)
        first.finish()
        Scanning(database).finish()

    def test_another_site_is_not(self, database: Database) -> None:
        first, second = Scanning(database), Scanning(database, "other.example")
        first.list_pages(A, URLS[:2])
        first.writer.commit()
        second.list_pages("https://other.example/s.xml", ["https://other.example/"])
        second.finish()
        first.finish()
        assert inventory(database) == URLS[:2]
        assert inventory(database, "other.example") == ["https://other.example/"]

    @pytest.mark.parametrize(
        "gone",
        [
            {"pid": 2**22 + 1, "process_token": "of a process that is gone"},
            {"process_token": "of an earlier process with our number"},
            {"heartbeat_at": datetime.now(UTC) - timedelta(seconds=DEAD_AFTER_SECONDS + 1)},
        ],
        ids=["no such process", "same number", "not heard of"],
    )
    def test_a_dead_scan_is_marked_and_does_not_hinder(
        self, database: Database, gone: dict[str, Any]
    ) -> None:
        dead = Scanning(database)
        dead.writer.close()
        change_scan(database, dead.handle.scan_id, **gone)
        Scanning(database).finish()
        found = scan_by_id(database, dead.handle.scan_id)
        assert found is not None
        assert found.status == ScanStatus.INTERRUPTED
        assert found.reason is not None
        assert "ended without a word" in found.reason

    @pytest.mark.parametrize(
        "alive",
        [
            {"pid": os.getppid(), "process_token": "of another process"},
            {"hostname": "another-host", "pid": 2**22 + 1, "process_token": "over there"},
        ],
        ids=["another process", "another host"],
    )
    def test_a_live_scan_elsewhere_hinders(self, database: Database, alive: dict[str, Any]) -> None:
        live = Scanning(database)
        live.writer.close()
        change_scan(database, live.handle.scan_id, **alive)
        with pytest.raises(ScanRunningError):
            Scanning(database)

    def test_a_scan_that_was_given_up_notices(self, database: Database) -> None:
        slow = Scanning(database)
        long_ago = datetime.now(UTC) - timedelta(seconds=DEAD_AFTER_SECONDS + 1)
        change_scan(database, slow.handle.scan_id, heartbeat_at=long_ago)
        Scanning(database).finish()
        with pytest.raises(ScanLostError, match="run it again"):
            slow.writer.heartbeat()

    def test_a_scan_that_another_process_goes_on_with_notices(self, database: Database) -> None:
        slow = Scanning(database)
        change_scan(database, slow.handle.scan_id, process_token="of who goes on")
        with pytest.raises(ScanLostError):
            slow.writer.heartbeat()
        with pytest.raises(ScanLostError):
            slow.finish()


class TestCommit:
    def test_many_rows_are_committed_by_themselves(
        self, database: Database, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(scan_writer, "COMMIT_ROWS", 1000)
        scanning = Scanning(database)
        scanning.list_pages(A, URLS[:999])
        assert inventory(database) == []
        scanning.list_pages(A, URLS[999:1001])
        assert len(inventory(database)) == 1001

    def test_old_work_is_committed_by_the_next_write(
        self, database: Database, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        scanning = Scanning(database)
        monkeypatch.setattr(scan_writer, "COMMIT_SECONDS", -1.0)
        scanning.list_pages(A, URLS[:1])
        assert inventory(database) == URLS[:1]

    def test_a_heartbeat_commits(self, database: Database) -> None:
        scanning = Scanning(database)
        before = scans(database)[0].heartbeat_at
        scanning.list_pages(A, URLS[:1])
        scanning.writer.heartbeat()
        assert inventory(database) == URLS[:1]
        assert scans(database)[0].heartbeat_at >= before

    def test_an_error_undoes_only_what_was_not_committed(self, database: Database) -> None:
        scanning = Scanning(database)
        scanning.list_pages(A, URLS[:2], titles={0: "One"})
        scanning.writer.commit()
        scanning.list_pages(A, URLS[2:4], lastmods=["", "2026-01-01"])
        with pytest.raises(ValueError, match="not a plain word"):
            scanning.list_pages(A, URLS[4:6], source="'; DROP TABLE pages; --")
        document_id = scanning.list_pages(A, URLS[6:8], languages=["de", "en"])
        scanning.fetched(document_id)
        scanning.finish()
        assert inventory(database) == [*URLS[:2], *URLS[6:8]]

    def test_a_database_that_turns_read_only_is_said(self, sqlite_database: Database) -> None:
        scanning = Scanning(sqlite_database)
        scanning.list_pages(A, URLS[:2])
        scanning.writer.commit()
        assert scanning.writer._connection is not None
        driver = scanning.writer._connection.connection.driver_connection
        assert driver is not None
        driver.execute("PRAGMA query_only = ON")
        with pytest.raises(DatabaseReadOnlyError):
            scanning.list_pages(A, URLS[2:4])
        driver.execute("PRAGMA query_only = OFF")
        scanning.finish(ScanStatus.FAILED)
        assert scans(sqlite_database)[0].status == ScanStatus.FAILED
        assert inventory(sqlite_database) == URLS[:2]

    def test_a_writer_without_a_scan_says_so(self, database: Database) -> None:
        scanning = Scanning(database)
        scanning.finish()
        with pytest.raises(RuntimeError, match="no scan under way"):
            scanning.writer.commit()


def test_evidence_is_kept_with_its_document(database: Database) -> None:
    scanning = Scanning(database)
    document_id = scanning.document(A)
    scanning.writer.add_evidence("robots_txt", "User-agent: *", metadata={"bytes": 13})
    scanning.writer.add_evidence("sitemap_fetch", "", document_id=document_id, confidence=0.5)
    scanning.finish()
    robots, fetch = evidence(database, scanning.handle.scan_id)
    assert (robots.type, robots.content, robots.metadata) == (
        "robots_txt",
        "User-agent: *",
        {"bytes": 13},
    )
    assert (fetch.document_url, fetch.confidence) == (A, 0.5)
    assert evidence(database, scanning.handle.scan_id, "sitemap_fetch") == [fetch]


WRITE_UNTIL_KILLED = """
import sys
from sitecrawl.store.engine import open_database
from tests.store.scanning import Scanning
database = open_database(sys.argv[1])
scanning = Scanning(database)
for number in range(200):
    urls = [f"https://example.com/{number * 25 + each}" for each in range(25)]
    scanning.list_pages("https://example.com/a.xml", urls)
    if number % 3 == 0:
        scanning.writer.commit()
        print(number * 25 + 25, flush=True)
scanning.finish()
"""


@pytest.mark.parametrize("round_", range(6))
def test_kill_9_leaves_what_was_committed(database_url: str, round_: int) -> None:
    """Twice in a row, at other points each time, then a scan to the end."""
    chance = random.Random(round_)
    for attempt in range(2):
        committed = kill_after(chance.randrange(1, 60), database_url)
        with open_database(database_url) as database:
            newest = scans(database)[0]
            assert newest.status == ScanStatus.INTERRUPTED
            stored = inventory(database)
        assert len(stored) >= committed
        assert len(set(stored)) == len(stored)
        assert attempt == 0 or newest.id > 1
    with open_database(database_url) as database:
        scan(database, {A: URLS})
        assert sorted(inventory(database)) == sorted(URLS)
        ended = [each.status for each in scans(database)]
        assert ended == [ScanStatus.FINISHED, ScanStatus.INTERRUPTED, ScanStatus.INTERRUPTED]
        if database.is_sqlite:
            with database.reading() as connection:
                assert connection.execute(text("PRAGMA integrity_check")).scalar() == "ok"


def kill_after(lines: int, database_url: str) -> int:
    """Run the program until it has said so many lines, and give the last number it said."""
    root = Path(__file__).parents[3]
    with subprocess.Popen(
        [sys.executable, "-c", WRITE_UNTIL_KILLED, database_url],
        cwd=root,
        env=os.environ | {"PYTHONPATH": str(root)},
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        said = [int(process.stdout.readline()) for _ in range(lines)]
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    return said[-1]


def test_doubles_that_a_crash_may_leave_are_removed(sqlite_database: Database) -> None:
    scan(sqlite_database, {A: URLS[:3]})
    with sqlite_database.writing() as connection:
        connection.exec_driver_sql("DROP INDEX uq_pages_id")
        names = "id, site_id, document_id, seen_scan_id, first_scan_id, position, source"
        connection.exec_driver_sql(
            f"INSERT INTO pages ({names}, url) SELECT {names}, url || '#later' FROM pages"
        )
    assert len(inventory(sqlite_database)) == 6
    scanning = Scanning(sqlite_database)
    scanning.finish(ScanStatus.FAILED)
    assert current_scan(sqlite_database).status == ScanStatus.FINISHED
    assert inventory(sqlite_database) == URLS[:3]


def test_several_documents_are_stored_at_once_and_known_ones_keep_their_ids(
    database: Database,
) -> None:
    scanning = Scanning(database)
    first = scanning.document(A)
    records = [
        DocumentRecord(f"{A}?2", DocumentKind.PAGE, "a link", depth=1),
        DocumentRecord(A, DocumentKind.SITEMAP, "robots.txt line 1"),
        DocumentRecord(f"{A}?3", DocumentKind.SITEMAP, "another sitemap", parent_id=first),
    ]
    ids = scanning.writer.documents(records)
    assert ids[A] == first
    assert len(set(ids.values())) == len(records)
    assert scanning.writer.documents(records) == ids
    assert scanning.writer.documents([]) == {}
    scanning.finish()


class TestLostDatabase:
    """Each failure is one StoreError; nothing else is raised or logged."""

    def test_a_server_that_ends_the_connection(
        self, postgres_tables_url: str, caplog: pytest.LogCaptureFixture
    ) -> None:
        with open_database(postgres_tables_url) as database:
            scanning = Scanning(database)
            with database.writing() as connection:
                connection.exec_driver_sql(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
            with pytest.raises(DatabaseUnavailableError):
                scanning.list_pages(A, URLS[:2])
            # It can be reached again: the scan ends as failed, and can go on.
            scanning.finish(ScanStatus.FAILED)
        assert not [each for each in caplog.records if each.levelname in {"WARNING", "ERROR"}]

    def test_another_process_that_holds_the_file(
        self, sqlite_url: str, caplog: pytest.LogCaptureFixture
    ) -> None:
        with (
            open_database(sqlite_url, busy_timeout_seconds=0.05) as database,
            open_database(sqlite_url) as other,
        ):
            scanning = Scanning(database)
            with other.writing():
                with pytest.raises(DatabaseLockedError):
                    scanning.list_pages(A, URLS[:2])
                with pytest.raises(DatabaseLockedError):
                    scanning.writer.heartbeat()
                with pytest.raises(DatabaseLockedError):
                    scanning.finish()
        assert not [each for each in caplog.records if each.levelname in {"WARNING", "ERROR"}]
