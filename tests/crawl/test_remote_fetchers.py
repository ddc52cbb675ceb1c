"""``sitecrawl fetch`` from another folder: it may die at any moment, and hosts may be split."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import psycopg

from tests.crawl.many_hosts import (
    HOSTS,
    NAMES,
    PATIENCE_SECONDS,
    SETTINGS,
    Crawled,
    asked_pages,
    ledger,
    site_of_hosts,
)
from tests.site import Reply, SiteServer
from tests.site.log import gaps
from tests.site.project import Project, crawl_command

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from tests.site.postgres import PostgresDatabases
    from tests.site.reply import Request

GAP_SECONDS = 1.0
SHORTEST_GAP = 0.9  # a server on a busy machine sees a request later than it was sent
SLOW = {**SETTINGS, "DOWNLOAD_DELAY": GAP_SECONDS, "SITECRAWL_SITEMAP_PLACES": "/sitemap.xml"}
LIMIT = 40
SHARDS = 3


def test_kill_9_of_a_remote_fetcher_changes_nothing_and_the_pace_holds(
    postgres_server: PostgresDatabases, tmp_path: Path
) -> None:
    alone, fast = tmp_path / "alone", {**SLOW, "DOWNLOAD_DELAY": 0}
    alone.mkdir()
    with postgres_server.fresh_with_tables() as url, site_of_hosts() as server:
        Project.in_folder(alone, url).crawl(root(server), settings=fast).succeeded()
        expected = Crawled.read(url, server.port)
    with postgres_server.fresh_with_tables() as url, site_of_hosts() as server:
        code, said = crawl_while_a_remote_fetcher_is_killed(tmp_path, url, server, SLOW)
        assert code == 0, said
        assert Crawled.read(url, server.port) == expected
        assert_pace(server)


def test_the_budget_holds_to_the_page_when_a_remote_fetcher_is_killed(
    postgres_server: PostgresDatabases, tmp_path: Path
) -> None:
    settings = {**SLOW, "SITECRAWL_MAX_PAGES": LIMIT}
    with postgres_server.fresh_with_tables() as url, site_of_hosts() as server:
        code, said = crawl_while_a_remote_fetcher_is_killed(tmp_path, url, server, settings)
        assert code == 3, said
        asked = asked_pages(server)
        visits = Crawled.read(url, server.port).visits
        assert_pace(server)
    # One of each host may have been taken from the budget and not sent when it died.
    assert LIMIT - len(HOSTS) <= len(asked) <= LIMIT
    # What it had under way was asked for again, and the budget goes to the first pages.
    visited = [number for number, *rest in visits if rest[4]]
    assert visited == list(range(1, len(set(asked)) + 1))
    assert f"pages not fetched: SITECRAWL_MAX_PAGES={LIMIT} can be raised" in said


def crawl_while_a_remote_fetcher_is_killed(
    folder: Path, url: str, server: SiteServer, settings: Mapping[str, object]
) -> tuple[int, str]:
    """Exit code and words of the scan; the fetcher dies while it has a host, and has asked it."""
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    command = crawl_command(root(server), settings={**settings, "SITECRAWL_FETCHERS": 1})
    scan = Project.in_folder(folder, url).start(*command)
    try:
        server.log.wait_for(lambda _: bool(asked_pages(server)), PATIENCE_SECONDS)
        given = (option for each in NAMES.items() for option in ("-s", "{}={}".format(*each)))
        fetch = (sys.executable, "-m", "sitecrawl", "fetch", "1", *given)
        remote = Project.in_folder(elsewhere, url).start(*fetch)
        try:
            before: dict[str, int] = {}

            def has_asked(_: object) -> bool:
                held = {name: requests_to(name, server) for name in queues_of(remote.pid, url)}
                asked = [name for name in held if held[name] > before.setdefault(name, held[name])]
                return bool(asked)

            server.log.wait_for(has_asked, PATIENCE_SECONDS)
        finally:
            remote.kill()
            remote.communicate()
        said, _ = scan.communicate(timeout=PATIENCE_SECONDS)
    finally:
        scan.kill()
        scan.communicate()
    return scan.returncode, said


def root(server: SiteServer) -> str:
    return f"http://{HOSTS[0]}:{server.port}/"


def queues_of(pid: int, url: str) -> list[str]:
    """The hosts that a process has the lease of."""
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        statement = "SELECT queue FROM host_queues WHERE holder LIKE %s AND expires_at > now()"
        return [queue for (queue,) in connection.execute(statement, (f"%/{pid}",))]


def requests_to(host: str, server: SiteServer) -> int:
    return sum(each.host == host for each in server.requests())


def assert_pace(server: SiteServer) -> None:
    """By the log of the server, whichever process has asked."""
    for host in HOSTS:
        own = [each for each in server.requests() if each.host == f"{host}:{server.port}"]
        assert min(gaps(own)) >= SHORTEST_GAP, host


@contextmanager
def site_of_one_host() -> Iterator[SiteServer]:
    """Pages in a tree, each linked from one other."""
    server = SiteServer()

    def answer(request: Request) -> Reply:
        number = int(request.path[2:] or 0) if request.path[2:].isdecimal() else None
        if number is None and request.path != "/":
            return Reply("<h1>Not found</h1>", status=404)
        below = [8 * (number or 0) + step for step in range(1, 9)]
        links = "".join(f"<a href=/p{page}>{page}</a>" for page in below if page < LIMIT)
        return Reply(f"<title>Page {number}</title><p>{f'Page {number}. ' * 30}</p>{links}")

    server.routes["/*"] = answer
    with server:
        yield server


def test_a_host_that_is_split_keeps_the_pace_on_average(
    postgres_server: PostgresDatabases, tmp_path: Path
) -> None:
    split = {"SITECRAWL_FETCHERS": SHARDS, "SITECRAWL_SHARDS": SHARDS}
    found = []
    for name, more in (("alone", {"DOWNLOAD_DELAY": 0}), ("split", split)):
        folder = tmp_path / name
        folder.mkdir()
        with postgres_server.fresh_with_tables() as url, site_of_one_host() as server:
            project = Project.in_folder(folder, url)
            project.crawl(server.url, settings={**SLOW, **more}).succeeded()
            found.append(Crawled.read(url, server.port))
            log, requests = server.requests(), ledger(url)["by_fetcher"]
    assert found[0] == found[1]
    assert len(requests) == SHARDS
    assert min(fetcher["requests"] for fetcher in requests) > 1
    started = sorted(each.started for each in log)
    apart = [later - earlier for earlier, later in zip(started, started[SHARDS:], strict=False)]
    # Each process keeps three gaps, so of four requests two are so far apart.
    assert min(apart) >= SHARDS * SHORTEST_GAP
    assert (started[-1] - started[0]) / (len(started) - SHARDS) >= SHORTEST_GAP
    # What the documentation warns of.
    assert min(gaps(log)) < SHORTEST_GAP
