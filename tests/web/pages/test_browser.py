"""Every page in a real browser: wide and narrow, light and dark, with axe-core."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import sync_playwright

from sitecrawl.render.browser import find_browser
from sitecrawl.services import groups, sites
from sitecrawl.services.demo_site import watched_demo_site
from sitecrawl.services.groups import GroupInput
from sitecrawl.services.sites import SiteEdit
from tests.dive.conftest import make_searchable
from tests.store.scanning import SITE
from tests.web.serving import PASSWORD, serving

if TYPE_CHECKING:
    from collections.abc import Iterator

    import httpx
    from playwright.sync_api import Browser, Page

    from tests.web.serving import Serving

_AXE = Path(__file__).parents[2] / "report" / "assets" / "axe.min.js"
_PATHS = (
    *("/", "/sites", "/sites/new", "/sites/import", "/groups", "/incidents", "/tasks", "/tasks/1"),
    *("/help", "/find?q=seed", "/styleguide", "/sites/1", "/sites/1/pages"),
    *("/sites/1/pages?status=refused", "/sites/1/pages/{page}", "/sites/1/changes"),
    *("/sites/1/events", "/sites/1/events/1", "/sites/1/scans", "/sites/1/scans/2"),
    *("/sites/1/tree", "/sites/1/sitemaps", "/sites/1/robots", "/sites/1/coverage"),
    *("/sites/1/report", "/sites/1/search", "/sites/1/channels", "/sites/1/settings"),
    *("/sites/2/search?q=queen", "/sites/2/ask?conversation=1", "/sites/2/gaps", "/sites/2/dives"),
)

_HIVE = "A hive has one queen and many workers, who feed her through the winter."
_READ_PAGES = {
    "/bees": f"<title>Bees</title><main><h1>Bees</h1><p>{_HIVE}</p></main>",
    "/hours": "<title>Hours</title><main><p>We open at nine in the morning.</p></main>",
}


@dataclass
class Dashboard:
    """A dashboard with the demo site, signed in, in two windows."""

    url: str
    wide: Page
    narrow: Page
    page_path: str
    complaints: list[str] = field(default_factory=list)


def _window(browser: Browser, dashboard_url: str, *, width: int, is_dark: bool) -> Page:
    context = browser.new_context(
        viewport={"width": width, "height": 800},
        color_scheme="dark" if is_dark else "light",
        reduced_motion="reduce",
    )
    page = context.new_page()
    page.goto(f"{dashboard_url}/login")
    page.fill("[name=email]", "owner-1@example.com")
    page.fill("[name=password]", PASSWORD)
    page.click("main button")
    page.wait_for_url(f"{dashboard_url}/")
    return page


@pytest.fixture(scope="module")
def dashboard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    found = find_browser()
    if found is None:
        pytest.skip("there is no browser")
    database_url = f"sqlite:///{tmp_path_factory.mktemp('dashboard') / 'web.db'}"
    with (
        serving(database_url, web_requests_per_minute=0) as server,
        watched_demo_site(server.database, database_url, 1),
    ):
        client = server.signed_in(server.add_user())
        group = groups.add_group(server.database, 1, GroupInput("Libraries"))
        sites.edit_site(server.database, 1, 1, SiteEdit(name="Seeds", group_id=group.id))
        _add_read_site(server, client)
        listed = client.get("/api/sites/1/pages?search=bed-for-seed").json()["pages"]
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(**found.launch_options())
            made = Dashboard(
                server.url,
                _window(browser, server.url, width=1280, is_dark=False),
                _window(browser, server.url, width=390, is_dark=True),
                f"/sites/1/pages/{listed[0]['id']}",
            )
            for window in (made.wide, made.narrow):
                window.on("console", lambda told: _note(made, told.type, told.text))
                window.on("pageerror", lambda error: made.complaints.append(str(error)))
                window.on("request", lambda request: _note_request(made, request.url))
            yield made
            browser.close()


def _add_read_site(server: Serving, client: httpx.Client) -> None:
    """Site 2, whose pages can be searched: with a conversation of two questions, and a dive."""
    make_searchable(server.database, _READ_PAGES)
    client.post("/api/sites", json={"rootUrl": f"https://{SITE}/"})
    for question in ("Who feeds the queen?", "What is a black hole?"):
        body = {"question": question, "conversation": "1" if "hole" in question else ""}
        answer = client.post("/sites/2/ask", data=body)
        assert answer.headers["location"] == "/sites/2/ask?conversation=1"


def _note(dashboard: Dashboard, kind: str, text: str) -> None:
    if kind == "error":
        dashboard.complaints.append(text)


def _note_request(dashboard: Dashboard, url: str) -> None:
    if not url.startswith((dashboard.url, "data:", "blob:")):
        dashboard.complaints.append(f"a request left: {url}")


@pytest.mark.parametrize("path", _PATHS)
def test_the_page_is_accessible_and_keeps_to_itself(dashboard: Dashboard, path: str) -> None:
    dashboard.complaints.clear()
    address = path.replace("/sites/1/pages/{page}", dashboard.page_path)
    for window in (dashboard.wide, dashboard.narrow):
        answer = window.goto(dashboard.url + address)
        assert answer is not None
        assert answer.status == 200
        window.evaluate(
            "document.querySelectorAll('details').forEach(each => { each.open = true })"
        )
        too_wide = window.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert too_wide <= 0, "the page scrolls sideways"
        window.evaluate(f"{_AXE.read_text(encoding='utf-8')}; 0")
        found = window.evaluate(
            "axe.run(document, { resultTypes: ['violations'], iframes: false })"
        )
        assert [(each["id"], each["nodes"][0]["html"]) for each in found["violations"]] == []
    assert dashboard.complaints == []


def test_filters_work_while_typing(dashboard: Dashboard) -> None:
    page = dashboard.wide
    page.goto(f"{dashboard.url}/sites/1/pages")
    page.fill("[name=search]", "oil-pressing")
    page.wait_for_url(re.compile("search=oil-pressing"))
    page.wait_for_function("document.querySelectorAll('#explorer tbody tr').length === 1")
    page.go_back()


def test_a_question_is_answered_with_its_sources_beside_it(dashboard: Dashboard) -> None:
    page = dashboard.wide
    page.goto(f"{dashboard.url}/sites/2/search?q=winter")
    assert page.locator("mark").first.text_content() == "winter"
    page.get_by_role("link", name="Ask this as a question").click()
    page.fill("[name=question]", "Who feeds the queen in a hive?")
    page.keyboard.press("Enter")
    page.locator(".sources blockquote").wait_for()
    assert page.locator(".sources blockquote").text_content() == _HIVE
    assert page.locator(".answer > p").first.text_content() == f"{_HIVE} S1"
    assert "conversation=" in page.url
    page.click(".answer a.label")
    assert page.url.endswith("-S1")
    # The next question goes on with the conversation.
    page.fill("[name=question]", "What is a black hole?")
    page.get_by_role("button", name="Ask").click()
    page.locator(".turn:not(.pending)").nth(1).wait_for()
    assert page.locator(".turn h2").all_text_contents()[1] == "What is a black hole?"
    page.goto(f"{dashboard.url}/sites/2/gaps")
    assert "What is a black hole?" in (page.text_content("tbody") or "")


def test_the_palette_finds_a_site_by_keyboard(dashboard: Dashboard) -> None:
    page = dashboard.wide
    page.goto(f"{dashboard.url}/tasks")
    page.keyboard.press("Control+k")
    page.keyboard.type("Seeds")
    page.locator("#palette-results li", has_text="Seeds").first.wait_for()
    page.keyboard.press("Enter")
    page.wait_for_url(f"{dashboard.url}/sites/1")


def test_times_are_those_of_the_viewer(dashboard: Dashboard) -> None:
    page = dashboard.wide
    page.goto(f"{dashboard.url}/sites/1/scans")
    words = page.locator("tbody time").first.inner_text()
    assert "UTC" not in words


def test_deleting_asks_first(dashboard: Dashboard) -> None:
    page = dashboard.wide
    page.goto(f"{dashboard.url}/sites/1/settings")
    asked: list[str] = []

    def refuse(dialog: object) -> None:
        asked.append(str(getattr(dialog, "message", "")))
        getattr(dialog, "dismiss")()  # noqa: B009

    page.once("dialog", refuse)
    page.click("button.danger")
    assert asked
    assert "Delete Seeds" in asked[0]
    assert page.url.endswith("/settings")
