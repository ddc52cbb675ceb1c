"""Scans in child processes, against a real server."""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import sqlite3
import sys
import textwrap
import threading
from typing import TYPE_CHECKING

import pytest

import sitecrawl
from sitecrawl.config import ConfigError
from sitecrawl.errors import ScanCrashedError, ScanFailedError
from sitecrawl.services.scan_process import ScanEventKind, start_scan
from sitecrawl.services.scans import ScanRequest, stop_scan
from sitecrawl.store.engine import open_database
from sitecrawl.store.errors import ScanRunningError
from sitecrawl.store.vocabulary import ScanStatus
from tests.site import Reply
from tests.site.build import page, robots, sitemap

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from sitecrawl.services.scan_process import ScanProgress
    from tests.site import SiteServer
    from tests.site.project import Project

# Of a sitemap: enough for several transactions of each scan.
MANY_PAGES = 40_000


@pytest.fixture
def database(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'inventory.db'}"


@pytest.fixture
def small_site(site: SiteServer) -> SiteServer:
    site.routes |= {
        "/robots.txt": robots(site.at("/sitemap.xml")),
        "/sitemap.xml": sitemap(site.at("/a"), site.at("/b")),
        "/": page("Home"),
    }
    return site


@pytest.fixture
def stuck_site(small_site: SiteServer) -> Iterator[SiteServer]:
    """Its sitemap is not answered before the test ends."""
    is_over = threading.Event()
    small_site.routes["/sitemap.xml"] = Reply(sitemap(small_site.at("/a")), hold=is_over)
    yield small_site
    is_over.set()


def test_a_scan_returns_what_it_came_to(small_site: SiteServer, database: str) -> None:
    for number in (1, 2):
        result = sitecrawl.discover(small_site.url, profile="fast", database=database)
        assert (result.scan_id, result.status) == (number, ScanStatus.FINISHED)
    assert result.site == small_site.at("/")
    assert result.pages == 3
    with sitecrawl.open_inventory(small_site.url, database=database) as inventory:
        assert sorted(each.url for each in inventory.pages()) == [
            small_site.at(path) for path in ("/", "/a", "/b")
        ]


def test_settings_are_those_of_the_call(small_site: SiteServer, database: str) -> None:
    result = sitecrawl.discover(
        small_site.url,
        profile="fast",
        database=database,
        settings={"SITECRAWL_MAX_SITEMAP_URLS": 1},
    )
    assert result.summary["truncated"][0]["setting"] == "SITECRAWL_MAX_SITEMAP_URLS"


def test_a_scan_runs_beside_an_event_loop(small_site: SiteServer, database: str) -> None:
    async def both() -> list[int]:
        first = await sitecrawl.adiscover(small_site.url, profile="fast", database=database)
        # As in a notebook, where a loop runs while a call blocks.
        second = sitecrawl.discover(small_site.url, profile="fast", database=database)
        return [first.scan_id, second.scan_id]

    assert asyncio.run(both()) == [1, 2]


def test_progress_and_events_are_told(stuck_site: SiteServer, database: str) -> None:
    reached: list[ScanProgress] = []
    request = ScanRequest(domain=stuck_site.url, profile="fast", database=database)
    with start_scan(request, reached.append) as handle:
        assert handle.id == 1
        assert handle.status() is ScanStatus.RUNNING
        events = handle.events()
        # On a busy machine an earlier stage may be told of first.
        told = next(each for each in events if each.data.get("stage") == "sitemaps")
        assert told.kind is ScanEventKind.PROGRESS
        handle.cancel()
        assert [event.kind for event in events][-1] is ScanEventKind.ENDED
    assert reached[0].scan_id == 1
    assert "sitemaps" in {each.stage for each in reached}
    assert handle.status() is ScanStatus.CANCELLED


def test_a_site_is_scanned_once_at_a_time(stuck_site: SiteServer, database: str) -> None:
    request = ScanRequest(domain=stuck_site.url, profile="fast", database=database)
    with start_scan(request), pytest.raises(ScanRunningError, match=r"scan 1 of .* is running"):
        start_scan(request)


def test_two_sites_are_scanned_into_one_file_while_it_is_read(
    make_site: Callable[..., SiteServer], database: str
) -> None:
    sites, have_started = [make_site(), make_site()], threading.Event()
    for each in sites:
        listed = sitemap(*(each.at(f"/{number}") for number in range(MANY_PAGES)))
        each.routes |= {
            "/robots.txt": robots(each.at("/sitemap.xml")),
            "/sitemap.xml": Reply(listed, hold=have_started),
            "/": page("Home"),
        }
    handles = [
        start_scan(ScanRequest(domain=each.url, profile="fast", database=database))
        for each in sites
    ]
    answers = 0
    with contextlib.ExitStack() as stack:
        for handle in handles:
            stack.enter_context(handle)
        have_started.set()
        while any(handle.status() is ScanStatus.RUNNING for handle in handles) or not answers:
            for each in sites:
                with sitecrawl.open_inventory(each.url, database=database) as inventory:
                    assert len(inventory.pages(sort="url").list(limit=10).pages) <= 10
                    assert inventory.count() <= MANY_PAGES + 1
                    answers += 1
        results = [handle.wait() for handle in handles]
    assert [each.pages for each in results] == [MANY_PAGES + 1] * 2
    assert {each.status for each in results} == {ScanStatus.FINISHED}


def test_what_is_cancelled_can_be_resumed(stuck_site: SiteServer, database: str) -> None:
    handle = start_scan(ScanRequest(domain=stuck_site.url, profile="fast", database=database))
    handle.cancel()
    assert handle.wait().status is ScanStatus.CANCELLED
    stuck_site.routes["/sitemap.xml"] = sitemap(stuck_site.at("/a"))
    resumed = start_scan(ScanRequest(resume=1, database=database)).wait()
    assert (resumed.scan_id, resumed.status) == (1, ScanStatus.FINISHED)


def test_another_process_can_stop_a_scan(stuck_site: SiteServer, database: str) -> None:
    with (
        start_scan(ScanRequest(domain=stuck_site.url, profile="fast", database=database)) as handle,
        open_database(database) as store,
    ):
        stop_scan(store, handle.id)
        assert handle.wait(60).status is ScanStatus.CANCELLED
        with pytest.raises(ConfigError, match=r"scan 1 of .* is not running: it is cancelled"):
            stop_scan(store, handle.id)


def test_what_keeps_a_scan_from_starting_is_the_same_error(database: str) -> None:
    with pytest.raises(ConfigError, match="no such profile"):
        sitecrawl.discover("example.com", profile="none", database=database)
    settings = {"SITECRAWL_MAX_CRAWL_PAGES": "many"}
    with pytest.raises(ConfigError, match="SITECRAWL_MAX_CRAWL_PAGES"):
        sitecrawl.discover("example.com", settings=settings, database=database)
    with pytest.raises(ConfigError, match="contains a space"):
        sitecrawl.discover("exam ple.com", database=database)


def test_a_site_that_cannot_be_read_is_an_error(
    make_site: Callable[..., SiteServer], database: str
) -> None:
    gone = make_site()
    gone.stop()
    with pytest.raises(ScanFailedError, match="refused the connection"):
        sitecrawl.discover(gone.url, profile="fast", database=database)


def test_a_crash_is_an_error_with_its_reason(stuck_site: SiteServer, database: str) -> None:
    handle = start_scan(ScanRequest(domain=stuck_site.url, profile="fast", database=database))
    handle.kill()
    with pytest.raises(ScanCrashedError, match="scan 1 ended with signal SIGKILL"):
        handle.wait()


def test_a_scan_ends_with_its_parent(
    stuck_site: SiteServer, project: Project, tmp_path: Path
) -> None:
    script = tmp_path / "parent.py"
    script.write_text(
        textwrap.dedent(f"""
            import sitecrawl
            handle = sitecrawl.start_scan({stuck_site.url!r}, profile="fast")
            print(handle.id, flush=True)
            handle.wait()
        """)
    )
    parent = project.start(sys.executable, str(script))
    assert parent.stdout is not None
    assert parent.stdout.readline() == "1\n"
    stuck_site.wait_for("/sitemap.xml")
    with sqlite3.connect(project.database) as connection:
        [(child,)] = connection.execute("SELECT pid FROM scans")
    parent.kill()
    parent.wait()
    parent.stdout.close()
    _wait_for_end(child)
    with sqlite3.connect(project.database) as connection:
        [(status,)] = connection.execute("SELECT status FROM scans")
    assert status == ScanStatus.INTERRUPTED


def _wait_for_end(pid: int) -> None:
    """Of a process that is no child of this one."""
    descriptor = os.pidfd_open(pid)
    try:
        ended, _, _ = select.select([descriptor], [], [], 60)
        assert ended, f"process {pid} is still there"
    finally:
        os.close(descriptor)
