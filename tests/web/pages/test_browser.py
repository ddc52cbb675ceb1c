"""Every page in a real browser, wide and narrow, light and dark, with axe-core; main actions."""

from __future__ import annotations

import re
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect, sync_playwright
from sqlalchemy import update

from sitecrawl.changes.events import Event
from sitecrawl.changes.kinds import EventKind, Severity
from sitecrawl.dive.topics import renew_topics
from sitecrawl.monitor.runner import JobRunner, RetryRule
from sitecrawl.render.browser import find_browser
from sitecrawl.services import groups, jobs, sites
from sitecrawl.services.demo_site import watched_demo_site
from sitecrawl.services.groups import GroupInput
from sitecrawl.services.sites import NewSite, SiteEdit
from sitecrawl.store import schema as t
from sitecrawl.store.writers.changes import open_incident
from tests.dive.conftest import make_searchable
from tests.store.scanning import SITE
from tests.web.serving import PASSWORD, serving

if TYPE_CHECKING:
    from collections.abc import Iterator

    import httpx
    from playwright.sync_api import BrowserContext, Page

    from tests.web.serving import Serving

_AXE = Path(__file__).parents[2] / "report" / "assets" / "axe.min.js"
_WIDE = {"width": 1280, "height": 800}
_NARROW = {"width": 390, "height": 800}
_PATHS = (
    *("/", "/sites", "/sites/new", "/sites/import", "/groups", "/incidents", "/tasks", "/tasks/1"),
    *("/help", "/find?q=seed", "/styleguide", "/sites/1", "/sites/1/pages"),
    *("/compare", "/compare?left=1&right=2", "/sites/1/incidents/1", "/sites/1/robots?before=1"),
    "/sites/1/sitemaps?before=1",
    *("/sites/1/pages?status=refused", "/sites/1/pages/{page}", "/sites/1/changes"),
    *("/sites/1/events", "/sites/1/events/1", "/sites/1/scans", "/sites/1/scans/2"),
    *("/sites/1/tree", "/sites/1/sitemaps", "/sites/1/robots", "/sites/1/coverage"),
    *("/sites/1/report", "/sites/1/search", "/sites/1/channels", "/sites/1/settings"),
    *("/sites/2/search?q=queen", "/sites/2/ask?conversation=1", "/sites/2/gaps", "/sites/2/dives"),
    "/sites/2/topics",
)

_HIVE = "A hive has one queen and many workers, who feed her through the winter."
_READ_PAGES = {
    "/bees": f"<title>Bees</title><main><h1>Bees</h1><p>{_HIVE}</p></main>",
    "/hours": "<title>Hours</title><main><p>We open at nine in the morning.</p></main>",
    "/honey": "<title>Honey</title><main><p>Bees make honey of what flowers give.</p></main>",
    "/tickets": "<title>Tickets</title><main><p>Adults pay five euros at the door.</p></main>",
}


@dataclass
class Dashboard:
    """A dashboard with the demo site, signed in, in one window that changes its size."""

    server: Serving
    database_url: str
    site_url: str
    context: BrowserContext
    page: Page
    page_path: str
    complaints: list[str] = field(default_factory=list)

    def open(self, path: str) -> Page:
        answer = self.page.goto(self.server.url + path)
        assert answer is not None
        assert answer.status == 200, path
        return self.page

    def run_job(self, job_id: int) -> None:
        """As a worker does it."""
        runner = JobRunner(self.server.database, self.database_url, "me", RetryRule(0, 1))
        status = runner.scan_or_fail(job_id)
        assert status is not None
        runner.finish(job_id, status)


@pytest.fixture(scope="module")
def dashboard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    found = find_browser()
    if found is None:
        pytest.skip("there is no browser")
    database_url = f"sqlite:///{tmp_path_factory.mktemp('dashboard') / 'web.db'}"
    with (
        serving(database_url, web_requests_per_minute=0, address_allow=("127.0.0.1",)) as server,
        watched_demo_site(server.database, database_url, 1) as site_url,
        sync_playwright() as playwright,
    ):
        client = server.signed_in(server.add_user())
        group = groups.add_group(server.database, 1, GroupInput("Libraries"))
        sites.edit_site(server.database, 1, 1, SiteEdit(name="Seeds", group_id=group.id))
        _add_read_site(server, client)
        sites.add_site(server.database, 1, NewSite("https://other.example", name="Other"))
        _open_incident(server)
        listed = client.get("/api/sites/1/pages?search=bed-for-seed").json()["pages"]
        browser = playwright.chromium.launch(**found.launch_options())
        context = browser.new_context(
            viewport=_WIDE,  # type: ignore[arg-type]
            reduced_motion="reduce",
            timezone_id="Asia/Tokyo",
        )
        page = context.new_page()
        path = f"/sites/1/pages/{listed[0]['id']}"
        made = Dashboard(server, database_url, site_url, context, page, path)
        page.on("console", lambda told: _note(made, told.type, told.text))
        page.on("pageerror", lambda error: made.complaints.append(str(error)))
        page.on("request", lambda request: _note_request(made, request.url))
        page.goto(f"{server.url}/login")
        page.fill("[name=email]", "owner-1@example.com")
        page.fill("[name=password]", PASSWORD)
        page.click("main button")
        page.wait_for_url(f"{server.url}/")
        yield made
        browser.close()


def _open_incident(server: Serving) -> None:
    event = Event(EventKind.REMOVED, Severity.HIGH, "Many pages are gone", incident="test")
    with server.database.writing() as connection:
        number, _ = open_incident(connection, 1, 2, event, datetime.now(UTC))
        connection.execute(update(t.events).where(t.events.c.id == 1).values(incident_id=number))


def _add_read_site(server: Serving, client: httpx.Client) -> None:
    """Site 2, whose pages can be searched: with a conversation of two questions, and a dive."""
    renew_topics(server.database, make_searchable(server.database, _READ_PAGES))
    client.post("/api/sites", json={"rootUrl": f"https://{SITE}/"})
    for question in ("Who feeds the queen?", "What is a black hole?"):
        body = {"question": question, "conversation": "1" if "hole" in question else ""}
        answer = client.post("/sites/2/ask", data=body)
        assert answer.headers["location"] == "/sites/2/ask?conversation=1"


def _note(dashboard: Dashboard, kind: str, text: str) -> None:
    if kind == "error":
        dashboard.complaints.append(text)


def _note_request(dashboard: Dashboard, url: str) -> None:
    if not url.startswith((dashboard.server.url, "data:", "blob:")):
        dashboard.complaints.append(f"a request left: {url}")


def _violations(page: Page, **options: Any) -> list[tuple[str, str]]:
    found = page.evaluate(
        "options => axe.run(document, { resultTypes: ['violations'], iframes: false, ...options })",
        options,
    )
    return [(each["id"], each["nodes"][0]["html"]) for each in found["violations"]]


@pytest.mark.parametrize("path", _PATHS)
def test_the_page_is_accessible_and_keeps_to_itself(dashboard: Dashboard, path: str) -> None:
    """One load: a scheme changes nothing but colours, a width nothing but the layout."""
    dashboard.complaints.clear()
    page = dashboard.open(path.replace("/sites/1/pages/{page}", dashboard.page_path))
    page.evaluate(f"{_AXE.read_text(encoding='utf-8')}; 0")
    only_colours = {"runOnly": ["color-contrast"]}
    try:
        for size in (_WIDE, _NARROW):
            page.set_viewport_size(size)  # type: ignore[arg-type]
            page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
            too_wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
            assert too_wide <= 0, f"the page scrolls sideways at {size['width']}"
            page.emulate_media(color_scheme="light")
            assert _violations(page) == []
            page.emulate_media(color_scheme="dark")
            assert _violations(page, **only_colours) == []
    finally:
        page.emulate_media(color_scheme="light")
        page.set_viewport_size(_WIDE)  # type: ignore[arg-type]
    assert dashboard.complaints == []


def test_filters_work_while_typing(dashboard: Dashboard) -> None:
    page = dashboard.open("/sites/1/pages")
    page.fill("[name=search]", "oil-pressing")
    page.wait_for_url(re.compile("search=oil-pressing"))
    page.wait_for_function("document.querySelectorAll('#explorer tbody tr').length === 1")


def test_columns_are_chosen_and_views_are_saved(dashboard: Dashboard) -> None:
    page = dashboard.open("/sites/1/pages?search=blog")
    page.click("summary:has-text('Columns')")
    page.check("[name=columns][value=depth]")
    page.click("button:has-text('Show these')")
    expect(page.locator("#explorer thead")).to_contain_text("Depth")
    page.click("summary:has-text('Saved views')")
    page.fill("[name=name]", "Blog by depth")
    page.click("button:text-is('Save')")
    dashboard.open("/sites/1/pages")
    page.click("summary:has-text('Saved views')")
    page.click("a:has-text('Blog by depth')")
    page.wait_for_url(re.compile("search=blog"))
    expect(page.locator("#explorer thead")).to_contain_text("Depth")


def test_the_palette_finds_a_site_by_keyboard(dashboard: Dashboard) -> None:
    page = dashboard.open("/tasks")
    page.keyboard.press("Control+k")
    page.keyboard.type("Seeds")
    page.locator("#palette-results li", has_text="Seeds").first.wait_for()
    page.keyboard.press("Enter")
    page.wait_for_url(f"{dashboard.server.url}/sites/1")


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
    pages = {each["id"]: each["totalUrls"] for each in scans}
    assert (sum(first), sum(second)) == (pages[1], pages[2])
    assert second[sections["/seeds"]] == first[sections["/seeds"]] + 3
    assert second[sections["/guides"]] == first[sections["/guides"]] - 2


def test_times_are_those_of_the_viewer(dashboard: Dashboard) -> None:
    page = dashboard.open("/sites/1/scans/2")
    shown = page.locator("time[data-whole]").first
    started = datetime.fromisoformat(shown.get_attribute("datetime") or "")
    hour = (started.hour + 9) % 24  # Tokyo
    assert f"{hour % 12 or 12}:{started:%M}" in shown.inner_text()


def test_deleting_asks_first(dashboard: Dashboard) -> None:
    page = dashboard.open("/sites/1/settings")
    asked: list[str] = []

    def refuse(dialog: object) -> None:
        asked.append(str(getattr(dialog, "message", "")))
        getattr(dialog, "dismiss")()  # noqa: B009

    page.once("dialog", refuse)
    page.click("button.danger")
    assert asked
    assert "Delete Seeds" in asked[0]
    assert page.url.endswith("/settings")


def test_many_sites_are_changed_at_once(dashboard: Dashboard) -> None:
    page = dashboard.open("/sites")
    page.check("[data-select-all]")
    expect(page.locator("[data-selected]")).to_have_text("3 selected")
    page.fill(".bulk [name=tags]", "both")
    page.click("button:text-is('Add tags')")
    expect(page.locator(".toast")).to_contain_text("3 of 3")
    expect(page.locator("tbody .tag:text-is('both')")).to_have_count(3)
    page.check("[aria-label='Select Other']")
    page.click("button:text-is('Disable')")
    expect(page.locator("tbody tr", has_text="Other")).to_contain_text("disabled")


def test_a_file_is_dropped_and_checked(dashboard: Dashboard) -> None:
    page = dashboard.open("/sites/import")
    page.evaluate(
        """() => {
            const files = new DataTransfer();
            files.items.add(new File(["https://a.example\\nftp://b"], "sites.csv"));
            const drop = new DragEvent("drop", { dataTransfer: files, bubbles: true });
            document.querySelector("[data-dropzone]").dispatchEvent(drop);
        }"""
    )
    expect(page.locator("#csv")).to_have_value("https://a.example\nftp://b")
    expect(page.locator("#check")).to_contain_text("Line 2")


def test_an_incident_is_assigned_noted_snoozed_and_closed(dashboard: Dashboard) -> None:
    page = dashboard.open("/")
    page.click("section.attention a:has-text('Many pages are gone')")
    page.fill("[name=assignee]", "grace")
    page.fill("[name=note]", "They moved to the archive")
    page.click("button:text-is('Save')")
    expect(page.locator("main")).to_contain_text("They moved to the archive")
    page.click("button:text-is('Snooze')")
    expect(page.locator(".facts")).to_contain_text("snoozed")
    dashboard.open("/incidents")
    expect(page.locator("main")).to_contain_text("No open incidents")
    dashboard.open("/incidents?snoozed=true")
    page.click("a:has-text('Many pages are gone')")
    page.click("button:text-is('End the snooze')")
    page.click("button:text-is('Close it')")
    expect(page.locator(".facts")).to_contain_text("closed")
    dashboard.open("/incidents?status=closed")
    expect(page.locator("tbody")).to_contain_text("grace")


def test_a_task_is_followed_while_it_runs(dashboard: Dashboard) -> None:
    first = jobs.list_jobs(dashboard.server.database, 1).rows
    for each in first:
        if each.status == "queued":
            jobs.cancel_job(dashboard.server.database, 1, each.id)
    page = dashboard.open("/sites/1")
    page.click("button:text-is('Scan now')")
    page.wait_for_url(re.compile(r"/tasks/\d+$"))
    expect(page.locator("[data-task-live]")).to_contain_text("It waits for a worker")
    with _in_thread(dashboard.run_job, int(page.url.rpartition("/")[2])):
        expect(page.locator(".figures .badge")).to_have_text("success", timeout=60_000)
    expect(page.locator("[data-task-live]")).to_contain_text("/robots.txt")
    expect(page.locator("#log")).to_have_text("End of the log")
    expect(page.locator("button:text-is('Cancel')")).to_have_count(0)


def test_a_task_is_cancelled_and_tried_again(dashboard: Dashboard) -> None:
    page = dashboard.open("/sites/1")
    page.click("button:text-is('Scan now')")
    page.wait_for_url(re.compile(r"/tasks/\d+$"))
    page.click("button:text-is('Cancel')")
    expect(page.locator(".figures .badge")).to_have_text("cancelled")
    page.click("button:text-is('Retry')")
    expect(page.locator(".toast")).to_contain_text("Queued again")
    expect(page.locator("tbody tr").first).to_contain_text("queued")


def test_a_new_site_is_looked_at_before_it_is_watched(dashboard: Dashboard) -> None:
    dashboard.complaints.clear()
    page = dashboard.open("/sites/new")
    page.fill("[name=root_url]", "10.0.0.1")
    page.click("button:text-is('Look first')")
    expect(page.locator("[data-event=failed]")).to_contain_text("10.0.0.1")
    page.fill("[name=root_url]", dashboard.site_url)
    page.click("button:text-is('Look first')")
    expect(page.locator("[data-event=ended]")).to_contain_text("pages", timeout=60_000)
    expect(page.locator("[data-event=failed]")).to_be_empty()
    expect(page.locator("[data-event=robots]")).to_contain_text("2 sitemaps named")
    expect(page.locator("[data-event=sitemap]")).to_contain_text("/sitemaps/pages.xml")
    expect(page.locator("[data-event=root]")).to_contain_text("Lindental Seed Library")
    assert dashboard.complaints == []


def test_a_question_is_answered_with_its_sources_beside_it(dashboard: Dashboard) -> None:
    page = dashboard.open("/sites/2/search?q=winter")
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
    dashboard.open("/sites/2/gaps")
    assert "What is a black hole?" in (page.text_content("tbody") or "")


def test_pages_can_be_read_without_javascript(dashboard: Dashboard) -> None:
    context = dashboard.context.browser.new_context(  # type: ignore[union-attr]
        java_script_enabled=False, storage_state=dashboard.context.storage_state()
    )
    page = context.new_page()
    for path, words in (
        ("/", "Changes of the last 30 days"),
        ("/sites/1/pages", "pages as of"),
        ("/sites/1/scans", "Response times"),
        ("/find?q=seeds", "Seeds"),
    ):
        page.goto(dashboard.server.url + path)
        expect(page.locator("main")).to_contain_text(words)
    context.close()


@contextmanager
def _in_thread(work: Any, *arguments: Any) -> Iterator[None]:
    thread = threading.Thread(target=work, args=arguments)
    thread.start()
    try:
        yield
    finally:
        thread.join()
