"""Fetchers with a browser: a page that is rendered when its lease ends is rendered again, once."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from tests.crawl.many_hosts import PATIENCE_SECONDS, Crawled, fetchers_of
from tests.render.browser import needs_browser
from tests.site import Reply, SiteServer
from tests.site.leases import ending_leases
from tests.site.project import Project, crawl_command

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.site.postgres import PostgresDatabases
    from tests.site.reply import Request

SETTINGS = {
    "SITECRAWL_CRAWL": "always",
    "SITECRAWL_RENDER": "auto",
    "SITECRAWL_SITEMAP_PLACES": "/sitemap.xml",
    "SITECRAWL_MAX_CRAWL_DEPTH": 0,
}
FETCHER = {**SETTINGS, "SITECRAWL_FETCHERS": 1, "SITECRAWL_ROBOTS_CACHE_SECONDS": 0}
SHELL = """<!doctype html><title>App</title><div id="root"></div><script src=/app.js></script>"""
# Each page shows the links that its data names.
APP = """
fetch("/data" + location.pathname).then(answer => answer.json()).then(links => {
    document.querySelector("#root").innerHTML = links.map(to => `<a href="${to}">${to}</a>`).join();
});
"""
DATA = {"/": ["/a", "/b"], "/a": ["/c", "/d"], "/b": ["/e"], "/c": ["/f"]}
pytestmark = needs_browser


def data_of(request: Request) -> Reply:
    links = DATA.get(request.path.removeprefix("/data"), [])
    return Reply(json.dumps(links), content_type="application/json")


@contextmanager
def application() -> Iterator[SiteServer]:
    routes: dict[str, Any] = {
        "/data*": data_of,
        "/app.js": Reply(APP, content_type="text/javascript"),
        **dict.fromkeys(["/", *(f"/{name}" for name in "abcdef")], SHELL),
    }
    with SiteServer(routes) as server:
        yield server


@pytest.fixture(scope="module")
def expected(
    postgres_server: PostgresDatabases, tmp_path_factory: pytest.TempPathFactory
) -> Crawled:
    """What one process makes of the application."""
    with postgres_server.fresh_with_tables() as url, application() as server:
        project = Project.in_folder(tmp_path_factory.mktemp("alone"), url)
        project.crawl(server.url, settings=SETTINGS).succeeded()
        found = Crawled.read(url, server.port)
    assert len(found.visited) == 7
    return found


def test_fetchers_render_and_what_they_rendered_is_counted(
    postgres_server: PostgresDatabases, tmp_path: Path, expected: Crawled
) -> None:
    with postgres_server.fresh_with_tables() as url, application() as server:
        done = Project.in_folder(tmp_path, url).crawl(server.url, settings=FETCHER).succeeded()
        assert Crawled.read(url, server.port) == expected
    assert "rendered   7 pages" in done.stderr


def test_a_page_whose_lease_ends_while_it_is_rendered_is_rendered_again(
    postgres_server: PostgresDatabases, tmp_path: Path, expected: Crawled
) -> None:
    settings = {**FETCHER, **ending_leases()}
    with postgres_server.fresh_with_tables() as url, application() as server:
        Project.in_folder(tmp_path, url).crawl(server.url, settings=settings).succeeded()
        assert Crawled.read(url, server.port) == expected


@pytest.mark.skipif(sys.platform != "linux", reason="finds child processes in /proc")
def test_what_is_rendered_late_is_not_stored_beside_the_rendering_of_another_process(
    postgres_server: PostgresDatabases, tmp_path: Path, expected: Crawled
) -> None:
    with postgres_server.fresh_with_tables() as url, application() as server:
        is_rendering = threading.Event()

        def data(request: Request) -> Reply:
            is_rendering.set()
            return data_of(request)

        server.routes["/data/a"] = data
        project = Project.in_folder(tmp_path, url)
        scan = project.start(*crawl_command(server.url, settings=FETCHER))
        try:
            assert is_rendering.wait(PATIENCE_SECONDS)
            [hanging] = fetchers_of(scan)
            os.kill(hanging, signal.SIGSTOP)  # its browser goes on
            given = ("-s", "SITECRAWL_CRAWL=always")  # above the environment of tests
            other = project.start(sys.executable, "-m", "sitecrawl", "fetch", "1", *given)
            try:
                server.log.wait_for(
                    lambda log: any(each.path == "/f" for each in log), PATIENCE_SECONDS
                )
                os.kill(hanging, signal.SIGCONT)
                said, _ = scan.communicate(timeout=PATIENCE_SECONDS)
                other.communicate(timeout=PATIENCE_SECONDS)
            finally:
                other.kill()
                other.communicate()
        finally:
            scan.kill()
            scan.communicate()
        assert (scan.returncode, other.returncode) == (0, 0), said
        assert Crawled.read(url, server.port) == expected
        assert fetches_of(url, f"{server.url}/a") == 1


def fetches_of(url: str, page: str) -> int:
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        statement = """SELECT count(*) FROM fetches JOIN documents AS d ON d.id = document_id
            WHERE d.url = %s"""
        row = connection.execute(statement, (page,)).fetchone()
    assert row is not None
    return int(row[0])
