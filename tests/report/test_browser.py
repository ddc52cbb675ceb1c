"""The report in a real browser: what is drawn, and what can be done with it."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.report.sample import ROOT, sample_report

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Locator

    from tests.report.conftest import ReportOpener

PAGES = 3_000  # of the sample
REFUSED = 300


def first_cells(table: Locator, number: int = 5) -> list[str]:
    return table.locator("tbody:not(.print-only) th").all_inner_texts()[:number]


@pytest.mark.parametrize("width", [1280, 360])
def test_everything_is_there_and_fits(open_report: ReportOpener, width: int) -> None:
    page = open_report(width=width)
    expect(page.locator("h1")).to_have_text("www.lindenhof-garden.example")
    assert page.locator("main h2").all_inner_texts() == [
        *("In short", "Findings", "How complete is the list?", "Speed and weight", "Structure"),
        *("Contents", "Links between sections", "All pages", "How it was done"),
        "Evidence and downloads",
    ]
    figures = page.locator(".figures").inner_text()
    assert all(figure in figures for figure in ("3,000", "3,240", "3,090 to 3,510", "300"))
    assert page.locator(".callout").first.inner_text().count("SITECRAWL_MAX_CRAWL_DEPTH") == 1
    assert page.evaluate("document.documentElement.scrollWidth") == width  # nothing sticks out


def test_findings_come_in_the_order_of_their_weight(open_report: ReportOpener) -> None:
    findings = open_report().locator(".finding")
    assert findings.evaluate_all("all => all.map(each => each.dataset.severity)") == [
        *("high", "high", "medium", "low"),
    ]
    findings.first.locator("summary").click()
    expect(findings.first.locator(".examples a").first).to_be_visible()


def test_the_treemap_is_entered_by_mouse_and_keyboard(open_report: ReportOpener) -> None:
    page = open_report()
    page.locator(".tile", has_text="products").first.click()
    crumbs = page.locator(".crumbs")
    expect(crumbs).to_contain_text("products")
    expect(page.locator(".treemap-about")).to_contain_text("1,5")  # 1,559 pages
    # The first tile has the focus; the keys go on from there.
    name = page.locator(".tile").nth(1).get_attribute("title") or ""
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.title") == name
    page.keyboard.press("Escape")
    expect(crumbs).to_have_text("Whole site")
    page.keyboard.press("Enter")
    expect(crumbs).to_contain_text("products")
    crumbs.get_by_role("button", name="Whole site").click()
    expect(crumbs).to_have_text("Whole site")


def test_pages_of_a_folder_are_listed(open_report: ReportOpener) -> None:
    page = open_report()
    page.locator(".tile", has_text="forum").first.click()
    page.get_by_role("button", name="List these pages").click()
    expect(page.locator(".page-table .note")).to_have_text(f"180 of {PAGES:,} pages.")
    expect(page.locator(".chip")).to_contain_text(f"{ROOT}/forum/")
    page.locator(".chip").get_by_role("button", name="Show all").click()
    expect(page.locator(".page-table .note")).to_have_text(f"{PAGES:,} pages.")


def test_clusters_are_searched_and_sorted(open_report: ReportOpener) -> None:
    page = open_report()
    table = page.locator(".data-table", has=page.get_by_role("table", name="Clusters of pages"))
    assert first_cells(table, 2) == ["/products", "/guides"]
    table.get_by_role("searchbox").fill("PRODUCTS/MINT")
    assert first_cells(table) == ["/products/mint/{slug}"]
    table.get_by_role("searchbox").fill("")
    table.get_by_label("Kind").select_option("pattern")
    assert all(name.startswith("/products/") for name in first_cells(table))
    table.get_by_label("Kind").select_option("")
    pages = table.get_by_role("button", name="Pages", exact=True)
    pages.click()
    expect(table.locator("th[aria-sort=descending]")).to_have_text("Pages")
    pages.click()
    assert first_cells(table, 1) == ["/"]  # the smallest


def test_pages_of_a_cluster_are_listed(open_report: ReportOpener) -> None:
    page = open_report()
    row = page.get_by_role("table", name="Clusters of pages").locator("tr", has_text="/blog")
    row.locator("summary").first.click()
    row.get_by_role("button", name="List its pages").click()
    expect(page.locator(".page-table .note")).to_have_text(f"360 of {PAGES:,} pages.")


def test_the_table_of_pages_holds_all_and_draws_few(open_report: ReportOpener) -> None:
    page = open_report()
    viewport, rows = page.locator(".viewport"), page.locator(".pages tbody:not(.print-only) tr")
    expect(page.get_by_role("table", name="All pages")).to_have_attribute(
        "aria-rowcount", f"{PAGES + 1}"
    )
    assert rows.count() < 60
    viewport.evaluate("box => { box.scrollTop = box.scrollHeight }")
    expect(rows.last).to_have_attribute("aria-rowindex", f"{PAGES + 1}")
    assert rows.count() < 60


def test_pages_are_searched_filtered_and_sorted(open_report: ReportOpener) -> None:
    page = open_report()
    table, note = page.locator(".page-table"), page.locator(".page-table .note")
    table.get_by_role("searchbox").fill("/DE/produkte")
    expect(note).to_have_text(f"270 of {PAGES:,} pages.")
    table.get_by_label("List", exact=True).select_option("blocked_by_robots")
    expect(note).to_have_text(f"0 of {PAGES:,} pages.")
    table.get_by_role("searchbox").fill("")
    expect(table.locator(".pages tbody:not(.print-only) .refused").first).to_have_text(
        "blocked by robots"
    )
    table.get_by_label("List", exact=True).select_option("")
    table.get_by_role("button", name="Priority").click()
    expect(table.locator("th[aria-sort]")).to_have_attribute("aria-sort", "descending")
    best = table.locator(".pages tbody:not(.print-only) tr").first
    expect(best).to_contain_text("1.00")


def test_a_page_is_shown_with_all_that_is_known(open_report: ReportOpener) -> None:
    page = open_report()
    page.locator(".pages .details").nth(1).click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text(f"{ROOT}/products/")
    expect(dialog).to_contain_text("sitecrawl why")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)


def test_a_section_shows_what_it_links_to(open_report: ReportOpener) -> None:
    links = open_report().locator("#links")
    links.get_by_role("button", name="/products", exact=False).first.click()
    panel = links.locator(".section-panel")
    expect(panel.locator("h3").first).to_have_text("/products")
    expect(panel).to_contain_text("It links to")
    assert links.locator(".arc.out").count() > 0
    assert links.locator(".arc.faded").count() > 0


def test_a_section_is_opened_and_left_again(open_report: ReportOpener) -> None:
    links = open_report().locator("#links")
    expect(links.locator(".arc-row").first).to_contain_text("/products")
    links.get_by_role("button", name="Open /products").click()
    expect(links.locator(".arc-row").first).to_contain_text("/products/")
    expect(links.locator(".arc-rows")).to_contain_text("the rest of the site")
    links.locator(".crumbs").get_by_role("button", name="whole site").click()
    expect(links.locator(".arc-rows")).not_to_contain_text("the rest of the site")


def test_all_pages_of_a_finding_can_be_had(open_report: ReportOpener, tmp_path: Path) -> None:
    page = open_report()
    finding = page.locator("#finding-orphan")
    finding.locator("summary").first.click()
    expect(finding.locator(".examples > li")).to_have_count(20)
    expect(finding.locator(".pager .note")).to_have_text("1 to 20 of 48")
    first = finding.locator(".examples a").first.inner_text()
    finding.get_by_role("button", name="Next").click()
    finding.get_by_role("button", name="Next").click()
    expect(finding.locator(".pager .note")).to_have_text("41 to 48 of 48")
    expect(finding.get_by_role("button", name="Next")).to_be_disabled()
    finding.get_by_role("searchbox").fill(first)
    expect(finding.locator(".examples a").first).to_have_text(first)
    with page.expect_download() as download:
        finding.get_by_role("button", name="Download as CSV").click()
    download.value.save_as(tmp_path / "orphan.csv")
    with (tmp_path / "orphan.csv").open(encoding="utf-8", newline="") as file:
        assert len(list(csv.DictReader(file))) == 48


def test_a_broken_link_is_shown_with_its_sources(open_report: ReportOpener) -> None:
    finding = open_report().locator("#finding-broken_link")
    expect(finding).to_contain_text("3 new, 5 fixed, 1 not visited again since the scan before")
    finding.locator("summary").first.click()
    finding.locator(".sources summary").first.click()
    expect(finding.locator(".sources").first).to_contain_text("linked from 30 pages")
    expect(finding.locator(".sources").first).to_contain_text("and 5 more")


def test_findings_are_chosen_by_topic(open_report: ReportOpener) -> None:
    report = sample_report(300)
    report["findings"] = [
        {**finding, "kind": f"{finding['kind']}_{number}"}
        for number in range(2)
        for finding in report["findings"]
    ]
    page = open_report(report)
    page.get_by_role("button", name="links and redirects (2)").click()
    expect(page.locator(".finding:visible")).to_have_count(2)


def test_tables_scroll_on_a_phone(open_report: ReportOpener) -> None:
    page = open_report(width=360)
    box = page.locator("#speed .scroll")
    box.evaluate("box => { box.scrollLeft = 1000 }")
    assert box.evaluate("box => box.scrollLeft") > 0
    expect(box).to_have_attribute("tabindex", "0")


def test_an_exhaustive_crawl_says_so(open_report: ReportOpener) -> None:
    report = sample_report(300)
    report["coverage"] |= {"is_exhaustive": True, "estimate": None, "high": None, "clusters": []}
    page = open_report(report)
    expect(page.locator("#coverage")).to_contain_text("all reachable pages were visited")
    expect(page.locator("#summary")).not_to_contain_text("cannot be said")


def test_probes_are_not_shown_as_the_maps_of_the_site(open_report: ReportOpener) -> None:
    method = open_report().locator("#method")
    expect(method).to_contain_text("15 usual addresses of sitemaps were tried that nothing names")


def test_colours_follow_the_reader(open_report: ReportOpener) -> None:
    def background(scheme: str) -> str:
        page = open_report(scheme=scheme)
        colour: str = page.evaluate("getComputedStyle(document.body).backgroundColor")
        return colour

    assert background("light") == "rgb(250, 248, 244)"
    assert background("dark") == "rgb(19, 22, 25)"


def test_paper_gets_everything_that_matters(open_report: ReportOpener) -> None:
    page = open_report()
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator(".finding > details:not([open])").count() == 0
    expect(page.locator("#finding-orphan .examples li").first).to_be_visible()
    expect(page.locator("nav.contents")).to_be_hidden()
    expect(page.locator(".page-table .filters")).to_be_hidden()
    clusters = page.get_by_role("table", name="Clusters of pages")
    # Rows that wait behind a button on the screen.
    expect(clusters.locator("tbody tr").last).to_be_visible()
    expect(page.locator(".pages tbody.print-only")).to_contain_text("more: see the file itself")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator(".finding > details[open]").count() == 0


def test_downloads_are_made_in_the_page(open_report: ReportOpener, tmp_path: Path) -> None:
    page = open_report()

    def downloaded(name: str) -> Path:
        with page.expect_download() as download:
            page.locator("#downloads").get_by_role("button", name=name, exact=True).click()
        path = tmp_path / download.value.suggested_filename
        download.value.save_as(path)
        return path

    whole = downloaded("The whole report")
    assert whole.name == "www.lindenhof-garden.example-report.json"
    assert json.loads(whole.read_text(encoding="utf-8")) == json.loads(
        json.dumps(sample_report(3_000))
    )
    with downloaded("Pages").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == PAGES + REFUSED
    assert rows[0]["url"] == f"{ROOT}/"
    evidence = json.loads(downloaded("Evidence").read_text(encoding="utf-8"))
    assert [record["type"] for record in evidence] == ["robots_txt"]


def test_a_report_of_nothing_is_a_report(open_report: ReportOpener) -> None:
    report = sample_report(1)
    report["findings"], report["clusters"], report["clicks"] = [], [], []
    report["links"] = {"sections": [], "links": []}
    report["before"] = None
    report["politeness"], report["robots"], report["sitemaps"] = {}, [], []
    report["tree"]["children"] = []
    report["coverage"] |= {"estimate": None, "high": None, "sources": [], "overlap": []}
    page = open_report(report, width=360)
    expect(page.locator("#findings")).to_contain_text("Nothing was found that needs attention")
    expect(page.locator("#coverage")).to_contain_text("No estimate can be made")
    page.locator("#links").scroll_into_view_if_needed()
    expect(page.locator("#links")).to_contain_text("No links between pages are known")


def test_a_report_of_a_scan_that_failed_says_so(open_report: ReportOpener) -> None:
    report = sample_report(0)
    report["site"] |= {"status": "failed", "reason": "the host name cannot be resolved"}
    report["findings"], report["before"] = [], None
    report["headline"]["pages"] = report["tree"]["pages"] = 0
    page = open_report(report)
    expect(page.locator("#summary")).to_contain_text("The scan failed: nothing can be said")
    expect(page.locator("#findings")).to_contain_text("there was nothing to look at")
    expect(page.locator("#structure")).to_contain_text("No page is known")


def test_an_old_browser_shows_what_it_can(open_report: ReportOpener) -> None:
    page = open_report(beforehand="delete globalThis.DecompressionStream")
    expect(page.get_by_role("alert")).to_contain_text("cannot show the whole report")
    expect(page.locator("body")).to_contain_text("Sitemap entries that answer 404")
