"""What the processes of one crawl share: the budgets to the page, the hosts, the ledger."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

import psycopg

from tests.crawl.many_hosts import (
    GAP_SECONDS,
    HOSTS,
    NAMES,
    PATIENCE_SECONDS,
    SETTINGS,
    Crawled,
    asked_pages,
    ledger,
    site_of_hosts,
)
from tests.downloader.measuring import TOLERANCE
from tests.site.log import gaps
from tests.site.project import Project, crawl_command

if TYPE_CHECKING:
    from pathlib import Path

    from tests.site import SiteServer
    from tests.site.postgres import PostgresDatabases

LIMIT = 20


def root(server: SiteServer) -> str:
    return f"http://{HOSTS[0]}:{server.port}/"


def test_the_limit_of_the_crawl_holds_to_the_page(
    postgres_server: PostgresDatabases, tmp_path: Path
) -> None:
    settings = {**SETTINGS, "SITECRAWL_MAX_CRAWL_PAGES": LIMIT, "SITECRAWL_FETCHERS": 2}
    with postgres_server.fresh_with_tables() as url, site_of_hosts() as server:
        project = Project.in_folder(tmp_path, url)
        done = project.crawl(root(server), settings=settings).ended_in_part()
        # On a machine that is so busy that a lease comes to its end, a page may be asked for again.
        assert len(set(asked_pages(server))) == LIMIT
        assert len(Crawled.read(url, server.port).visited) == LIMIT
    assert "SITECRAWL_MAX_CRAWL_PAGES" in done.stderr


def test_the_budget_of_pages_holds_to_the_page_and_goes_to_the_first_of_the_crawl(
    postgres_server: PostgresDatabases, tmp_path: Path
) -> None:
    settings = {**SETTINGS, "SITECRAWL_MAX_PAGES": LIMIT, "SITECRAWL_FETCHERS": 2}
    with postgres_server.fresh_with_tables() as url, site_of_hosts() as server:
        project = Project.in_folder(tmp_path, url)
        done = project.crawl(root(server), settings=settings).ended_in_part()
        asked = asked_pages(server)
        visits = Crawled.read(url, server.port).visits
    assert len(asked) == LIMIT
    # As above: what is asked for again is a request, too.
    visited = [number for number, *rest in visits if rest[4]]
    assert visited == list(range(1, len(set(asked)) + 1))
    assert "the page limit was reached (SITECRAWL_MAX_PAGES)" in done.stderr
    assert f"pages not fetched: SITECRAWL_MAX_PAGES={LIMIT} can be raised" in done.stderr


def test_a_retry_counts_against_the_budget_of_pages(
    postgres_server: PostgresDatabases, tmp_path: Path
) -> None:
    settings = {**SETTINGS, "SITECRAWL_MAX_PAGES": LIMIT, "SITECRAWL_FETCHERS": 2}
    failing = [f"/p{number}" for number in range(1, 5)]
    with postgres_server.fresh_with_tables() as url, site_of_hosts(*failing) as server:
        Project.in_folder(tmp_path, url).crawl(root(server), settings=settings).ended_in_part()
        asked = asked_pages(server)
        assert len(asked) == LIMIT
        assert len(set(asked)) < LIMIT


def test_a_scan_that_goes_on_has_the_whole_budget_again(
    postgres_server: PostgresDatabases, tmp_path: Path
) -> None:
    settings = {**SETTINGS, "SITECRAWL_MAX_PAGES": LIMIT, "SITECRAWL_FETCHERS": 2}
    with postgres_server.fresh_with_tables() as url, site_of_hosts() as server:
        project = Project.in_folder(tmp_path, url)
        project.crawl(root(server), settings=settings).ended_in_part()
        given = [f"{name}={value}" for name, value in settings.items()]
        options = (option for each in given for option in ("-s", each))
        project.run(sys.executable, "-m", "sitecrawl", "resume", "1", *options).ended_in_part()
        assert len(asked_pages(server)) == 2 * LIMIT
        assert len(set(asked_pages(server))) > LIMIT


def test_the_time_of_the_scan_is_that_of_its_fetchers(
    postgres_server: PostgresDatabases, tmp_path: Path
) -> None:
    settings = {
        **SETTINGS,
        "DOWNLOAD_DELAY": 1,
        "SITECRAWL_MAX_SCAN_MINUTES": 0.3,
        "SITECRAWL_SITEMAP_PLACES": "/sitemap.xml",
        "SITECRAWL_FETCHERS": 2,
    }
    with postgres_server.fresh_with_tables() as url, site_of_hosts() as server:
        started = time.monotonic()
        project = Project.in_folder(tmp_path, url)
        done = project.crawl(root(server), settings=settings).ended_in_part()
        assert len(asked_pages(server)) > 1
        assert max(each.started for each in server.requests()) < started + 0.3 * 60 + 10
        last = max(each.started for each in server.requests())
        ended = _finished_at(url)
    assert "the time was up (SITECRAWL_MAX_SCAN_MINUTES)" in done.stderr
    assert ended >= last - started


def _finished_at(url: str) -> float:
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        statement = "SELECT extract(epoch FROM finished_at - started_at) FROM scans"
        row = connection.execute(statement).fetchone()
    assert row is not None
    return float(row[0])


def test_a_process_that_comes_late_gets_its_share_of_busy_hosts(
    postgres_server: PostgresDatabases, tmp_path: Path
) -> None:
    gap = 1.0
    settings = {
        **SETTINGS,
        "DOWNLOAD_DELAY": gap,
        "SITECRAWL_SITEMAP_PLACES": "/sitemap.xml",
        "SITECRAWL_FETCHERS": 1,
    }
    with postgres_server.fresh_with_tables() as url, site_of_hosts() as server:
        project = Project.in_folder(tmp_path, url)
        scan = project.start(*crawl_command(root(server), settings=settings))
        try:
            server.log.wait_for(lambda _: len(asked_pages(server)) > 5, PATIENCE_SECONDS)
            options = (f"{name}={value}" for name, value in NAMES.items())
            given = (option for each in options for option in ("-s", each))
            late = project.start(sys.executable, "-m", "sitecrawl", "fetch", "1", *given)
            try:
                said, _ = scan.communicate(timeout=PATIENCE_SECONDS)
                late.communicate(timeout=PATIENCE_SECONDS)
            finally:
                late.kill()
                late.communicate()
        finally:
            scan.kill()
            scan.communicate()
        assert (scan.returncode, late.returncode) == (0, 0), said
        told = ledger(url)
        for host in HOSTS:
            own = [each for each in server.requests() if each.host == f"{host}:{server.port}"]
            assert min(gaps(own)) >= gap - TOLERANCE, host
    requests = [fetcher["requests"] for fetcher in told["by_fetcher"]]
    assert len(requests) == 2
    assert min(requests) > 2
    assert told["requests"] == len(server.requests())


def test_the_ledger_has_what_every_process_sent(
    postgres_server: PostgresDatabases, tmp_path: Path
) -> None:
    settings = {**SETTINGS, "SITECRAWL_FETCHERS": 2}
    with postgres_server.fresh_with_tables() as url, site_of_hosts("/p5") as server:
        project = Project.in_folder(tmp_path, url)
        done = project.crawl(root(server), settings=settings).succeeded()
        logged, told = server.requests(), ledger(url)
    assert told["requests"] == len(logged)
    assert told["received_bytes"] == sum(each.body_bytes for each in logged)
    by_host = {host["host"]: host for host in told["by_host"]}
    for host in HOSTS:
        own = [each for each in logged if each.host == f"{host}:{server.port}"]
        [figures] = [found for name, found in by_host.items() if name.startswith(f"{host}:")]
        assert figures["requests"] == len(own)
        assert sum(figures["statuses"].values()) == len(own)
        assert figures["smallest_gap_seconds"] >= GAP_SECONDS - TOLERANCE
    assert sum(host["statuses"].get("500", 0) for host in told["by_host"]) == 1
    assert len(told["by_fetcher"]) == 2
    assert f"cost       {len(logged)} requests, " in done.stderr
