"""A site that attacks the reader of its report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playwright.sync_api import expect

from tests.report.hostile import ATTACKS, RIGHT_TO_LEFT, hostile_report

if TYPE_CHECKING:
    from tests.report.conftest import ReportOpener


def test_nothing_that_a_site_wrote_is_run_or_followed(open_report: ReportOpener) -> None:
    page = open_report(hostile_report())  # which sees errors, requests and dialogs
    page.locator("#links").scroll_into_view_if_needed()
    page.locator(".arc-row").first.click()
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true })")
    page.locator(".tile").first.click()
    page.locator(".arc-row").last.hover()
    page.locator(".pages .details").first.click()
    page.wait_for_timeout(50)
    assert page.evaluate("typeof window.hacked") == "undefined"
    assert (
        page.evaluate("document.querySelectorAll('img, iframe, base, object, embed').length") == 0
    )
    assert page.evaluate("document.scripts.length") == 5  # four parts of data, one script
    links = page.locator("a").evaluate_all("all => all.map(each => each.href)")
    assert {link.partition(":")[0] for link in links} == {"https", "file"}  # file: own anchors
    assert all("#" in link for link in links if link.startswith("file"))


def test_attacks_are_shown_as_the_text_they_are(open_report: ReportOpener) -> None:
    page = open_report(hostile_report(), width=360)
    text = page.locator("main").inner_text()
    assert ATTACKS[0] in text
    names = page.locator("[title], [aria-label]").evaluate_all(
        "all => all.map(each => each.title + each.ariaLabel)"
    )
    assert not any(RIGHT_TO_LEFT in shown for shown in (text, *names))
    assert "\\u{202e}" in text
    assert page.evaluate("document.documentElement.scrollWidth") == 360


def test_the_policy_stops_what_might_slip_through(open_report: ReportOpener) -> None:
    # The same is tried with the text of a page: even then the browser refuses it.
    page = open_report(expects_errors=True)
    refused = page.evaluate("""() => {
        try { document.body.innerHTML += "<img src=x>"; return false }
        catch (error) { return error instanceof TypeError }
    }""")
    assert refused
    page.evaluate("""() => {
        const script = document.createElement("script")
        try { script.text = "window.hacked = 9" } catch { return }
        document.body.append(script)
    }""")
    assert page.evaluate("typeof window.hacked") == "undefined"
    expect(page.locator("img")).to_have_count(0)
