"""Whatever ends a scan, the database stays readable and the person is told what happened."""

from __future__ import annotations

import functools
import resource
import signal
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.site import Reply
from tests.site.build import page, robots, sitemap
from tests.site.project import CrawlResult, ProcessResult, crawl_command
from tests.stages.stored import scan, scan_ids, summary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.site import SiteServer
    from tests.site.project import Project

ENOUGH: dict[str, object] = {"SITECRAWL_MIN_SITEMAP_URLS": 1}
END_SECONDS = 60.0
"""Generous for a busy machine, and far below the 30 s of a fetch that never answers."""


@pytest.fixture
def held_site(site: SiteServer) -> Iterator[SiteServer]:
    """A site of which one map is read and the other never answers."""
    release = threading.Event()
    site.routes.update(
        {
            "/robots.txt": robots("/good.xml", "/held.xml"),
            "/good.xml": sitemap("/a", "/b"),
            "/held.xml": Reply(sitemap("/late"), hold=release),
        }
    )
    yield site
    release.set()


class Running:
    """A crawl that a test ends midway."""

    def __init__(self, project: Project, site: SiteServer, settings: dict[str, object]) -> None:
        self._project = project
        self._command = crawl_command(site.url, settings={**ENOUGH, **settings})
        self.process = project.start(*self._command)

    def end(self) -> CrawlResult:
        output, _ = self.process.communicate(timeout=END_SECONDS)
        feed = self._project.folder / "urls.jsonl"
        rows = feed.read_text().splitlines() if feed.exists() else []
        return CrawlResult(
            command=self._command,
            returncode=self.process.returncode,
            stdout="",
            stderr=output,
            database=self._project.database,
            feed=feed,
            rows=[{"line": row} for row in rows],
        )


@pytest.fixture
def start(project: Project, held_site: SiteServer) -> Iterator[Callable[..., Running]]:
    """Starts a crawl and waits until both maps were asked for and one was read."""
    started: list[Running] = []

    def begin(**settings: object) -> Running:
        running = Running(project, held_site, settings)
        started.append(running)
        held_site.wait_for("/held.xml", timeout_seconds=120)
        held_site.log.wait_for(
            lambda entries: any(e.path == "/good.xml" and e.status == 200 for e in entries)
        )
        return running

    yield begin
    for running in started:
        running.process.kill()
        running.process.wait()
        if running.process.stdout is not None:
            running.process.stdout.close()


class TestKill:
    def test_kill_9_leaves_a_readable_database_and_the_next_scan_completes(
        self, start: Callable[..., Running], held_site: SiteServer, project: Project
    ) -> None:
        running = start()
        _wait_until_stored(project)
        running.process.send_signal(signal.SIGKILL)
        killed = running.end()
        assert killed.returncode == -signal.SIGKILL
        assert killed.query("PRAGMA integrity_check") == [("ok",)]
        assert killed.query("SELECT status FROM scans") == [("running",)]
        stored = [url for (url,) in killed.query("SELECT url FROM pages ORDER BY number")]
        assert stored == [held_site.at("/a"), held_site.at("/b")]

        held_site.routes["/held.xml"] = sitemap("/late")
        done = project.crawl(held_site.url, settings=ENOUGH).succeeded()
        rows = done.query("SELECT status, reason FROM scans ORDER BY id")
        assert [status for status, _ in rows] == ["interrupted", "finished"]
        assert str(running.process.pid) in rows[0][1]
        assert sorted(done.urls) == [held_site.at(path) for path in ("/a", "/b", "/late")]
        assert done.query("SELECT count(*), count(DISTINCT id) FROM pages") == [(3, 3)]


def _wait_until_stored(project: Project) -> None:
    """What is read is committed with the heartbeat, every few seconds."""
    deadline = threading.Event()
    for _ in range(200):
        with closing(sqlite3.connect(f"file:{project.database}?mode=ro", uri=True)) as connection:
            if connection.execute("SELECT count(*) FROM pages").fetchone()[0]:
                return
        deadline.wait(0.1)
    raise AssertionError("nothing was committed")


class TestStop:
    def test_ctrl_c_ends_politely_with_what_there_is(
        self, start: Callable[..., Running], held_site: SiteServer
    ) -> None:
        running = start()
        running.process.send_signal(signal.SIGINT)
        stopped = running.end()
        assert stopped.returncode == 3
        assert scan(stopped) == ("partial", "stopped by the user")
        assert "stopped by the user" in stopped.stderr
        assert "2 URLs" in stopped.stderr
        assert "Traceback" not in stopped.stderr
        assert len(stopped.rows) == 2
        assert held_site.at("/a") in stopped.feed.read_text()
        stages = {each["stage"]: each["ended"] for each in summary(stopped)["stages"]}
        assert "stopped" in stages["sitemaps"]

    def test_ctrl_c_works_while_the_scan_waits_politely(
        self, start: Callable[..., Running], held_site: SiteServer, project: Project
    ) -> None:
        """Between two requests, half a minute apart, nothing is under way."""
        held_site.routes["/robots.txt"] = robots("/good.xml", "/second.xml")
        held_site.routes["/second.xml"] = sitemap("/c")
        running = Running(project, held_site, {"DOWNLOAD_DELAY": 1, "RANDOMIZE_DOWNLOAD_DELAY": 0})
        held_site.log.wait_for(
            lambda entries: any(e.path == "/" and e.status for e in entries), timeout_seconds=120
        )
        running.process.send_signal(signal.SIGINT)
        stopped = running.end()
        assert stopped.returncode == 3
        assert scan(stopped)[0] == "partial"
        assert "Traceback" not in stopped.stderr

    def test_a_page_that_waits_for_its_retry_is_asked_again_on_resume(
        self, site: SiteServer, project: Project
    ) -> None:
        site.routes["/"] = page("Home", "/a")
        site.routes["/a"] = [Reply(b"Broken", status=500), page("A", "/b")]
        site.routes["/b"] = page("B")
        crawl: dict[str, object] = {"SITECRAWL_CRAWL": "always"}
        running = Running(project, site, {**crawl, "SITECRAWL_RETRY_BACKOFF_SECONDS": 10})
        site.log.wait_for(
            lambda entries: any(e.path == "/a" and e.status for e in entries), timeout_seconds=120
        )
        running.process.send_signal(signal.SIGINT)
        assert scan(running.end()) == ("partial", "stopped by the user")

        resume = project.start(
            *(sys.executable, "-m", "scrapy", "crawl", "discover", "-a", "resume=1"),
            *("-s", "SITECRAWL_CRAWL=always"),
        )
        output, _ = resume.communicate(timeout=END_SECONDS)
        assert resume.returncode == 0, output
        with closing(sqlite3.connect(project.database)) as connection:
            urls = connection.execute("SELECT url FROM pages ORDER BY number").fetchall()
        assert urls == [(site.at(path),) for path in ("/", "/a", "/b")]

    def test_sigterm_is_as_polite(self, start: Callable[..., Running]) -> None:
        running = start()
        running.process.terminate()
        stopped = running.end()
        assert stopped.returncode == 3
        assert scan(stopped)[0] == "partial"

    def test_the_time_limit_ends_a_slow_scan_as_partial(
        self, start: Callable[..., Running]
    ) -> None:
        stopped = start(SITECRAWL_MAX_SCAN_MINUTES=0.1).end()
        assert stopped.returncode == 3
        status, reason = scan(stopped)
        assert status == "partial"
        assert "SITECRAWL_MAX_SCAN_MINUTES" in reason
        assert reason in stopped.stderr
        assert len(stopped.rows) == 2
        assert "Traceback" not in stopped.stderr


def assert_told(done: ProcessResult, *words: str) -> None:
    """The run failed, and said why, once and without a traceback."""
    assert done.returncode == 1, done.output
    assert "Traceback" not in done.output
    for word in words:
        assert word in done.stderr, word
    assert done.stderr.count(words[0]) == 1, done.stderr


class TestDatabase:
    def test_a_missing_folder_is_said(self, site: SiteServer, project: Project) -> None:
        done = project.crawl(
            site.url, environment={"SITECRAWL_DATABASE_URL": "sqlite:////nowhere/at/all.db"}
        )
        assert_told(done, "does not exist", "/nowhere/at")
        assert site.paths() == [], "nobody is asked for what cannot be stored"

    def test_another_file_is_not_touched(self, site: SiteServer, project: Project) -> None:
        project.database.write_text("my diary\n" * 1_000)
        done = project.crawl(site.url)
        assert_told(done, "not an SQLite database", str(project.database))
        assert project.database.read_text() == "my diary\n" * 1_000

    def test_an_unreachable_server_is_said_without_its_password(
        self, site: SiteServer, project: Project
    ) -> None:
        url = "postgresql://me:s3cret@127.0.0.1:1/sitecrawl"
        done = project.crawl(site.url, environment={"SITECRAWL_DATABASE_URL": url})
        assert_told(done, "no connection", "127.0.0.1:1")
        assert site.paths() == []
        assert "s3cret" not in done.output

    def test_a_locked_file_is_said(self, site: SiteServer, project: Project) -> None:
        site.routes.update({"/robots.txt": robots("/map.xml"), "/map.xml": sitemap("/a")})
        project.crawl(site.url, settings=ENOUGH).succeeded()
        asked = len(site.paths())
        with closing(sqlite3.connect(project.database, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            done = project.crawl(site.url, settings={"SITECRAWL_DATABASE_WAIT_SECONDS": 0.2})
            other.execute("ROLLBACK")
        assert_told(done, "another process has been holding it")
        assert len(scan_ids(done)) == 1
        assert len(site.paths()) == asked, "nobody is asked for what cannot be stored"

    def test_a_scan_that_finds_its_file_locked_is_resumed_without_a_number(
        self, start: Callable[..., Running], held_site: SiteServer, project: Project
    ) -> None:
        running = start(SITECRAWL_DATABASE_WAIT_SECONDS=0.2)
        with closing(sqlite3.connect(project.database, isolation_level=None, timeout=60)) as other:
            other.execute("BEGIN IMMEDIATE")
            done = running.end()
            other.execute("ROLLBACK")
        assert_told(done, "another process has been holding it", "sitecrawl resume 1")
        assert not done.rows, "half a scan is no feed"
        held_site.routes["/held.xml"] = sitemap("/late")
        command = (sys.executable, "-m", "sitecrawl", "resume", "-s", "RETRY_TIMES=0")
        again = project.run(*command).succeeded()
        assert again.query("SELECT id, status FROM scans") == [(1, "finished")]
        assert again.query("SELECT count(*) FROM pages WHERE source = 'sitemap'") == [(3,)]

    def test_a_full_disk_is_said_and_what_was_stored_is_kept(
        self, site: SiteServer, project: Project
    ) -> None:
        site.routes["/robots.txt"] = robots("/map.xml")  # read once, and kept for the next scans
        site.routes["/map.xml"] = sitemap("/a")
        first = project.crawl(site.url, settings=ENOUGH).succeeded()
        site.routes["/map.xml"] = sitemap(*(f"/{n}/{'x' * 200}" for n in range(20_000)))
        command = crawl_command(site.url, settings={**ENOUGH, "SITECRAWL_KEEP_BODIES": 0})
        limit = 1_500_000
        done = subprocess.run(
            command,
            cwd=project.folder,
            env=project.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
            preexec_fn=functools.partial(resource.setrlimit, resource.RLIMIT_FSIZE, (limit, limit)),
        )
        told = replace(first, returncode=done.returncode, stdout=done.stdout, stderr=done.stderr)
        assert_told(told, "the disk", str(project.database), "sitecrawl resume 2")
        assert told.query("PRAGMA integrity_check") == [("ok",)]
        assert told.query("SELECT count(*) FROM pages WHERE url = ?", site.at("/a")) == [(1,)]

        resumed = project.run(sys.executable, "-m", "sitecrawl", "resume").succeeded()
        assert resumed.query("SELECT id, status FROM scans ORDER BY id")[1:] == [(2, "finished")]
        assert resumed.query("SELECT count(*) FROM pages WHERE source = 'sitemap'") == [(20_001,)]
