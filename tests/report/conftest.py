from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import pytest
from playwright.sync_api import sync_playwright

from sitecrawl.render.browser import find_browser
from sitecrawl.report.html import html_report
from tests.report.sample import sample_report

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page

    from sitecrawl.report.data import ReportData


# Of a module, not of the session: while it runs, nothing else in the process may run a loop.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    found = find_browser()
    if found is None:
        pytest.skip("there is no browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**found.launch_options())
        yield browser
        browser.close()


@dataclass(slots=True)
class Complaints:
    """What a page must not do."""

    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)


class ReportOpener(Protocol):
    """Opens a report, the sample if none is given, and waits until it is drawn.

    *beforehand* is a script that changes the browser before the page starts.
    """

    def __call__(
        self,
        report: ReportData | None = None,
        *,
        width: int = 1280,
        scheme: str = "light",
        expects_errors: bool = False,
        beforehand: str = "",
    ) -> Page: ...


@pytest.fixture(scope="module")
def sample_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "sample.html"
    path.write_text(html_report(sample_report(3_000)), encoding="utf-8")
    return path


@pytest.fixture
def open_report(browser: Browser, sample_file: Path, tmp_path: Path) -> Iterator[ReportOpener]:
    """At the end: no error was logged, nothing was requested, nothing asked for attention."""
    contexts: list[BrowserContext] = []
    complaints = Complaints()

    def opened(
        report: ReportData | None = None,
        *,
        width: int = 1280,
        scheme: str = "light",
        expects_errors: bool = False,
        beforehand: str = "",
    ) -> Page:
        path = sample_file
        if report is not None:
            path = tmp_path / "report.html"
            path.write_text(html_report(report), encoding="utf-8")
        context = browser.new_context(
            viewport={"width": width, "height": 800},
            color_scheme="dark" if scheme == "dark" else "light",
            reduced_motion="reduce",
        )
        contexts.append(context)
        page = context.new_page()
        if not expects_errors:
            page.on("console", lambda message: _note_error(message, complaints))
        page.on("pageerror", lambda error: complaints.errors.append(str(error)))
        page.on("dialog", lambda dialog: complaints.dialogs.append(dialog.message))
        page.add_init_script(beforehand)
        page.goto(path.as_uri())
        page.on("request", lambda request: complaints.requests.append(request.url))
        page.wait_for_selector(".pages tbody tr, [role=alert]")
        return page

    yield opened
    for context in contexts:
        context.close()
    local = ("blob:", "data:")
    complaints.requests = [url for url in complaints.requests if not url.startswith(local)]
    assert complaints == Complaints()


def _note_error(message: ConsoleMessage, complaints: Complaints) -> None:
    if message.type == "error":
        complaints.errors.append(message.text)
