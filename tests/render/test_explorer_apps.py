"""Every route of four applications, made with real frameworks, and no harm done to any."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urljoin

import pytest

from sitecrawl.html.page import read_page
from sitecrawl.render.explorer import Ending, Exploration
from sitecrawl.render.router_tables import RouteKind
from tests.render.apps.truth import Need
from tests.render.appserver import AppServer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.render.browsing import Browsing


@pytest.fixture(params=["plain", "react", "vue", "angular"])
def server(request: pytest.FixtureRequest) -> Iterator[AppServer]:
    with AppServer(request.param) as server:
        yield server


def _found(exploration: Exploration) -> Iterator[str]:
    for route in exploration.routes:
        yield route.url
    for fragment in exploration.fragments:
        reading = read_page(fragment.html.encode(), fragment.base)
        yield from (urljoin(reading.base, address) for address in reading.links.locs)


def _explored_pages(server: AppServer) -> list[str]:
    """Where a way to a route begins, and where something dangerous is."""
    truth = server.truth
    starts = {route.start for route in truth.routes.values()}
    return sorted({truth.start} | starts | {danger.page for danger in truth.dangers.values()})


def test_all_routes_are_found_and_no_harm_is_done(browsing: Browsing, server: AppServer) -> None:
    truth = server.truth
    found = {truth.start}
    for path in _explored_pages(server):
        exploration = browsing.explore(server.at(path))
        assert exploration.ending is Ending.FINISHED, exploration.trouble
        found |= {url.removeprefix(server.url) for url in _found(exploration)}
        clicked = [route for route in exploration.routes if route.kind is RouteKind.CLICK]
        paths = [route.url.removeprefix(server.url) for route in clicked]
        assert [path for path in paths if not truth.is_route(path)] == []

    assert truth.routes.keys() - found == set()
    assert server.mutations == []
    assert server.destructive_requests == []
    assert server.destructive_clicks == []


def test_routes_that_nothing_links_are_read_from_the_router(browsing: Browsing) -> None:
    for name in ("react", "vue"):
        with AppServer(name) as server:
            exploration = browsing.explore(server.at(server.truth.start))
            table = {
                route.url.removeprefix(server.url): route.is_pattern
                for route in exploration.routes
                if route.kind is RouteKind.ROUTER_TABLE
            }
            unlinked = server.truth.needing(Need.ROUTER_TABLE)
            assert unlinked
            assert unlinked <= table.keys()
            assert {path for path, is_pattern in table.items() if is_pattern} == {
                path for path in table if ":" in path
            }
