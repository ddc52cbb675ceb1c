"""Applications of five kinds, discovered by a scan with a real browser: all routes, and no harm."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import pytest

from tests.crawl.scanned import WITHOUT_LIMITS
from tests.render.apps.half import static_pages
from tests.render.appserver import AppServer
from tests.render.browser import needs_browser
from tests.site.project import Project, crawl_command, profile_environment

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from tests.render.apps.truth import Truth
    from tests.site.project import CrawlResult

pytestmark = needs_browser

_SECONDS = 240.0
_APPLICATIONS = ("plain", "react", "vue", "angular", "half")
_SETTINGS = {
    **WITHOUT_LIMITS,
    # The shop's account pages are to be found as well; signing out is not.
    "SITECRAWL_SKIP_PATHS": "/logout,/app/logout,/api/*",
    # How fast the machine is does not matter.
    "SITECRAWL_RENDER_SECONDS": 100,
}
STATIC = static_pages().keys()
_MENTIONS = """
SELECT p.url, m.source, coalesce(m.anchor, ''), coalesce(m.path, '')
FROM mentions AS m JOIN pages AS p ON p.id = m.page_id
"""


@dataclass(frozen=True, slots=True)
class DiscoveredApplication:
    truth: Truth
    result: CrawlResult
    origin: str
    mutations: list[str]
    destructive_requests: list[str]
    destructive_clicks: list[str]
    rendered: Counter[str]

    @property
    def found(self) -> set[str]:
        return {self.path(url) for url in self.result.urls}

    def path(self, url: str) -> str:
        return url.removeprefix(self.origin)


def _discover(name: str, folder: Path, **options: object) -> DiscoveredApplication:
    folder.mkdir(exist_ok=True)
    with AppServer(name) as server:
        result = Project.in_folder(folder).crawl(
            server.url, settings={**_SETTINGS, **options}, timeout_seconds=_SECONDS
        )
        return DiscoveredApplication(
            server.truth,
            result.ended_in_part()
            if "SITECRAWL_MAX_CRAWL_PAGES" in options
            else result.succeeded(),
            server.url,
            server.mutations,
            server.destructive_requests,
            server.destructive_clicks,
            server.rendered,
        )


@pytest.fixture(scope="module")
def discovered(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], DiscoveredApplication]:
    """Each application is scanned once."""
    return cache(lambda name: _discover(name, tmp_path_factory.getbasetemp() / f"app-{name}"))


@pytest.fixture(params=_APPLICATIONS)
def application(
    request: pytest.FixtureRequest, discovered: Callable[[str], DiscoveredApplication]
) -> DiscoveredApplication:
    return discovered(request.param)


def test_every_route_is_found(application: DiscoveredApplication) -> None:
    # The route of an application's start is its address without the hash.
    routes = {route.removesuffix("#/") for route in application.truth.routes}
    assert routes - application.found == set()


def test_what_is_found_exists(application: DiscoveredApplication) -> None:
    others = {path for path in application.found if not application.truth.is_route(path)}
    # What a frame shows is a page as well.
    assert {path for path in others if not path.startswith("/embed/")} == set()


def test_nothing_is_changed(application: DiscoveredApplication) -> None:
    assert application.mutations == []
    assert application.destructive_requests == []
    assert application.destructive_clicks == []


def test_the_summary_says_what_rendering_gave(application: DiscoveredApplication) -> None:
    assert " pages in a browser " in application.result.output
    assert " URLs only by that" in application.result.output
    assert "limit hit" not in application.result.output


def test_clicks_and_tables_are_told_as_such(application: DiscoveredApplication) -> None:
    mentions = application.result.query(_MENTIONS)
    clicked = [(anchor, path) for _, source, anchor, path in mentions if source == "spa-click"]
    assert clicked
    assert all(path for _, path in clicked)
    assert any(anchor for anchor, _ in clicked)
    has_table = any(source == "spa-router-table" for _, source, _, _ in mentions)
    by_table = any("router-table" in route.needs for route in application.truth.routes.values())
    assert has_table or not by_table


@pytest.mark.parametrize("seed", [31, 32])
def test_most_of_an_application_that_nobody_knew_is_found(tmp_path: Path, seed: int) -> None:
    """Generated markup; docs/rendering.md says how much of it is found over many seeds."""
    found = _discover(f"generated:{seed}", tmp_path)
    routes = found.truth.routes.keys()
    assert len(routes & found.found) >= 0.75 * len(routes)
    test_what_is_found_exists(found)
    test_nothing_is_changed(found)


def test_the_static_half_is_not_rendered(
    discovered: Callable[[str], DiscoveredApplication],
) -> None:
    found = discovered("half")
    assert found.rendered.keys() & STATIC == set()
    assert found.rendered["/app/"] > 0
    rows = found.result.query("SELECT url FROM visits WHERE rendered IS NULL")
    assert {found.path(url) for (url,) in rows} >= STATIC


def test_parameterised_routes_are_kept_as_patterns(tmp_path: Path) -> None:
    found = _discover("react", tmp_path, SITECRAWL_FEED_REFUSED=True, SITECRAWL_MAX_CRAWL_PAGES=1)
    patterns = {
        found.path(row["url"]) for row in found.result.rows if row["reason"] == "route_pattern"
    }
    assert any(":" in path for path in patterns)


def test_a_route_behind_a_hash_is_a_page_of_its_own(
    discovered: Callable[[str], DiscoveredApplication],
) -> None:
    found = discovered("vue")
    routes = sorted(path for path in found.found if "#/" in path)
    assert routes
    project = Project.in_folder(found.result.database.parent.parent)
    command = (sys.executable, "-m", "sitecrawl", "why", found.origin + routes[0])
    assert "never seen" not in project.run(*command).succeeded().output


def test_a_killed_scan_goes_on_to_the_same_list(tmp_path: Path) -> None:
    project = Project.in_folder(tmp_path)
    with AppServer("react") as server:
        command = crawl_command(server.url, settings=_SETTINGS)
        with project.start(*command, environment=profile_environment("fast")) as process:
            server.site.wait_for("/report.js", 6, _SECONDS)
            process.kill()
        resume = (sys.executable, "-m", "scrapy", "crawl", "discover", "-a", "resume=1")
        resumed = project.run(*resume, "-s", "SITECRAWL_CRAWL=auto", timeout_seconds=_SECONDS)
        rows = resumed.succeeded().query("SELECT url FROM pages WHERE reason IS NULL")
        found = {url.removeprefix(server.url) for (url,) in rows}
        mutations = server.mutations
    assert server.truth.routes.keys() - found == set(), resumed.output
    assert mutations == []
    visited = resumed.query("SELECT count(*) FROM visits WHERE outcome IS NULL")
    assert visited == [(0,)]


class TestWithoutABrowser:
    @pytest.fixture
    def alone(self, tmp_path: Path) -> Mapping[str, str]:
        """An environment in which no browser can be found."""
        (tmp_path / "nothing").mkdir()
        nowhere = str(tmp_path / "nothing")
        return {"PATH": nowhere, "PLAYWRIGHT_BROWSERS_PATH": nowhere, "HOME": os.environ["HOME"]}

    def test_it_is_said_once_and_the_scan_goes_on(
        self, project: Project, alone: Mapping[str, str]
    ) -> None:
        with AppServer("half") as server:
            result = project.crawl(
                server.url, settings=_SETTINGS, environment=alone, timeout_seconds=_SECONDS
            ).succeeded()
        assert result.output.count("without rendering") == 1
        assert "pages need a browser and were read without one" in result.output
        assert "sitecrawl doctor --install-browser" in result.output
        assert {url.removeprefix(server.url) for url in result.urls} >= STATIC

    def test_nothing_is_said_where_nothing_is_to_be_rendered(
        self, project: Project, alone: Mapping[str, str]
    ) -> None:
        with AppServer("half") as server:
            result = project.crawl(
                server.url,
                settings=_SETTINGS,
                environment=alone,
                render="never",
                timeout_seconds=_SECONDS,
            ).succeeded()
        assert "browser" not in result.output
