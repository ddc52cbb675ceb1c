from __future__ import annotations

import http.client
import json
import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.render.apps.build import FOLDER, FRAMEWORKS, built_digest_of, digest_of
from tests.render.apps.half import static_pages
from tests.render.apps.truth import Need
from tests.render.apps.walk import check_route, run_into, running_browser
from tests.render.appserver import APPS, AppServer
from tests.render.browser import BROWSER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page, Route

MOST_BUNDLE_BYTES = 400_000


def ask(
    server: AppServer, target: str, method: str = "GET", **headers: str
) -> tuple[int, str, str]:
    """Status, content type and body."""
    connection = http.client.HTTPConnection(server.site.address, server.site.port, timeout=10)
    try:
        connection.request(method, target, headers=headers)
        response = connection.getresponse()
        return response.status, response.getheader("Content-Type", ""), response.read().decode()
    finally:
        connection.close()


@pytest.mark.parametrize("name", FRAMEWORKS)
class TestBundles:
    def test_is_built_from_these_sources(self, name: str) -> None:
        assert built_digest_of(name) == digest_of(name), (
            f"run: python -m tests.render.apps.build {name}"
        )

    def test_is_small_and_without_source_maps(self, name: str) -> None:
        files = [path for path in (FOLDER / name / "dist").rglob("*") if path.is_file()]
        assert sum(path.stat().st_size for path in files) < MOST_BUNDLE_BYTES
        assert not [path for path in files if path.suffix == ".map"]

    def test_dependencies_are_pinned(self, name: str) -> None:
        package = json.loads((FOLDER / name / "package.json").read_text())
        pins = package.get("dependencies", {}) | package["devDependencies"]
        assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in pins.values())

    def test_bundled_packages_come_with_their_licence(self, name: str) -> None:
        package = json.loads((FOLDER / name / "package.json").read_text())
        (licences,) = (FOLDER / name / "dist").glob("LICENSES.*")
        routers = [each for each in package.get("dependencies", {}) if "router" in each]
        assert all(router in licences.read_text() for router in routers)


@pytest.mark.parametrize("name", APPS)
class TestTruth:
    def test_each_route_has_its_own_heading_and_a_way(self, name: str) -> None:
        with AppServer(name) as server:
            truth = server.truth
        headings = [route.heading for route in truth.routes.values()]
        assert len(set(headings)) == len(headings) >= 18
        wayless = {path for path, route in truth.routes.items() if not route.steps}
        assert wayless == {truth.start} | truth.needing(Need.ROUTER_TABLE)
        starts = {route.start for route in truth.routes.values()}
        assert {start for start in starts if not truth.is_route(start)} == set()

    def test_there_are_dangers_of_both_kinds(self, name: str) -> None:
        with AppServer(name) as server:
            dangers = server.truth.dangers.values()
        assert {danger.is_disguised for danger in dangers} == {True, False}
        assert {"DELETE", "POST", "GET"} == {danger.request.split()[0] for danger in dangers}


def test_the_applications_need_every_ability() -> None:
    needs: set[Need] = set()
    for name in FRAMEWORKS:
        with AppServer(name) as server:
            needs.update(*(route.needs for route in server.truth.routes.values()))
    assert needs == set(Need)


class TestHosting:
    def test_unknown_paths_are_the_application(self) -> None:
        with AppServer("plain") as server:
            root, deep = ask(server, "/"), ask(server, "/no/such/page?x=1")
        assert root == deep
        assert root[:2] == (200, "text/html; charset=utf-8")

    def test_files_are_files(self) -> None:
        with AppServer("plain") as server:
            script = re.findall(r'src="(/assets/[^"]+)"', ask(server, "/")[2])[0]
            status, content_type, _ = ask(server, script)
        assert (status, content_type.partition("/")[2]) == (200, "javascript")

    def test_data_is_json_and_unknown_data_is_404(self) -> None:
        with AppServer("plain") as server:
            status, content_type, body = ask(server, "/api/stories?page=2")
            assert (status, content_type) == (200, "application/json")
            assert json.loads(body)["stories"]
            assert ask(server, "/api/stories?page=3")[0] == 404

    def test_the_second_entry_has_its_own_page(self) -> None:
        with AppServer("vue") as server:
            assert ask(server, "/playground/")[2] != ask(server, "/")[2]

    def test_half_has_twelve_static_pages_and_the_application_below(self) -> None:
        with AppServer("half") as server:
            for path, page in static_pages().items():
                assert page.text in ask(server, path)[2]
            assert len(static_pages()) == 12
            assert '<base href="/app/"' in ask(server, "/app/deals")[2]
            assert ask(server, "/app/api/orders")[0] == 200
            assert ask(server, "/no/such/page")[0] == 404


class TestCounts:
    def test_mutations_and_actions_by_get(self) -> None:
        with AppServer("plain") as server:
            for method, path in [("GET", "/"), ("DELETE", "/api/x"), ("POST", "/subscribe")]:
                ask(server, path, method)
            ask(server, "/logout")
            assert server.mutations == ["DELETE /api/x", "POST /subscribe"]
            assert server.destructive_requests == [*server.mutations, "GET /logout"]

    def test_documents_are_counted_by_path(self) -> None:
        with AppServer("plain") as server:
            for target in ("/", "/map", "/map?x=1", "/api/issues", "/report.js"):
                ask(server, target)
            assert server.documents == {"/": 1, "/map": 2}

    def test_a_click_counts_once_whichever_way_it_is_told(self) -> None:
        with AppServer("plain") as server:
            jar = f"a=b; danger-{server.site.port}=buy-issue.1~rate-story.2"
            ask(server, "/api/clicked?id=buy-issue.1")
            ask(server, "/api/clicked?id=buy-issue.1", Cookie=jar)
            ask(server, "/", Cookie=f"danger-1=logout.3; {jar}")  # danger-1: of another server
            assert server.destructive_clicks == ["buy-issue"]
            assert server.disguised_clicks == ["rate-story"]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if BROWSER is None:
        pytest.skip("there is no browser")
    with running_browser() as running:
        yield running


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    page = browser.new_page()
    yield page
    page.context.close()


class TestInABrowser:
    @pytest.mark.parametrize("name", FRAMEWORKS)
    def test_every_route_is_a_deep_link(self, page: Page, name: str) -> None:
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        with AppServer(name) as server:
            for route in server.truth.routes.values():
                page.goto(server.at(route.path), wait_until="commit")
                check_route(page, server, route)
            assert (errors, server.destructive_requests, server.destructive_clicks) == ([], [], [])

    def test_an_unknown_route_says_so(self, page: Page) -> None:
        with AppServer("react") as server:
            page.goto(server.at("/no/such/page"))
            expect(page.locator("h1")).to_have_text(["Page not found"])

    def test_a_destructive_click_is_counted_as_soon_as_it_is_done(self, page: Page) -> None:
        with AppServer("plain") as server:
            page.route(
                "**/*",
                # What could tell of the click later: its image, and its cookie on what it sends.
                lambda route: route.abort() if _is_image_or_sends(route) else route.continue_(),
            )
            run_into(page, server, server.truth.dangers["buy-issue"])
            page.close()
            assert (server.destructive_clicks, server.mutations) == (["buy-issue"], [])

    def test_a_destructive_click_is_counted_though_its_reports_are_blocked(
        self, page: Page
    ) -> None:
        with AppServer("plain") as server:
            page.route("**/api/clicked*", lambda route: route.abort())
            page.route("**/api/bookmarks/*", lambda route: route.abort())
            run_into(page, server, server.truth.dangers["delete-bookmark"])
            page.goto(server.at("/map"))
            assert (server.destructive_clicks, server.mutations) == (["delete-bookmark"], [])

    def test_what_is_rendered_is_told_from_what_is_only_fetched(self, page: Page) -> None:
        with AppServer("half") as server:
            ask(server, "/about")
            page.goto(server.at("/app/"))
            assert server.documents == {"/about": 1, "/app/": 1}
            assert server.rendered == {"/app/": 1}


def _is_image_or_sends(route: Route) -> bool:
    return route.request.resource_type == "image" or route.request.method != "GET"
