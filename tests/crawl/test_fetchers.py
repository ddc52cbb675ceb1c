"""One site on several processes: the same list and the same why, whoever dies; the pace holds."""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING

import pytest

from tests.crawl.many_hosts import (
    GAP_SECONDS,
    HOSTS,
    NAMES,
    PATIENCE_SECONDS,
    SETTINGS,
    Crawled,
    asked_pages,
    fetchers_of,
    site_of_hosts,
)
from tests.downloader.measuring import TOLERANCE
from tests.site.leases import ending_leases
from tests.site.log import gaps
from tests.site.project import Project, crawl_command

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

    from tests.site import SiteServer
    from tests.site.postgres import PostgresDatabases

FAILS_ONCE = "/p5"
only_linux = pytest.mark.skipif(sys.platform != "linux", reason="finds child processes in /proc")


@pytest.fixture(scope="module")
def expected(
    postgres_server: PostgresDatabases, tmp_path_factory: pytest.TempPathFactory
) -> Crawled:
    """What one process makes of the site."""
    with postgres_server.fresh_with_tables() as url, site_of_hosts(FAILS_ONCE) as server:
        project = Project.in_folder(tmp_path_factory.mktemp("alone"), url)
        project.crawl(root(server), settings=SETTINGS).succeeded()
        assert len(asked_pages(server)) > 40
        found = Crawled.read(url, server.port)
    assert found.reasons > {"redirected", "other_canonical", "blocked_by_robots", "soft_404"}
    assert any('"duplicate_of": "http' in story for story in found.why.values())
    return found


def root(server: SiteServer) -> str:
    return f"http://{HOSTS[0]}:{server.port}/"


def assert_pace(server: SiteServer) -> None:
    """By the log of the server, whichever process has asked."""
    for host in HOSTS:
        own = [each for each in server.requests() if each.host == f"{host}:{server.port}"]
        assert min(gaps(own)) >= GAP_SECONDS - TOLERANCE, host


@only_linux
def test_kill_9_of_any_process_changes_nothing_and_the_pace_holds(
    postgres_server: PostgresDatabases, tmp_path: Path, expected: Crawled
) -> None:
    settings = {**SETTINGS, "SITECRAWL_FETCHERS": 2}
    given = [f"{name}={value}" for name, value in settings.items()]
    options = [option for each in given for option in ("-s", each)]
    resume = (sys.executable, "-m", "scrapy", "crawl", "discover", "-a", "resume=1", *options)
    with postgres_server.fresh_with_tables() as url, site_of_hosts(FAILS_ONCE) as server:
        project = Project.in_folder(tmp_path, url)
        process = project.start(*crawl_command(root(server), settings=settings))
        for pages in (12, 36):
            try:
                kill_a_fetcher_after(pages, server, process)
                wait_for_pages(pages + 12, server)
            finally:
                process.kill()
                process.communicate()
            process = project.start(*resume)
        said, _ = process.communicate(timeout=PATIENCE_SECONDS)
        assert process.returncode == 0, said
        assert Crawled.read(url, server.port) == expected
        assert_pace(server)


def wait_for_pages(number: int, server: SiteServer) -> None:
    server.log.wait_for(lambda _: len(asked_pages(server)) > number, PATIENCE_SECONDS)


def kill_a_fetcher_after(pages: int, server: SiteServer, scan: subprocess.Popen[str]) -> None:
    wait_for_pages(pages, server)
    os.kill(fetchers_of(scan)[0], signal.SIGKILL)


def test_what_is_under_way_when_a_lease_ends_is_asked_again(
    postgres_server: PostgresDatabases, tmp_path: Path, expected: Crawled
) -> None:
    settings = {
        **SETTINGS,
        **ending_leases(),
        "SITECRAWL_FETCHERS": 1,
        "SITECRAWL_ROBOTS_CACHE_SECONDS": 0,  # so the fetcher asks for every robots.txt again
    }
    with postgres_server.fresh_with_tables() as url, site_of_hosts(FAILS_ONCE) as server:
        project = Project.in_folder(tmp_path, url)
        project.crawl(root(server), settings=settings).succeeded()
        assert Crawled.read(url, server.port) == expected


@only_linux
def test_the_fetch_command_takes_over_from_a_process_that_hangs(
    postgres_server: PostgresDatabases, tmp_path: Path, expected: Crawled
) -> None:
    settings = {**SETTINGS, "SITECRAWL_FETCHERS": 1}
    with postgres_server.fresh_with_tables() as url, site_of_hosts(FAILS_ONCE) as server:
        project = Project.in_folder(tmp_path, url)
        scan = project.start(*crawl_command(root(server), settings=settings))
        try:
            server.log.wait_for(lambda _: len(asked_pages(server)) > 5, PATIENCE_SECONDS)
            [hanging] = fetchers_of(scan)
            os.kill(hanging, signal.SIGSTOP)
            options = (f"{name}={value}" for name, value in NAMES.items())
            given = (option for each in options for option in ("-s", each))
            fetch = project.start(sys.executable, "-m", "sitecrawl", "fetch", "1", *given)
            try:
                every = len(expected.visited)
                server.log.wait_for(
                    lambda _: len(set(asked_pages(server))) >= every, PATIENCE_SECONDS
                )
                os.kill(hanging, signal.SIGCONT)  # what it has under way, it cannot write
                scan.communicate(timeout=PATIENCE_SECONDS)
                fetch.communicate(timeout=PATIENCE_SECONDS)
            finally:
                fetch.kill()
                fetch.communicate()
        finally:
            scan.kill()
            scan.communicate()
        assert (scan.returncode, fetch.returncode) == (0, 0)
        assert Crawled.read(url, server.port) == expected


def test_fetchers_need_postgresql(tmp_path: Path) -> None:
    project = Project.in_folder(tmp_path)
    refused = project.crawl("http://127.0.0.1:9/", settings={"SITECRAWL_FETCHERS": 2})
    assert refused.returncode
    assert "SITECRAWL_FETCHERS=2: fetchers need PostgreSQL" in refused.output
