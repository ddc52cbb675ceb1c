"""Every page in a real browser: wide and narrow, light and dark, with axe-core; and its charts."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING

import pytest
from fastapi.routing import iter_route_contexts
from playwright.sync_api import expect

from sitecrawl.services import sites
from sitecrawl.web import pages
from tests.web.pages.browsing import NARROW, WIDE

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.web.pages.browsing import Dashboard

_PATHS = (
    *("/", "/sites", "/sites/new", "/sites/import", "/groups", "/incidents", "/tasks", "/tasks/1"),
    "/tasks/workers",
    *("/help", "/find?q=seed", "/styleguide", "/account", "/users", "/users/audit"),
    *("/compare", "/compare?left=1&right=2", "/sites/1", "/sites/1/pages"),
    *("/sites/1/robots?before=1", "/sites/1/sitemaps?before=1", "/sites?search=nothing"),
    *("/sites/1/pages?status=refused", "/sites/1/pages/{page_id}", "/sites/1/changes"),
    *("/sites/1/events", "/sites/1/events/1", "/sites/1/scans", "/sites/1/scans/2"),
    *("/sites/1/tree", "/sites/1/sitemaps", "/sites/1/robots", "/sites/1/coverage"),
    *("/sites/1/report", "/sites/1/search", "/sites/1/channels", "/sites/1/channels/1"),
    *("/sites/2/search?q=queen", "/sites/2/ask?conversation=1", "/sites/2/gaps", "/sites/2/dives"),
    *("/sites/2/topics", "/sites/1/settings", "/sites/3"),
)
# Streams, files and redirections; pages whose tests are elsewhere: signing in, incidents of scans.
_OTHER_ROUTES = {
    *("/tasks/{job_id}/live", "/sites/{site_id}/report/frame", "/dashboard", "/faq"),
    *("/login", "/setup/{secret}", "/password/{secret}", "/unsubscribe/{token}"),
    *("/login/provider", "/login/provider/callback"),
    "/sites/{site_id}/incidents/{incident_id}",
}


@pytest.fixture(scope="module")
def page_id(dashboard: Dashboard) -> str:
    client = dashboard.server.signed_in("owner-1@example.com")
    listed = client.get("/api/sites/1/pages?search=bed-for-seed").json()["pages"]
    return str(listed[0]["id"])


@pytest.mark.parametrize("path", _PATHS)
def test_the_page_is_accessible_and_keeps_to_itself(
    dashboard: Dashboard, path: str, page_id: str
) -> None:
    dashboard.complaints.clear()
    dashboard.open(path.replace("{page_id}", page_id))
    dashboard.check_layout()
    assert dashboard.complaints == []


def test_no_page_is_left_out() -> None:
    routes = [
        str(context.path)
        for context in iter_route_contexts(pages.router.routes)
        if "GET" in (getattr(context, "methods", None) or ())
    ]
    known = {path.partition("?")[0] for path in _PATHS}
    left = {
        route
        for route in routes
        if not any(re.fullmatch(re.sub(r"\{\w+\}", r"(\\d+|{page_id})", route), p) for p in known)
    }
    assert left == _OTHER_ROUTES


def _content(page: Page) -> dict[str, object]:
    """What can be read, but for times and what only a script can do."""
    main = page.locator("main")
    return {
        "headings": main.locator("h1, h2, h3").all_inner_texts(),
        "rows": main.locator("tbody tr").count(),
        "entries": main.locator("li").count(),
        "facts": main.locator("dt").all_text_contents(),
        "charts": main.locator("svg").count(),
        "fields": main.locator("input, select, textarea, button").count(),
    }


def test_every_page_can_be_read_without_javascript(dashboard: Dashboard, page_id: str) -> None:
    context = dashboard.context.browser.new_context(  # type: ignore[union-attr]
        java_script_enabled=False, storage_state=dashboard.context.storage_state()
    )
    plain = context.new_page()
    for path in _PATHS:
        filled = path.replace("{page_id}", page_id)
        plain.goto(dashboard.server.url + filled)
        shown = _content(plain)
        assert shown["headings"], path
        assert shown == _content(dashboard.open(filled)), path
    context.close()


def test_a_new_site_can_be_looked_at_without_javascript(dashboard: Dashboard) -> None:
    context = dashboard.context.browser.new_context(  # type: ignore[union-attr]
        java_script_enabled=False, storage_state=dashboard.context.storage_state()
    )
    page = context.new_page()
    page.goto(f"{dashboard.server.url}/sites/new")
    page.fill("[name=root_url]", sites.get_site(dashboard.server.database, 1, 1).root_url)
    page.click("button:text-is('Look first')")
    expect(page.locator("[data-event=robots]")).to_contain_text("2 sitemaps named")
    expect(page.locator("[data-event=ended]")).to_contain_text("It can be watched")
    assert page.input_value("[name=root_url]").startswith("http://127.0.0.1")
    context.close()


def test_the_tree_tells_how_sections_developed(dashboard: Dashboard) -> None:
    page = dashboard.open("/sites/1/tree")
    page.locator("details:has(caption:text-is('Pages by scan and section')) summary").click()
    table = page.locator("table:has(caption:text-is('Pages by scan and section'))")
    rows = [row.split("\t") for row in table.locator("tr").all_inner_texts()]
    sections = {name: number for number, name in enumerate(rows[0])}
    first, second = ([0, *map(int, row[1:])] for row in rows[1:3])
    scans = dashboard.page.evaluate(
        "async () => (await (await fetch('/api/sites/1/scans')).json()).scans"
    )
    found = {each["id"]: each["totalUrls"] for each in scans}
    assert (sum(first), sum(second)) == (found[1], found[2])
    assert second[sections["/seeds"]] == first[sections["/seeds"]] + 3
    assert second[sections["/guides"]] == first[sections["/guides"]] - 2


def test_times_are_those_of_the_viewer(dashboard: Dashboard) -> None:
    page = dashboard.open("/sites/1/scans/2")
    shown = page.locator("time[data-whole]").first
    started = datetime.fromisoformat(shown.get_attribute("datetime") or "")
    hour = (started.hour + 9) % 24  # Tokyo
    assert f"{hour % 12 or 12}:{started:%M}" in shown.inner_text()


def test_the_current_tab_is_in_sight_on_a_phone(dashboard: Dashboard) -> None:
    dashboard.page.set_viewport_size(NARROW)  # type: ignore[arg-type]
    try:
        page = dashboard.open("/sites/1/settings")
        for name in ("Main", "Of this site"):
            expect(page.locator(f"nav[aria-label='{name}'] a[aria-current]")).to_be_in_viewport()
    finally:
        dashboard.page.set_viewport_size(WIDE)  # type: ignore[arg-type]
