"""Walks an application as a visitor does, with real clicks: ``python -m tests.render.apps.walk``.

For after a rebuild: it takes the way that ``truth.json`` tells to every route, runs into every
danger, and says what fails.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from playwright.sync_api import Error, expect, sync_playwright

from sitecrawl.render.browser import find_browser
from tests.render.apps.truth import Need
from tests.render.appserver import APPS, AppServer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, Page

    from tests.render.apps.truth import Danger, RouteTruth, Step

T = TypeVar("T")

_TIMEOUT_MS = 5000


@contextmanager
def running_browser() -> Iterator[Browser]:
    found = find_browser()
    assert found is not None, "there is no browser: sitecrawl doctor --install-browser"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**found.launch_options())
        yield browser
        browser.close()


def show(page: Page, server: AppServer, path: str) -> None:
    """Opens an address as a deep link and waits for a heading, whatever that says."""
    page.goto(server.at(path))
    page.locator("h1").wait_for()


def check_route(page: Page, server: AppServer, route: RouteTruth) -> None:
    expect(page.locator("h1")).to_have_text([route.heading])
    expect(page).to_have_url(server.at(route.path))


def take_way(page: Page, server: AppServer, route: RouteTruth) -> None:
    """From the route's start to the route, which may come up in a window of its own."""
    page.on("dialog", lambda dialog: dialog.accept())
    show(page, server, route.start)
    if Need.WINDOW_OPEN not in route.needs:
        _take_steps(page, route.steps)
        check_route(page, server, route)
        return
    with page.expect_popup() as popup:
        _take_steps(page, route.steps)
    check_route(popup.value, server, route)


def run_into(page: Page, server: AppServer, danger: Danger) -> None:
    show(page, server, danger.page)
    _take_steps(page, danger.steps)


def _take_steps(page: Page, steps: tuple[Step, ...]) -> None:
    for step in steps:
        _take_step(page, step)


def _take_step(page: Page, step: Step) -> None:
    element = page.locator(step.selector).first
    match step.do:
        case "click":
            element.click()
        case "click-in":
            page.frame_locator(step.frame).locator(step.selector).first.click()
        case "click-at":
            element.scroll_into_view_if_needed()
            box = element.bounding_box()
            assert box is not None
            page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        case "enter":
            element.press("Enter")
        case "hover":
            element.hover()
        case "scroll-to":
            element.scroll_into_view_if_needed()
        case _:
            raise ValueError(f"unknown step: {step.do}")


def _walk(name: str, browser: Browser) -> bool:
    """Whether all went as the truth tells; what did not is printed."""
    with AppServer(name) as server:
        truth = server.truth
        failures = sum(_fails(browser, take_way, server, each) for each in truth.routes.values())
        at_load = {each.request for each in truth.dangers.values() if not each.steps}
        asked = [each for each in server.destructive_requests if each not in at_load]
        harm_on_the_way = asked + server.destructive_clicks
        failures += sum(_fails(browser, run_into, server, each) for each in truth.dangers.values())
        clicks = sorted(server.destructive_clicks + server.disguised_clicks)
        clickable = sorted(name for name, each in truth.dangers.items() if each.steps)
        is_counted = clicks == clickable and not harm_on_the_way
    print(
        f"{name}: {len(truth.routes)} routes, {len(truth.dangers)} dangers, {failures} failures, "
        f"{'all harm counted' if is_counted else 'HARM MISCOUNTED'}"
    )
    return is_counted and not failures


def _fails(
    browser: Browser,
    walk: Callable[[Page, AppServer, T], None],
    server: AppServer,
    destination: T,
) -> bool:
    page = browser.new_page()
    page.set_default_timeout(_TIMEOUT_MS)
    try:
        walk(page, server, destination)
    except (AssertionError, Error) as error:
        print(destination, error, sep="\n", file=sys.stderr)
        return True
    finally:
        page.context.close()
    return False


if __name__ == "__main__":
    with running_browser() as running:
        went_well = [_walk(each, running) for each in sys.argv[1:] or APPS]
    sys.exit(not all(went_well))
