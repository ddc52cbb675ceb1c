"""Doubtful pages: which are rendered does not depend on who fetches them, nor on their browsers."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from tests.crawl.many_hosts import HOSTS as NAMED_HOSTS
from tests.crawl.many_hosts import (
    NAMES,
    PATIENCE_SECONDS,
    SETTINGS,
    Crawled,
    fetchers_of,
    ledger,
)
from tests.render.browser import needs_browser
from tests.site import Reply, SiteServer
from tests.site.project import Project, crawl_command

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from tests.site.postgres import PostgresDatabases
    from tests.site.reply import Request

HOSTS = NAMED_HOSTS[:3]
TRIALS = {**SETTINGS, "SITECRAWL_RENDER": "auto", "SITECRAWL_SOFT_404": False}
PAGES_OF_KIND = 5
only_linux = pytest.mark.skipif(sys.platform != "linux", reason="finds child processes in /proc")
pytestmark = needs_browser


@contextmanager
def doubtful_site() -> Iterator[SiteServer]:
    """Small pages with scripts.

    Those of "blog" show a link that they do not have as they are sent, and those of "plain" do not;
    of "late" only some do, one of which clearly needs a browser.
    """
    server = SiteServer()

    def answer(request: Request) -> Reply:
        _, kind, *rest = request.path.split("/")
        if not kind:
            host = str(request.headers["Host"]).partition(":")[0]
            return _index(host, server.port)
        if not rest or not rest[0].isdecimal():
            return Reply("<h1>Not found</h1>", status=404)
        return _page(kind, int(rest[0]))

    server.routes["/*"] = answer
    with server:
        yield server


def _index(host: str, port: int) -> Reply:
    numbers = range(1, PAGES_OF_KIND + 1)
    own = [f"/{kind}/{number}" for number in numbers for kind in ("plain", "blog", "late")]
    links = [*own, *(f"http://{each}:{port}/" for each in HOSTS)]
    anchors = "".join(f'<li><a href="{url}">{row}</a>' for row, url in enumerate(links))
    return Reply(f"<title>{host}</title><p>{'All that there is. ' * 20}</p><ul>{anchors}</ul>")


def _page(kind: str, number: int) -> Reply:
    shows_more = kind == "blog" or (kind == "late" and number >= 3)
    added = f"/more/{kind}-{number}" if shows_more else "/"
    script = f"""<script type=module>
        document.body.insertAdjacentHTML("beforeend", '<a href="{added}">further</a>');
    </script>"""
    if (kind, number) == ("late", 3):
        return Reply(f'<title>App</title><div id="root"></div>{script}')
    text = f"This is page {number} of the {kind}, with few words, and a link: "
    return Reply(f'<title>{kind} {number}</title><p>{text}<a href="/">home</a></p>{script}')


def root(server: SiteServer) -> str:
    return f"http://{HOSTS[0]}:{server.port}/"


@pytest.fixture(scope="module")
def expected(
    postgres_server: PostgresDatabases, tmp_path_factory: pytest.TempPathFactory
) -> Crawled:
    """What one process with a browser makes of the site."""
    with postgres_server.fresh_with_tables() as url, doubtful_site() as server:
        project = Project.in_folder(tmp_path_factory.mktemp("alone"), url)
        project.crawl(root(server), settings=TRIALS).succeeded()
        found = Crawled.read(url, server.port)
    shown = {page[0] for page in found.pages if "/more/" in page[0]}
    # Every page of a blog; of "late" those behind the one that clearly needs a browser.
    assert len(shown) == len(HOSTS) * (PAGES_OF_KIND + PAGES_OF_KIND - 2)
    return found


def test_fetchers_render_the_doubtful_pages_that_one_process_renders(
    postgres_server: PostgresDatabases, tmp_path: Path, expected: Crawled
) -> None:
    settings = {**TRIALS, "SITECRAWL_FETCHERS": 2}
    with postgres_server.fresh_with_tables() as url, doubtful_site() as server:
        project = Project.in_folder(tmp_path, url)
        project.crawl(root(server), settings=settings).succeeded()
        assert Crawled.read(url, server.port) == expected


@only_linux
def test_kill_9_changes_nothing_of_what_is_rendered(
    postgres_server: PostgresDatabases, tmp_path: Path, expected: Crawled
) -> None:
    settings = {**TRIALS, "SITECRAWL_FETCHERS": 2}
    given = [option for each in settings.items() for option in ("-s", "{}={}".format(*each))]
    resume = (sys.executable, "-m", "scrapy", "crawl", "discover", "-a", "resume=1", *given)
    with postgres_server.fresh_with_tables() as url, doubtful_site() as server:
        project = Project.in_folder(tmp_path, url)
        process = project.start(*crawl_command(root(server), settings=settings))
        try:
            # Pages that only a browser shows: doubtful ones have been rendered by then.
            wait_for_shown(2, server)
            for fetcher in fetchers_of(process):
                os.kill(fetcher, signal.SIGKILL)
            wait_for_shown(6, server)
        finally:
            process.kill()
            process.communicate()
        process = project.start(*resume)
        said, _ = process.communicate(timeout=PATIENCE_SECONDS)
        assert process.returncode == 0, said
        assert Crawled.read(url, server.port) == expected


def wait_for_shown(number: int, server: SiteServer) -> None:
    server.log.wait_for(
        lambda log: sum(each.path.startswith("/more/") for each in log) >= number, PATIENCE_SECONDS
    )


def test_a_fetcher_without_a_browser_leaves_the_rendering_to_others(
    postgres_server: PostgresDatabases, tmp_path: Path, expected: Crawled
) -> None:
    # Slow enough that the second fetcher comes in time.
    settings = {**TRIALS, "SITECRAWL_FETCHERS": 1, "DOWNLOAD_DELAY": 1}
    own = {**NAMES, "SITECRAWL_CRAWL": "always"}  # above the environment of tests
    given = (option for each in own.items() for option in ("-s", "{}={}".format(*each)))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    with postgres_server.fresh_with_tables() as url, doubtful_site() as server:
        scan = Project.in_folder(tmp_path, url).start(
            *crawl_command(root(server), settings=settings)
        )
        try:
            server.log.wait_for(lambda log: len(log) > len(HOSTS) + 2, PATIENCE_SECONDS)
            other = Project.in_folder(elsewhere, url).start(
                *(sys.executable, "-m", "sitecrawl", "fetch", "1", *given),
                environment=without_browser(elsewhere),
            )
            try:
                said, _ = scan.communicate(timeout=PATIENCE_SECONDS)
                other_said, _ = other.communicate(timeout=PATIENCE_SECONDS)
            finally:
                other.kill()
                other.communicate()
        finally:
            scan.kill()
            scan.communicate()
        assert (scan.returncode, other.returncode) == (0, 0), said
        assert "there is no browser" in other_said
        assert "need a browser and were read without one" not in said
        assert Crawled.read(url, server.port) == expected
        requests = [fetcher["requests"] for fetcher in ledger(url)["by_fetcher"]]
    assert len(requests) == 2
    assert min(requests) > 1


def without_browser(folder: Path) -> Mapping[str, str]:
    return {"PATH": str(folder), "PLAYWRIGHT_BROWSERS_PATH": str(folder)}


def test_without_any_browser_all_pages_count_as_they_were_sent(
    postgres_server: PostgresDatabases, tmp_path: Path
) -> None:
    def crawl(name: str, **settings: Any) -> Crawled:
        folder = tmp_path / name
        folder.mkdir()
        with postgres_server.fresh_with_tables() as url, doubtful_site() as server:
            project = Project.in_folder(folder, url)
            done = project.crawl(
                root(server),
                settings={**TRIALS, **settings},
                environment=without_browser(folder),
            )
            words = "pages need a browser and were read without one: there is no browser"
            assert words in done.succeeded().stderr
            return Crawled.read(url, server.port)

    alone = crawl("alone")
    assert not any("/more/" in page[0] for page in alone.pages)
    assert crawl("fetchers", SITECRAWL_FETCHERS=2) == alone
