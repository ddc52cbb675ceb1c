from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.render.apps.generated import generated_app
from tests.render.apps.generated.doors import BINDINGS, ELEMENTS
from tests.render.apps.generated.routers import ROUTERS
from tests.render.apps.truth import Need
from tests.render.apps.walk import check_route, running_browser, take_way
from tests.render.appserver import AppServer
from tests.render.browser import needs_browser

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

    from tests.render.apps.truth import Truth

SEED = 8
SEEDS = range(6)
TOLD = f"import tests.render.test_generated as told; print(told.digest({SEED}))"


def digest(seed: int) -> str:
    """Of all that is served, and of all that is true."""
    app = generated_app(seed)
    truth = [app.truth.title, *app.truth.routes, *app.truth.beyond, *app.truth.dangers]
    served = [app.hosted.files, app.hosted.api, app.hosted.pages]
    return hashlib.sha256(repr((truth, served)).encode()).hexdigest()


@pytest.fixture(scope="module")
def truths() -> list[Truth]:
    return [generated_app(seed).truth for seed in SEEDS]


class TestSeeds:
    def test_a_seed_gives_one_application_in_every_process(self) -> None:
        told = subprocess.run(
            [sys.executable, "-c", TOLD],
            env={**os.environ, "PYTHONHASHSEED": "1"},
            capture_output=True,
            text=True,
            check=True,
        )
        assert told.stdout.strip() == digest(SEED)

    def test_each_seed_gives_another_application(self) -> None:
        assert len({digest(seed) for seed in SEEDS}) == len(SEEDS)


class TestTruth:
    def test_routes_have_headings_and_ways_of_their_own(self, truths: list[Truth]) -> None:
        for truth in truths:
            headings = {route.heading for route in truth.routes.values()}
            assert 15 <= len(headings) == len(truth.routes) <= 25
            assert [path for path, route in truth.routes.items() if not route.steps] == ["/"]
            assert {route.start for route in truth.routes.values()} <= set(truth.routes)
            assert not set(truth.routes) & set(truth.beyond)

    def test_every_need_occurs(self, truths: list[Truth]) -> None:
        needs = {need for truth in truths for each in truth.routes.values() for need in each.needs}
        # A router that nobody knows has no table that anybody could read.
        assert needs == set(Need) - {Need.ROUTER_TABLE}

    def test_every_element_binding_and_router_occurs(self, truths: list[Truth]) -> None:
        reached = "\n".join(each.reached for truth in truths for each in truth.routes.values())
        assert [each for each in ELEMENTS if f"{each}, " not in reached] == []
        assert [each.how for each in BINDINGS if each.how not in reached] == []
        titles = " ".join(truth.title for truth in truths)
        assert [each.name for each in ROUTERS if each.name not in titles] == []

    def test_there_are_dangers_of_every_kind(self, truths: list[Truth]) -> None:
        for truth in truths:
            dangers = truth.dangers.values()
            assert {danger.is_disguised for danger in dangers} == {True, False}
            assert len([danger for danger in dangers if not danger.steps]) == 2
        methods = {each.request.split()[0] for truth in truths for each in truth.dangers.values()}
        assert methods == {"DELETE", "GET", "POST", "PUT"}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with running_browser() as running:
        yield running


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    page = browser.new_page()
    yield page
    page.context.close()


@needs_browser
class TestInABrowser:
    def test_routes_are_deep_links_and_send_only_what_the_truth_tells(self, page: Page) -> None:
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        with AppServer(f"generated:{SEED}") as server:
            for route in server.truth.routes.values():
                page.goto(server.at(route.path), wait_until="commit")
                check_route(page, server, route)
            page.goto(server.at("/no/such/page"))
            expect(page.locator("h1")).to_have_text(["There is nothing here"])
            at_load = {each.request for each in server.truth.dangers.values() if not each.steps}
            assert set(server.destructive_requests) <= at_load
            assert (errors, server.destructive_clicks, server.disguised_clicks) == ([], [], [])

    def test_a_way_leads_to_its_route(self, page: Page) -> None:
        with AppServer(f"generated:{SEED}") as server:
            longest = max(server.truth.routes.values(), key=lambda route: len(route.steps))
            take_way(page, server, longest)
