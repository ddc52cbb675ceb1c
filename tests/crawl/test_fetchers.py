"""One site on several processes: the same list, the pace of each host, the limits to the page."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from tests.downloader.measuring import TOLERANCE
from tests.site import Reply, SiteServer
from tests.site.leases import ending_leases
from tests.site.log import gaps
from tests.site.names import names
from tests.site.project import Project, crawl_command

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator

    from tests.site.postgres import PostgresDatabases
    from tests.site.reply import Request

HOSTS = ("example.test", *(f"h{number}.example.test" for number in range(4)))
SOFT_404_HOST = HOSTS[2]  # answers 200 to everything
SORRY = b"<title>Oops</title><p>Sorry, there is nothing here. Perhaps it moved, or never was.</p>"
PAGES = 24
GAP_SECONDS = 0.05
_PATIENCE_SECONDS = 240.0
NAMES = names({host: [["127.0.0.1"]] for host in HOSTS})
SETTINGS = {
    "SITECRAWL_CRAWL": "always",
    "SITECRAWL_MAX_CRAWL_DEPTH": 0,
    "SITECRAWL_MAX_CRAWL_PAGES": 0,
    "SITECRAWL_SUBDOMAINS": True,
    "SITECRAWL_RENDER": "never",
    "SITECRAWL_ADDRESS_ALLOW": "127.0.0.0/8",
    "DOWNLOAD_DELAY": GAP_SECONDS,
    "DOWNLOAD_DELAY_JITTER": 0,
    **NAMES,
}
# All that two scans of the same site have to have in common; "why" is made of it.
_CONTENT = (
    """SELECT url, source, position, reason, rule, title, language, importance, region, anchor
    FROM pages ORDER BY url""",
    """SELECT number, url, clicks, found_by, redirected_from, outcome, reason, title, text_hash,
    family, is_productive FROM visits ORDER BY number, url""",
    """SELECT p.url, d.url, m.position, m.source, m.region, m.anchor FROM mentions AS m
    JOIN pages AS p ON p.id = m.page_id JOIN documents AS d ON d.id = m.document_id
    ORDER BY 1, 2, 3""",
    """SELECT d.url, v.allowed, v.reason FROM pages AS p JOIN verdicts AS v ON v.id = p.verdict_id
    JOIN documents AS d ON d.id = v.document_id ORDER BY p.url""",
)


@contextmanager
def site_of_hosts() -> Iterator[SiteServer]:
    """Every page links to pages of its own host and of others; some redirect, some are absent."""
    server, fails_once = SiteServer(), {"/p5"}

    def answer(request: Request) -> Reply:
        host, number = str(request.headers["Host"]).partition(":")[0], request.path[2:]
        if request.path in fails_once:
            fails_once.remove(request.path)
            return Reply(b"Something broke", status=500)
        is_page = request.path == "/" or number.isdecimal()
        if host == SOFT_404_HOST and (number == "3" or not is_page):
            is_robots = request.path == "/robots.txt"
            return Reply(SORRY, status=404 if is_robots else 200, content_type="text/html")
        if not is_page:
            return Reply(b"<h1>Not found</h1>", status=404, content_type="text/html")
        return _page(server.port, host, int(number or 0))

    server.routes["/*"] = answer
    with server:
        yield server


def _page(port: int, host: str, number: int) -> Reply:
    place = HOSTS.index(host)
    if number % 7 == 6:
        target = f"http://{HOSTS[number % len(HOSTS)]}:{port}/p{number - 1}"
        return Reply(status=301, headers={"Location": target})
    own = [f"/p{(number * 3 + step) % PAGES}" for step in (1, 2)]
    others = [
        f"http://{HOSTS[(place + step) % len(HOSTS)]}:{port}/p{(number * 5 + step) % PAGES}"
        for step in (1, 2, 3)
    ]
    links = "".join(f'<a href="{url}">link {row}</a>' for row, url in enumerate(own + others))
    words = f"words of page {number} at {host} " * (number + 1)
    body = f"<title>{number} at {host}</title><p>{words}</p>{links}"
    return Reply(body.encode(), content_type="text/html; charset=utf-8")


def content(url: str, port: int) -> list[list[tuple[Any, ...]]]:
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        return [
            [
                tuple(
                    value.replace(f":{port}", "") if isinstance(value, str) else value
                    for value in row
                )
                for row in connection.execute(statement)
            ]
            for statement in _CONTENT
        ]


def fetchers_of(process: subprocess.Popen[str]) -> list[int]:
    """The process ids of the children."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
    return [int(pid) for pid in children.split()]


def asked_pages(server: SiteServer) -> list[str]:
    """Host and path of the requests for pages of the site."""
    return [
        entry.host + entry.path
        for entry in server.requests()
        if entry.path == "/" or entry.path[2:].isdecimal()
    ]


@pytest.fixture(scope="module")
def expected(
    postgres_server: PostgresDatabases, tmp_path_factory: pytest.TempPathFactory
) -> list[list[tuple[Any, ...]]]:
    """What one process makes of the site."""
    with postgres_server.fresh_with_tables() as url, site_of_hosts() as server:
        project = Project.in_folder(tmp_path_factory.mktemp("alone"), url)
        project.crawl(f"http://{HOSTS[0]}:{server.port}/", settings=SETTINGS).succeeded()
        assert len(asked_pages(server)) > 40
        found = content(url, server.port)
    assert "soft_404" in [reason for *_, reason, _, _, _, _ in found[1]]
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="finds child processes in /proc")
def test_kill_9_of_any_process_changes_nothing_and_the_pace_holds(
    postgres_server: PostgresDatabases, tmp_path: Path, expected: list[list[tuple[Any, ...]]]
) -> None:
    settings = {**SETTINGS, "SITECRAWL_FETCHERS": 2}
    with postgres_server.fresh_with_tables() as url, site_of_hosts() as server:
        project = Project.in_folder(tmp_path, url)
        command = crawl_command(f"http://{HOSTS[0]}:{server.port}/", settings=settings)
        process = project.start(*command)
        try:
            server.log.wait_for(lambda _: len(asked_pages(server)) > 15, _PATIENCE_SECONDS)
            os.kill(fetchers_of(process)[0], signal.SIGKILL)
            server.log.wait_for(lambda _: len(asked_pages(server)) > 30, _PATIENCE_SECONDS)
        finally:
            process.kill()
            process.communicate()
        given = [f"{name}={value}" for name, value in settings.items()]
        resume = ("-m", "scrapy", "crawl", "discover", "-a", "resume=1")
        options = (option for each in given for option in ("-s", each))
        project.run(sys.executable, *resume, *options).succeeded()
        assert content(url, server.port) == expected
        for host in HOSTS:
            own = [each for each in server.requests() if each.host == f"{host}:{server.port}"]
            assert min(gaps(own)) >= GAP_SECONDS - TOLERANCE, host


def test_what_is_under_way_when_a_lease_ends_is_asked_again(
    postgres_server: PostgresDatabases, tmp_path: Path, expected: list[list[tuple[Any, ...]]]
) -> None:
    settings = {
        **SETTINGS,
        **ending_leases(),
        "SITECRAWL_FETCHERS": 1,
        "SITECRAWL_ROBOTS_CACHE_SECONDS": 0,  # so the fetcher asks for every robots.txt again
    }
    with postgres_server.fresh_with_tables() as url, site_of_hosts() as server:
        project = Project.in_folder(tmp_path, url)
        done = project.crawl(f"http://{HOSTS[0]}:{server.port}/", settings=settings).succeeded()
        assert content(url, server.port) == expected
    assert "without the requests of fetchers" in done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="finds child processes in /proc")
def test_the_fetch_command_takes_over_from_a_process_that_hangs(
    postgres_server: PostgresDatabases, tmp_path: Path, expected: list[list[tuple[Any, ...]]]
) -> None:
    settings = {**SETTINGS, "SITECRAWL_FETCHERS": 1}
    with postgres_server.fresh_with_tables() as url, site_of_hosts() as server:
        project = Project.in_folder(tmp_path, url)
        command = crawl_command(f"http://{HOSTS[0]}:{server.port}/", settings=settings)
        scan = project.start(*command)
        try:
            server.log.wait_for(lambda _: len(asked_pages(server)) > 5, _PATIENCE_SECONDS)
            [hanging] = fetchers_of(scan)
            os.kill(hanging, signal.SIGSTOP)
            options = (f"{name}={value}" for name, value in NAMES.items())
            given = (option for each in options for option in ("-s", each))
            fetch = project.start(sys.executable, "-m", "sitecrawl", "fetch", "1", *given)
            try:
                every = sum(1 for visit in expected[1] if visit[5])
                server.log.wait_for(
                    lambda _: len(set(asked_pages(server))) >= every, _PATIENCE_SECONDS
                )
                os.kill(hanging, signal.SIGCONT)  # what it has under way, it cannot write
                scan.communicate(timeout=_PATIENCE_SECONDS)
                fetch.communicate(timeout=_PATIENCE_SECONDS)
            finally:
                fetch.kill()
                fetch.communicate()
        finally:
            scan.kill()
            scan.communicate()
        assert (scan.returncode, fetch.returncode) == (0, 0)
        assert content(url, server.port) == expected


def test_the_limit_of_pages_holds_to_the_page(
    postgres_server: PostgresDatabases, tmp_path: Path
) -> None:
    settings = {**SETTINGS, "SITECRAWL_MAX_CRAWL_PAGES": 20, "SITECRAWL_FETCHERS": 2}
    with postgres_server.fresh_with_tables() as url, site_of_hosts() as server:
        project = Project.in_folder(tmp_path, url)
        done = project.crawl(f"http://{HOSTS[0]}:{server.port}/", settings=settings).ended_in_part()
        # On a machine that is so busy that a lease comes to its end, a page may be asked for again.
        assert len(set(asked_pages(server))) == 20
        [visits] = content(url, server.port)[1:2]
    assert [number for number, *rest in visits if rest[4]] == list(range(1, 21))
    assert "SITECRAWL_MAX_CRAWL_PAGES" in done.stderr


def test_fetchers_need_postgresql(tmp_path: Path) -> None:
    project = Project.in_folder(tmp_path)
    refused = project.crawl("http://127.0.0.1:9/", settings={"SITECRAWL_FETCHERS": 2})
    assert refused.returncode
    assert "SITECRAWL_FETCHERS=2: fetchers need PostgreSQL" in refused.output
