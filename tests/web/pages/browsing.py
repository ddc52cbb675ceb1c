"""The dashboard in a real browser: one window that is signed in, and what it has sent."""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast
from urllib.parse import urlsplit

import pytest
from fastapi.routing import iter_route_contexts
from playwright.sync_api import expect, sync_playwright

from sitecrawl.monitor.runner import JobRunner, RetryRule
from sitecrawl.render.browser import find_browser
from sitecrawl.services.change_detection import detect_changes
from sitecrawl.web import pages
from tests.web.serving import PASSWORD, serving

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import BrowserContext, Page, Request

    from tests.web.serving import Serving

_Test = TypeVar("_Test", bound="Callable[..., None]")

_AXE = Path(__file__).parents[2] / "report" / "assets" / "axe.min.js"

WIDE = {"width": 1280, "height": 800}
NARROW = {"width": 390, "height": 800}
# In the order in which the server looks for them.
POST_ROUTES = [
    str(context.path)
    for context in iter_route_contexts(pages.router.routes)
    if "POST" in (getattr(context, "methods", None) or ())
]
done: dict[str, set[str]] = {}
"""By route, the actions that tests carry out in a browser."""


@dataclass
class Dashboard:
    """A served dashboard, and a window of its owner."""

    server: Serving
    database_url: str
    context: BrowserContext
    page: Page
    complaints: list[str] = field(default_factory=list)
    sent: list[str] = field(default_factory=list)
    """The paths of forms that the browser has sent."""

    def open(self, path: str) -> Page:
        answer = self.page.goto(self.server.url + path)
        assert answer is not None
        assert answer.status == 200, path
        return self.page

    def check_layout(self) -> None:
        """One load: a scheme changes nothing but colours, a width nothing but the layout."""
        page = self.page
        page.evaluate(f"{_AXE.read_text(encoding='utf-8')}; 0")
        try:
            for size in (WIDE, NARROW):
                page.set_viewport_size(size)  # type: ignore[arg-type]
                page.evaluate(
                    "document.querySelectorAll('details').forEach(each => each.open = true)"
                )
                too_wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
                assert too_wide <= 0, f"the page scrolls sideways at {size['width']}"
                page.emulate_media(color_scheme="light")
                assert _violations(page) == []
                page.emulate_media(color_scheme="dark")
                assert _violations(page) == []
        finally:
            page.emulate_media(color_scheme="light")
            page.set_viewport_size(WIDE)  # type: ignore[arg-type]

    def told(self, words: str) -> None:
        """Wait for the message of an action."""
        expect(self.page.locator(".toast")).to_contain_text(words)

    def run_job(self, job_id: int) -> None:
        """As a worker does it."""
        runner = JobRunner(
            *(self.server.database, self.database_url, "me", RetryRule(0, 1)),
            after_scan=(lambda database, scan_id, _now: detect_changes(database, scan_id),),
        )
        status = runner.scan_or_fail(job_id)
        assert status is not None
        runner.finish(job_id, status)

    def watch(self, page: Page) -> None:
        page.on("console", lambda told: self._note(told.type, told.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", self._note_request)

    def _note(self, kind: str, text: str) -> None:
        if kind == "error":
            self.complaints.append(text)

    def _note_request(self, request: Request) -> None:
        if not request.url.startswith((self.server.url, "data:", "blob:")):
            self.complaints.append(f"a request left: {request.url}")
        if request.method == "POST":
            self.sent.append(urlsplit(request.url).path)


def _violations(page: Page) -> list[tuple[str, str]]:
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'], iframes: false })")
    return [(each["id"], each["nodes"][0]["html"]) for each in found["violations"]]


def route_of(path: str) -> str:
    """The first that takes the path, as the server finds it."""
    for route in POST_ROUTES:
        if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", route), path):
            return route
    return path


def does(*routes: str) -> Callable[[_Test], _Test]:
    """The actions of a test, as routes; it fails if its browser has not sent one of them."""

    def declare(test: _Test) -> _Test:
        done[test.__name__] = set(routes)

        @wraps(test)
        def checked(dashboard: Dashboard, **others: Any) -> None:
            dashboard.sent.clear()
            test(dashboard, **others)
            assert set(routes) <= {route_of(path) for path in dashboard.sent}

        return cast("_Test", checked)

    return declare


@contextmanager
def browsed(server: Serving, database_url: str) -> Iterator[Dashboard]:
    """A browser of the owner, who has signed in."""
    found = find_browser()
    if found is None:
        pytest.skip("there is no browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**found.launch_options())
        context = browser.new_context(
            viewport=WIDE,  # type: ignore[arg-type]
            reduced_motion="reduce",
            timezone_id="Asia/Tokyo",
        )
        page = context.new_page()
        made = Dashboard(server, database_url, context, page)
        made.watch(page)
        sign_in(page, server, "owner-1@example.com")
        yield made
        browser.close()


@contextmanager
def served(folder: Path, *, with_owner: bool = True) -> Iterator[tuple[Serving, str]]:
    """A dashboard that may reach loopback, and the address of its database."""
    database_url = f"sqlite:///{folder / 'web.db'}"
    with serving(database_url, web_requests_per_minute=0, address_allow=("127.0.0.1",)) as server:
        if with_owner:
            server.add_user()
        yield server, database_url


def sign_in(page: Page, server: Serving, email: str) -> None:
    page.goto(f"{server.url}/login")
    page.fill("[name=email]", email)
    page.fill("[name=password]", PASSWORD)
    page.click("main button")
    page.wait_for_url(f"{server.url}/")


def answer_dialogs(page: Page, *, accept: bool) -> list[str]:
    """Answer the next question; give the questions that were asked."""
    asked: list[str] = []

    def answer(dialog: Any) -> None:
        asked.append(dialog.message)
        if accept:
            dialog.accept()
        else:
            dialog.dismiss()

    page.once("dialog", answer)
    return asked
