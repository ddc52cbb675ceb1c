"""What people do with sites, inventories and tasks, in a real browser."""

from __future__ import annotations

import csv
import io
import json
import re
import threading
import zipfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from sitecrawl.services import groups, jobs, sites
from sitecrawl.services.groups import GroupInput
from sitecrawl.services.sites import NewSite
from tests.site.build import page as page_of
from tests.site.build import robots, sitemap
from tests.site.reply import Reply
from tests.web.pages.browsing import answer_dialogs, does
from tests.web.pages.conftest import HIVE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.site import SiteServer
    from tests.web.pages.browsing import Dashboard


def _add_sites(dashboard: Dashboard, name: str, number: int = 2) -> list[int]:
    """Watched sites of this name, without a task."""
    made = []
    for each in range(number):
        new = NewSite(f"https://{name}{each}.example", name=f"{name} {each}")
        site = sites.add_site(dashboard.server.database, 1, new)
        jobs.cancel_job(dashboard.server.database, 1, site.active_job_id or 0)
        made.append(site.id)
    return made


def _save(dashboard: Dashboard, link: str) -> tuple[str, bytes]:
    """Click the link to a file: its name and content."""
    with dashboard.page.expect_download() as saved:
        dashboard.page.click(link)
    return saved.value.suggested_filename, Path(saved.value.path()).read_bytes()


def _rows(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"))))


# --- sites -------------------------------------------------------------------------------------


@pytest.mark.parametrize("action", ["enable", "disable", "delete", "group", "tag", "untag", "scan"])
@does("/sites/bulk")
def test_many_sites_are_changed_at_once(dashboard: Dashboard, action: str) -> None:
    database = dashboard.server.database
    ids = _add_sites(dashboard, action)
    group = groups.add_group(database, 1, GroupInput(f"Group for {action}"))
    page = dashboard.open(f"/sites?search={action}")
    page.check("[data-select-all]")
    expect(page.locator("[data-selected]")).to_have_text("2 selected")
    page.select_option(".bulk [name=group_id]", label=group.name)
    page.fill(".bulk [name=tags]", "both")
    if action == "untag":
        page.click("button:text-is('Add tags')")
        expect(page.locator("tbody .tag:text-is('both')")).to_have_count(2)
        page.check("[data-select-all]")
        page.fill(".bulk [name=tags]", "both")
    asked = answer_dialogs(page, accept=True) if action == "delete" else []
    page.click(f".bulk button[value={action}]")
    dashboard.told("2 of 2")
    assert bool(asked) == (action == "delete")
    if action == "delete":
        expect(page.locator("main")).to_contain_text("No site fits")
        assert not {each.id for each in sites.list_sites(database, 1).rows} & set(ids)
        return
    after = [sites.get_site(database, 1, number) for number in ids]
    assert [each.enabled for each in after] == [action != "disable"] * 2
    assert [each.group_id for each in after] == [group.id if action == "group" else None] * 2
    assert [each.tags for each in after] == [("both",) if action == "tag" else ()] * 2
    queued = "queued" if action == "scan" else None
    assert [each.active_job_status for each in after] == [queued] * 2
    words = {"disable": "disabled", "group": group.name, "tag": "both", "scan": "queued"}
    for row in page.locator("tbody tr").all():
        expect(row).to_contain_text(words.get(action, action))


@does("/sites/{site_id}/settings")
def test_settings_of_a_site_are_saved_and_wrong_ones_shown(dashboard: Dashboard) -> None:
    database = dashboard.server.database
    [number] = _add_sites(dashboard, "settings", 1)
    page = dashboard.open(f"/sites/{number}/settings")
    page.fill("[name=name]", "Another name")
    page.fill("[name=cron]", "every morning")
    page.click("button:text-is('Save')")
    expect(page.locator("#error-cron")).to_be_visible()
    expect(page.locator("[name=name]")).to_have_value("Another name")
    page.fill("[name=cron]", "0 6 * * 1-5")
    page.fill("[name=timezone]", "Europe/Berlin")
    page.fill("[name=tags]", "blog, production")
    page.fill("[name=owner]", "grace")
    page.select_option("[name=priority]", "5")
    page.select_option("[name=profile]", "audit")
    page.select_option("[name=group_id]", label="Libraries")
    page.uncheck("[name=enabled]")
    page.click("button:text-is('Save')")
    dashboard.told("Saved")
    expect(page.locator("h1")).to_have_text("Another name")
    saved = sites.get_site(database, 1, number)
    assert (saved.cron, saved.timezone, saved.owner) == ("0 6 * * 1-5", "Europe/Berlin", "grace")
    assert (saved.priority, saved.profile, saved.enabled) == (5, "audit", False)
    assert (saved.tags, saved.group_name) == (("blog", "production"), "Libraries")


@does("/sites/{site_id}/delete")
def test_deleting_a_site_asks_first(dashboard: Dashboard) -> None:
    [number] = _add_sites(dashboard, "gone", 1)
    page = dashboard.open(f"/sites/{number}/settings")
    asked = answer_dialogs(page, accept=False)
    page.click("button.danger")
    assert "Delete gone 0" in asked[0]
    assert page.url.endswith("/settings")
    answer_dialogs(page, accept=True)
    page.click("button.danger")
    dashboard.told("gone 0 is deleted")
    assert page.url.endswith("/sites")


@does("/sites/new", "/sites/new/preview", "/tasks/{job_id}/cancel")
def test_a_new_site_is_looked_at_before_it_is_watched(dashboard: Dashboard) -> None:
    dashboard.complaints.clear()
    demo = sites.get_site(dashboard.server.database, 1, 1)
    page = dashboard.open("/sites/new")
    page.fill("[name=root_url]", "10.0.0.1")
    page.click("button:text-is('Look first')")
    expect(page.locator("[data-event=failed]")).to_contain_text("10.0.0.1")
    page.fill("[name=root_url]", demo.root_url)
    page.click("button:text-is('Look first')")
    expect(page.locator("[data-event=ended]")).to_contain_text("pages", timeout=60_000)
    expect(page.locator("[data-event=failed]")).to_be_empty()
    expect(page.locator("[data-event=robots]")).to_contain_text("2 sitemaps named")
    expect(page.locator("[data-event=sitemap]")).to_contain_text("/sitemaps/pages.xml")
    expect(page.locator("[data-event=root]")).to_contain_text("Lindental Seed Library")
    assert dashboard.complaints == []
    page.click("button:text-is('Watch it')")
    expect(page.locator("#error-root_url")).to_contain_text("already")
    page.fill("[name=root_url]", "https://watched.example")
    page.fill("[name=name]", "Watched")
    page.click("button:text-is('Watch it')")
    dashboard.told("Watched is watched now")
    page.wait_for_url(re.compile(r"/tasks/\d+$"))
    page.click("button:text-is('Cancel')")
    expect(page.locator(".figures .badge")).to_have_text("cancelled")


@does("/sites/import", "/sites/import/check")
def test_sites_are_imported_from_what_is_pasted_dropped_or_chosen(
    dashboard: Dashboard, tmp_path: Path
) -> None:
    page = dashboard.open("/sites/import")
    page.evaluate(
        """() => {
            const files = new DataTransfer();
            files.items.add(new File(["https://dropped.example\\nftp://b"], "sites.csv"));
            const drop = new DragEvent("drop", { dataTransfer: files, bubbles: true });
            document.querySelector("[data-dropzone]").dispatchEvent(drop);
        }"""
    )
    expect(page.locator("#csv")).to_have_value("https://dropped.example\nftp://b")
    expect(page.locator("#check")).to_contain_text("Line 2")
    page.fill("#csv", "https://dropped.example\nhttps://pasted.example")
    expect(page.locator("#check")).to_contain_text("all fine")
    page.fill("#csv", "https://dropped.example\nftp://b\nhttps://other.example")
    page.click("button:text-is('Import')")
    rows = page.locator("table tbody tr")
    expect(rows).to_have_count(3)
    assert [re.sub(r"\s+", " ", text).split(" ")[:3] for text in rows.all_inner_texts()] == [
        ["1", "https://dropped.example", "imported"],
        ["2", "ftp://b", "invalid"],
        ["3", "https://other.example", "duplicate"],
    ]
    file = tmp_path / "sites.json"
    file.write_text(json.dumps([{"root_url": "https://chosen.example", "name": "Chosen"}]))
    page.set_input_files("[name=file]", file)
    expect(page.locator("#csv")).to_have_value(re.compile("chosen"))
    page.click("button:text-is('Import')")
    expect(page.locator("tbody tr")).to_contain_text("imported")
    page.click("tbody a")
    expect(page.locator("h1")).to_have_text("Chosen")


@does("/groups", "/groups/{group_id}", "/groups/{group_id}/delete")
def test_groups_are_made_renamed_assigned_and_deleted(dashboard: Dashboard) -> None:
    [number] = _add_sites(dashboard, "grouped", 1)
    page = dashboard.open("/groups")
    new = page.locator("section:has(h2:text-is('New group'))")
    new.locator("[name=name]").fill("Shops")
    new.locator("[name=description]").fill("All that sell something")
    new.locator("button").click()
    dashboard.told("Group Shops is there")
    card = page.locator("section:has(h2:has-text('Shops'))")
    expect(card).to_contain_text("All that sell something")
    card.locator("summary").click()
    card.locator("[name=name]").fill("Stores")
    card.locator("[name=colour]").fill("#aa2200")
    card.locator("button:text-is('Save')").click()
    dashboard.told("Saved")
    dashboard.open(f"/sites/{number}/settings")
    page.select_option("[name=group_id]", label="Stores")
    page.click("button:text-is('Save')")
    expect(page.locator(".crumbs")).to_contain_text("Stores")
    page.click(".crumbs a:text-is('Stores')")
    expect(page.locator("tbody tr")).to_have_count(1)
    expect(page.locator("tbody tr")).to_contain_text("grouped 0")
    dashboard.open("/groups")
    card = page.locator("section:has(h2:has-text('Stores'))")
    expect(card).to_contain_text("1 site")
    card.locator("summary").click()
    asked = answer_dialogs(page, accept=True)
    card.locator("button:text-is('Delete group')").click()
    dashboard.told("its sites stay")
    assert "Stores" in asked[0]
    assert sites.get_site(dashboard.server.database, 1, number).group_id is None


# --- the inventory -----------------------------------------------------------------------------


def test_filters_work_while_typing(dashboard: Dashboard) -> None:
    page = dashboard.open("/sites/1/pages")
    page.fill("[name=search]", "oil-pressing")
    page.wait_for_url(re.compile("search=oil-pressing"))
    page.wait_for_function("document.querySelectorAll('#explorer tbody tr').length === 1")


@does("/sites/{site_id}/views", "/sites/{site_id}/views/{view_id}/delete")
def test_columns_are_chosen_and_views_are_saved(dashboard: Dashboard) -> None:
    page = dashboard.open("/sites/1/pages?search=blog")
    page.click("summary:has-text('Columns')")
    page.check("[name=columns][value=depth]")
    page.uncheck("[name=columns][value=category]")
    page.click("button:has-text('Show these')")
    expect(page.locator("#explorer thead")).to_contain_text("Depth")
    expect(page.locator("#explorer thead")).not_to_contain_text("Category")
    page.click("summary:has-text('Saved views')")
    page.fill("[name=name]", "Blog by depth")
    page.click("button:text-is('Save')")
    dashboard.told("Blog by depth")
    dashboard.open("/sites/1/pages")
    page.click("summary:has-text('Saved views')")
    page.click("a:has-text('Blog by depth')")
    page.wait_for_url(re.compile("search=blog"))
    expect(page.locator("#explorer thead")).to_contain_text("Depth")
    page.click("summary:has-text('Saved views')")
    page.click("button:has-text('Delete')")
    dashboard.told("The view is deleted")
    expect(page.locator("a:has-text('Blog by depth')")).to_have_count(0)


def test_what_is_seen_is_exported(dashboard: Dashboard) -> None:
    page = dashboard.open("/sites/1/pages")
    page.fill("[name=search]", "blog")
    page.wait_for_url(re.compile("search=blog"))
    page.click("#explorer a:has-text('blog') >> nth=0", trial=True)
    expect(page.locator("#explorer .facets")).to_contain_text("search: blog")
    shown = page.locator("#explorer tbody tr").count()
    assert shown > 1
    name, content = _save(dashboard, "#explorer a:has-text('CSV')")
    assert name.endswith("-pages.csv")
    listed = _rows(content)
    assert len(listed) == shown
    assert all("blog" in (row["url"] + row["title"]).lower() for row in listed)
    _, content = _save(dashboard, "#explorer a:has-text('JSONL')")
    lines = [json.loads(line) for line in content.splitlines()]
    assert [row["url"] for row in lines] == [row["url"] for row in listed]
    _, content = _save(dashboard, "#explorer a:has-text('XLSX')")
    assert "xl/workbook.xml" in zipfile.ZipFile(io.BytesIO(content)).namelist()


def test_sites_and_changes_that_are_seen_are_exported(dashboard: Dashboard) -> None:
    _add_sites(dashboard, "exported")
    page = dashboard.open("/sites")
    page.fill("[name=search]", "exported")
    page.wait_for_url(re.compile("search=exported"))
    expect(page.locator("tbody tr")).to_have_count(2)
    assert len(_rows(_save(dashboard, "a:has-text('as CSV')")[1])) == 2
    page.select_option("[name=group]", "none")
    page.wait_for_url(re.compile("group=none"))
    expect(page.locator("a:has-text('as CSV')")).to_have_attribute(
        "href", re.compile("withoutGroup=true")
    )
    assert len(_rows(_save(dashboard, "a:has-text('as CSV')")[1])) == 2
    dashboard.open("/sites/1/changes")
    every = _rows(_save(dashboard, "a:has-text('as CSV')")[1])
    page.select_option("[name=type]", "added")
    page.wait_for_url(re.compile("type=added"))
    expect(page.locator("a:has-text('as CSV')")).to_have_attribute("href", re.compile("type=added"))
    name, content = _save(dashboard, "a:has-text('as CSV')")
    assert name.endswith("-changes.csv")
    added = _rows(content)
    assert {row["type"] for row in added} == {"added"}
    assert len(added) == page.locator("#changes tbody tr").count() < len(every)


def test_reports_and_sitemaps_are_downloaded(dashboard: Dashboard) -> None:
    dashboard.open("/sites/1/report")
    for format_, beginning in {"CSV": b"", "MD": b"#", "JSON": b"{", "XLSX": b"PK"}.items():
        name, content = _save(dashboard, f"main a:text-is('{format_}')")
        assert content.startswith(beginning), name
        assert len(content) > 1_000, name
    frame = dashboard.page.frame_locator("iframe.frame")
    expect(frame.locator("h1").first).to_be_visible()
    dashboard.open("/sites/1/sitemaps")
    assert zipfile.ZipFile(io.BytesIO(_save(dashboard, "a:has-text('ZIP')")[1])).namelist()
    assert _save(dashboard, "a:has-text('(CSV)')")[0].endswith(".csv")


@does("/sites/{site_id}/changes/{change_id}")
def test_a_change_is_closed_and_opened_again(dashboard: Dashboard) -> None:
    page = dashboard.open("/sites/1/changes?type=added")
    row = page.locator("#changes tbody tr").first
    row.locator("button:has-text('Close')").click()
    dashboard.told("is closed")
    assert "type=added" in page.url
    expect(row).to_contain_text("closed")
    row.locator("button:has-text('Open')").click()
    dashboard.told("is open")


def test_two_scans_and_two_sites_are_compared(dashboard: Dashboard) -> None:
    page = dashboard.open("/sites/1/scans")
    page.click("tbody a:text-is('Scan 2')")
    words = page.locator("section:has(#diff) > p:not(.muted)").inner_text()
    found = re.search(r"Scan 1 to scan 2: (\d+) added, (\d+) removed, (\d+) updated", words)
    assert found is not None
    page.select_option("[name=kind]", "added")
    page.click("button:text-is('Compare')")
    expect(page.locator(".diff tbody tr")).to_have_count(int(found[1]))
    dashboard.open("/compare")
    page.select_option("[name=left]", label="Seeds")
    page.select_option("[name=right]", label="example.com")
    page.click("button:text-is('Compare')")
    expect(page.locator(".figures")).to_contain_text("On both")
    page.click("a:text-is('Swap')")
    expect(page.locator(".figures div").nth(2)).to_contain_text("Seeds")
    page.select_option("[name=left]", label="Seeds")
    page.select_option("[name=right]", label="Seeds")
    page.click("button:text-is('Compare')")
    expect(page.locator(".notice")).to_contain_text("two different sites")


def test_the_palette_finds_a_site_by_keyboard(dashboard: Dashboard) -> None:
    page = dashboard.open("/tasks")
    page.keyboard.press("Control+k")
    page.keyboard.type("Seeds")
    results = page.locator("#palette-results li")
    expect(results.first).to_contain_text("Seeds")
    page.keyboard.press("ArrowDown")
    expect(results.nth(1)).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")
    page.wait_for_url(f"{dashboard.server.url}/sites/1/pages")
    page.keyboard.press("/")
    expect(page.locator("#palette")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#palette")).to_be_hidden()


# --- tasks -------------------------------------------------------------------------------------


@does("/sites/{site_id}/scan")
def test_a_task_and_its_log_are_followed_while_it_runs(
    dashboard: Dashboard, site: SiteServer
) -> None:
    is_seen = threading.Event()
    site.routes |= {
        "/": page_of("Home"),
        "/robots.txt": robots(site.at("/sitemap.xml")),
        "/sitemap.xml": Reply(sitemap(site.at("/a")), hold=is_seen),
    }
    new = NewSite(site.url, name="Followed", allow_private=True)
    added = sites.add_site(dashboard.server.database, 1, new)
    jobs.cancel_job(dashboard.server.database, 1, added.active_job_id or 0)
    page = dashboard.open(f"/sites/{added.id}")
    page.click("button:text-is('Scan now')")
    page.wait_for_url(re.compile(r"/tasks/\d+$"))
    expect(page.locator("[data-task-live]")).to_contain_text("It waits for a worker")
    with _in_thread(dashboard.run_job, int(page.url.rpartition("/")[2])):
        try:
            expect(page.locator("#log")).to_have_text("Log, as it is written", timeout=60_000)
            expect(page.locator(".log")).to_contain_text("Spider opened", timeout=60_000)
            expect(page.locator(".figures .badge")).to_have_text("running")
        finally:
            is_seen.set()
        expect(page.locator(".figures .badge")).to_have_text("success", timeout=60_000)
    expect(page.locator("[data-task-live]")).to_contain_text("/robots.txt")
    expect(page.locator("#log")).to_have_text("End of the log")
    expect(page.locator(".log")).to_contain_text("Spider closed")
    expect(page.locator("button:text-is('Cancel')")).to_have_count(0)


@does("/tasks/{job_id}/cancel", "/tasks/{job_id}/retry")
def test_a_task_is_cancelled_and_tried_again(dashboard: Dashboard) -> None:
    [number] = _add_sites(dashboard, "tried", 1)
    page = dashboard.open(f"/sites/{number}")
    page.click("button:text-is('Scan now')")
    page.wait_for_url(re.compile(r"/tasks/\d+$"))
    page.click("button:text-is('Cancel')")
    expect(page.locator(".figures .badge")).to_have_text("cancelled")
    page.click("button:text-is('Retry')")
    dashboard.told("Queued again")
    row = page.locator("tbody tr", has_text="tried 0").first
    expect(row).to_contain_text("queued")
    row.locator("button:has-text('Cancel')").click()
    dashboard.told("being cancelled")
    dashboard.open("/tasks?status=cancelled")
    expect(page.locator("tbody tr").first).to_contain_text("tried 0")
    page.locator("tbody tr", has_text="tried 0").first.locator("button").click()
    dashboard.told("Queued again")


# --- search ------------------------------------------------------------------------------------


def test_a_question_is_answered_with_its_sources_beside_it(dashboard: Dashboard) -> None:
    page = dashboard.open("/sites/2/search?q=winter")
    assert page.locator("mark").first.text_content() == "winter"
    page.get_by_role("link", name="Ask this as a question").click()
    page.fill("[name=question]", "Who feeds the queen in a hive?")
    page.keyboard.press("Enter")
    page.locator(".sources blockquote").wait_for()
    assert page.locator(".sources blockquote").text_content() == HIVE
    assert page.locator(".answer > p").first.text_content() == f"{HIVE} S1"
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


@does("/sites/{site_id}/dives", "/tasks/{job_id}/cancel")
def test_a_dive_is_started(dashboard: Dashboard) -> None:
    database = dashboard.server.database
    if job := sites.get_site(database, 1, 2).active_job_id:
        jobs.cancel_job(database, 1, job)
    page = dashboard.open("/sites/2/dives")
    page.click("button:text-is('Start a dive')")
    dashboard.told("queued")
    page.click("#dives a:has-text('Task')")
    expect(page.locator("h1")).to_contain_text("Dive of")
    page.click("button:text-is('Cancel')")
    expect(page.locator(".figures .badge")).to_have_text("cancelled")


@contextmanager
def _in_thread(work: Any, *arguments: Any) -> Iterator[None]:
    thread = threading.Thread(target=work, args=arguments)
    thread.start()
    try:
        yield
    finally:
        thread.join()
