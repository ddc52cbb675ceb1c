"""One job: its scan in a child, cancelled, killed, resumed, and what follows from it."""

from __future__ import annotations

import os
import signal
import socket
import sqlite3
import threading
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select, update

from sitecrawl.dive.dive_jobs import get_dive, start_dive
from sitecrawl.dive.search import search
from sitecrawl.errors import ConflictError
from sitecrawl.monitor.runner import JobRunner, RetryRule
from sitecrawl.services.jobs import cancel_job, get_job, list_jobs, retry_job
from sitecrawl.services.scan_process import start_scan
from sitecrawl.services.scans import ScanRequest
from sitecrawl.services.sites import NewSite, SiteEdit, add_site, edit_site, get_site, scanned_site
from sitecrawl.store import schema as t
from sitecrawl.store.engine import open_database
from sitecrawl.store.processes import process_token
from sitecrawl.store.queries.page_filter import PageFilter
from sitecrawl.store.writers.jobs import claim_job, note_log, register_worker
from tests.site.build import robots, sitemap
from tests.site.reply import Reply
from tests.store.scanning import Scanning

if TYPE_CHECKING:
    from sitecrawl.store.engine import Database
    from tests.site import SiteServer
    from tests.site.postgres import PostgresDatabases

RULE = RetryRule(retries=1, minutes=5)


@pytest.fixture
def runner(sqlite_database: Database, sqlite_url: str) -> JobRunner:
    return JobRunner(sqlite_database, sqlite_url, "me", RULE)


@pytest.fixture
def small_site(site: SiteServer) -> SiteServer:
    site.routes |= {
        "/": b"<h1>Home</h1>",
        "/robots.txt": robots("/sitemap.xml"),
        "/sitemap.xml": sitemap(site.at("/a"), site.at("/b")),
        "/a": b"<h1>A</h1>",
        "/b": b"<h1>B</h1>",
    }
    return site


def add(database: Database, url: str) -> int:
    return add_site(database, 1, NewSite(url, profile="monitor,fast", allow_private=True)).id


def scan_row(database: Database) -> tuple[str, int]:
    with database.reading() as connection:
        row = connection.execute(select(t.scans.c.status, t.scans.c.pid)).one()
    return row.status, row.pid


def wait_until_gone(pid: int) -> None:
    ends_at = time.monotonic() + 120
    while time.monotonic() < ends_at:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    raise AssertionError(f"process {pid} has not ended")


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_site_without_permission_is_not_connected_to_at_a_private_address(
    sqlite_database: Database, runner: JobRunner, small_site: SiteServer, host: str
) -> None:
    number = add(sqlite_database, small_site.url.replace("127.0.0.1", host))
    with sqlite_database.writing() as connection:
        connection.execute(update(t.watched_sites).values(allow_private=False))
    assert runner.scan(1) == "failed"
    assert small_site.log.requests() == []
    assert "SITECRAWL_ADDRESS_ALLOW" in (get_job(sqlite_database, 1, number).reason or "")


def test_what_the_machine_allows_is_connected_to(
    sqlite_database: Database, sqlite_url: str, small_site: SiteServer
) -> None:
    endpoint = small_site.url.removeprefix("http://").rstrip("/")
    runner = JobRunner(
        sqlite_database,
        sqlite_url,
        "me",
        RULE,
        machine_settings={"SITECRAWL_ADDRESS_ALLOW": (endpoint,)},
    )
    add_site(sqlite_database, 1, NewSite(small_site.url, profile="monitor,fast"), [endpoint])
    assert runner.scan(1) == "success"


def test_a_dive_is_fetched_read_and_searchable(
    sqlite_database: Database, runner: JobRunner, small_site: SiteServer
) -> None:
    text = b"<title>Bees</title><main><h1>Bees</h1><p>A hive has one queen and many workers."
    small_site.routes["/b"] = Reply(text, content_type="text/html")
    number = add(sqlite_database, small_site.url)
    runner.finish(1, runner.scan(1) or "")
    wanted = PageFilter(prefix=small_site.at("/b"))
    queued = start_dive(sqlite_database, 1, number, wanted)
    with pytest.raises(ConflictError, match="already"):
        start_dive(sqlite_database, 1, number)
    # Cancelled before a worker has it, then tried again.
    cancel_job(sqlite_database, 1, queued.job_id or 0)
    site = scanned_site(sqlite_database, 1, number)
    assert get_dive(sqlite_database, site, queued.id).status == "cancelled"
    again = retry_job(sqlite_database, 1, queued.job_id or 0)
    status = runner.scan(again.id)
    job = get_job(sqlite_database, 1, again.id)
    assert (status, job.reason, job.exit_code) == ("success", None, 0), job.log_tail
    assert runner.finish(again.id, "success")
    dive = get_dive(sqlite_database, site, queued.id)
    assert (dive.status, dive.counts["fetched"], dive.counts["embedded"]) == ("finished", 1, 1)
    # The scan that fetched the page is none of the inventory's.
    assert get_site(sqlite_database, 1, number).last_scan_id == 1
    [hit] = search(sqlite_database, site, "who lives in a hive")
    assert hit.passage.url == small_site.at("/b")


def test_a_job_runs_its_scan_and_what_follows(
    sqlite_database: Database, sqlite_url: str, small_site: SiteServer
) -> None:
    add(sqlite_database, small_site.url)
    followed: list[int] = []
    runner = JobRunner(
        *(sqlite_database, sqlite_url, "me", RULE),
        after_scan=(lambda _database, scan_id, _now: followed.append(scan_id),),
    )
    assert runner.scan(1) == "success"
    assert get_job(sqlite_database, 1, 1).status == "running"
    assert runner.finish(1, "success")
    job = get_job(sqlite_database, 1, 1)
    assert (job.status, job.scan_id, job.exit_code, job.worker) == ("success", 1, 0, "me")
    assert "Spider closed" in (job.log_tail or "")
    site = get_site(sqlite_database, 1, 1)
    assert (site.last_scan_id, site.last_scan_status, site.active_job_id) == (1, "finished", None)
    assert followed == [1]
    # Both may be called again, such as after a kill between the end and its record.
    assert runner.scan(1) is None
    assert not runner.finish(1, "success")


def test_the_log_can_be_read_while_the_scan_runs(
    sqlite_database: Database, runner: JobRunner, small_site: SiteServer
) -> None:
    is_over = threading.Event()
    small_site.routes["/sitemap.xml"] = Reply(sitemap(small_site.at("/a")), hold=is_over)
    add(sqlite_database, small_site.url)
    seen: list[str] = []

    def read() -> None:
        small_site.wait_for("/sitemap.xml")
        ends_at = time.monotonic() + 120
        while not seen and time.monotonic() < ends_at:
            job = get_job(sqlite_database, 1, 1)
            if job.log_tail and job.status == "running":
                seen.append(job.log_tail)
            is_over.wait(0.1)
        is_over.set()

    thread = threading.Thread(target=read)
    thread.start()
    assert runner.scan(1) == "success"
    thread.join()
    assert "Spider opened" in seen[0]
    assert "Spider closed" not in seen[0]
    with sqlite_database.writing() as connection:
        note_log(connection, 1, "another worker", "not its job")
    assert "Spider closed" in (get_job(sqlite_database, 1, 1).log_tail or "")


def test_a_cancelled_job_ends_its_child(
    sqlite_database: Database, runner: JobRunner, small_site: SiteServer
) -> None:
    is_over = threading.Event()
    small_site.routes["/sitemap.xml"] = Reply(sitemap(small_site.at("/a")), hold=is_over)
    add(sqlite_database, small_site.url)

    def cancel() -> None:
        small_site.wait_for("/sitemap.xml")
        cancel_job(sqlite_database, 1, 1)

    thread = threading.Thread(target=cancel)
    thread.start()
    status = runner.scan(1)
    thread.join()
    is_over.set()
    assert status == "cancelled"
    runner.finish(1, status)
    assert get_job(sqlite_database, 1, 1).status == "cancelled"
    assert scan_row(sqlite_database)[0] == "cancelled"
    assert len(list_jobs(sqlite_database, 1).rows) == 1, "nobody wants it tried again"


def test_a_scan_whose_process_is_killed_goes_on(
    sqlite_database: Database, runner: JobRunner, small_site: SiteServer
) -> None:
    answer, is_over = sitemap(small_site.at("/a")), threading.Event()
    small_site.routes["/sitemap.xml"] = [Reply(answer, hold=is_over), answer]
    add(sqlite_database, small_site.url)

    def kill() -> None:
        small_site.wait_for("/sitemap.xml")
        os.kill(scan_row(sqlite_database)[1], signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    status = runner.scan(1)
    thread.join()
    is_over.set()
    assert status == "success"
    job = get_job(sqlite_database, 1, 1)
    assert (job.scan_id, job.restarts) == (1, 1)
    assert scan_row(sqlite_database)[0] == "finished"


def test_a_job_goes_on_when_the_database_comes_back(
    postgres_server: PostgresDatabases, postgres_tables_url: str, small_site: SiteServer
) -> None:
    answer, is_over = sitemap(small_site.at("/a")), threading.Event()
    small_site.routes["/sitemap.xml"] = [Reply(answer, hold=is_over), answer]
    with open_database(postgres_tables_url) as database:
        add(database, small_site.url)

        def restart() -> None:
            small_site.wait_for("/sitemap.xml")
            pid = scan_row(database)[1]
            with postgres_server.away():
                is_over.set()
                wait_until_gone(pid)  # it cannot be written

        thread = threading.Thread(target=restart)
        thread.start()
        runner = JobRunner(database, postgres_tables_url, "me", RULE)
        status = runner.scan_or_fail(1)
        thread.join()
        job = get_job(database, 1, 1)
        assert (status, job.scan_id, job.restarts) == ("success", 1, 1), job
        assert scan_row(database)[0] == "finished"


def test_a_job_outlives_a_database_that_is_locked_for_long(
    sqlite_url: str, small_site: SiteServer, caplog: pytest.LogCaptureFixture
) -> None:
    with (
        open_database(sqlite_url, busy_timeout_seconds=0.1) as database,
        closing(
            sqlite3.connect(sqlite_url.removeprefix("sqlite:///"), check_same_thread=False)
        ) as other,
    ):
        add(database, small_site.url)

        def follow(_database: Database, _scan_id: int, _now: datetime) -> None:
            other.execute("BEGIN IMMEDIATE")
            threading.Timer(1.0, other.rollback).start()

        runner = JobRunner(database, sqlite_url, "me", RULE, after_scan=(follow,))
        status = runner.scan_or_fail(1) or ""
        assert runner.finish(1, status)
        assert get_job(database, 1, 1).status == "success"
    assert caplog.text.count("end waits for the database") == 1


def test_the_result_of_a_killed_worker_is_taken(database: Database) -> None:
    add(database, "https://example.com")
    with database.writing() as connection:
        claim_job(connection, 1, "dead", None, datetime.now(UTC))
    Scanning(database, "example.com").finish()
    runner = JobRunner(database, "", "me", RULE)
    assert runner.scan(1) == "success"
    job = get_job(database, 1, 1)
    assert (job.worker, job.scan_id, job.restarts) == ("me", 1, 1)


def test_a_job_of_a_worker_that_lives_is_left_to_it(database: Database) -> None:
    add(database, "https://example.com")
    values = {
        "name": "other",
        "hostname": socket.gethostname(),
        "pid": os.getpid(),
        "process_token": process_token(),
        "is_scheduler": False,
        "capacity": 1,
        "is_draining": False,
        "tags": [],
    }
    with database.writing() as connection:
        register_worker(connection, values, datetime.now(UTC))
        claim_job(connection, 1, "other", None, datetime.now(UTC))
    runner = JobRunner(database, "", "me", RULE)
    assert runner.scan(1) is None
    assert not runner.finish(1, "success")
    assert get_job(database, 1, 1).worker == "other"


def test_a_failed_job_is_tried_again_by_rule(database: Database) -> None:
    add(database, "https://example.com")
    runner = JobRunner(database, "", "me", RULE)
    for _ in range(2):
        job = list_jobs(database, 1).rows[0]
        with database.writing() as connection:
            claim_job(connection, job.id, "me", None, datetime.now(UTC))
        runner.finish(job.id, "failed")
    retry, first = list_jobs(database, 1).rows
    assert (first.status, retry.status, retry.trigger) == ("failed", "failed", "retry")
    assert (retry.retry_of, retry.attempt, retry.kind) == (first.id, 2, "discover")
    assert retry.not_before is not None
    assert timedelta(minutes=4) < retry.not_before - retry.queued_at <= timedelta(minutes=5)


def test_what_fails_after_the_scan_fails_the_job(database: Database) -> None:
    def broken(_database: Database, _scan_id: int, _now: datetime) -> None:
        raise RuntimeError("no such luck")

    add(database, "https://example.com")
    Scanning(database, "example.com").finish()
    with database.writing() as connection:
        claim_job(connection, 1, "me", None, datetime.now(UTC))
        connection.execute(update(t.jobs).values(scan_id=1))
    JobRunner(database, "", "me", RULE, after_scan=(broken,)).finish(1, "success")
    job = get_job(database, 1, 1)
    assert (job.status, job.reason) == ("failed", "after the scan: no such luck")


def test_a_site_that_was_switched_off_is_skipped(database: Database) -> None:
    number = add(database, "https://example.com")
    edit_site(database, 1, number, SiteEdit(enabled=False))
    assert JobRunner(database, "", "me", RULE).scan(1) == "skipped"


def test_a_site_that_somebody_else_scans_is_skipped(
    sqlite_database: Database, sqlite_url: str, runner: JobRunner, small_site: SiteServer
) -> None:
    is_over = threading.Event()
    small_site.routes["/sitemap.xml"] = Reply(sitemap(small_site.at("/a")), hold=is_over)
    add(sqlite_database, small_site.url)
    by_hand = ScanRequest(domain=small_site.url, profile="monitor,fast", database=sqlite_url)
    with start_scan(by_hand):
        status = runner.scan(1)
    is_over.set()
    assert status == "skipped"
    assert (get_job(sqlite_database, 1, 1).reason or "").startswith("skipped_overlap: scan 1")
