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

    from playwright.sync_api import Locator, Page

    from tests.report.conftest import ReportOpener

PAGES = 3_300  # of the sample: 3,000 listed, 300 refused


def first_cells(table: Locator, number: int = 5) -> list[str]:
    return table.locator("tbody:not(.print-only) th").all_inner_texts()[:number]


@pytest.mark.parametrize("width", [1280, 360])
def test_everything_is_there_and_fits(open_report: ReportOpener, width: int) -> None:
    page = open_report(width=width)
    expect(page.locator("h1")).to_have_text("www.lindenhof-garden.example")
    assert page.locator("main h2").all_inner_texts() == [
        *("In short", "Findings", "How complete is the list?", "Structure", "Contents"),
        *("Links between pages", "All pages", "How it was done", "Evidence and downloads"),
    ]
    figures = page.locator(".figures").inner_text()
    assert all(figure in figures for figure in ("3,000", "3,240", "3,090 to 3,510", "300"))
    assert page.locator(".callout").first.inner_text().count("SITECRAWL_MAX_CRAWL_DEPTH") == 1
    assert page.evaluate("document.documentElement.scrollWidth") == width  # nothing sticks out


def test_findings_come_in_the_order_of_their_weight(open_report: ReportOpener) -> None:
    findings = open_report().locator(".finding")
    assert findings.evaluate_all("all => all.map(each => each.dataset.severity)") == [
        *("high", "medium", "low"),
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


def arranged_graph(page: Page) -> Locator:
    page.locator("#links").scroll_into_view_if_needed()
    page.wait_for_selector(".graph-stage[data-arranged]", timeout=20_000)
    return page.locator(".graph")


def test_the_largest_clusters_of_the_graph_are_closed_and_open(open_report: ReportOpener) -> None:
    graph = arranged_graph(open_report())
    products = graph.get_by_role("checkbox", name="/guides")
    expect(products).not_to_be_checked()
    expect(graph.get_by_role("checkbox", name="/legal")).to_be_checked()
    graph.get_by_text("The same as a table").click()
    table = graph.get_by_role("table")
    graph.locator(".as-table").get_by_role("searchbox").fill("/guides")
    expect(table).to_contain_text("478")  # pages without the two that are in the menu
    products.check()
    expect(table).not_to_contain_text("478")
    graph.locator(".as-table").get_by_role("searchbox").fill("/guides/")
    expect(table.locator("tbody tr").first).to_contain_text("no")  # a page, not in the menu


def test_a_page_is_found_in_the_graph_and_shows_its_neighbours(open_report: ReportOpener) -> None:
    graph = arranged_graph(open_report())
    graph.get_by_label("Find a page").fill("seeds and tools")
    graph.locator(".hits button").first.click()
    about = graph.locator(".graph-about")
    expect(about).to_contain_text("Lindenhof Garden: seeds and tools")
    about.locator("summary", has_text="Links to").click()
    neighbour = about.locator("details li button").first
    name = neighbour.inner_text()
    neighbour.click()
    expect(about.locator("h3")).to_have_text(name)


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
    assert page.locator(".finding details:not([open])").count() == 0
    expect(page.locator("nav.contents")).to_be_hidden()
    expect(page.locator(".page-table .filters")).to_be_hidden()
    clusters = page.get_by_role("table", name="Clusters of pages")
    # Rows that wait behind a button on the screen.
    expect(clusters.locator("tbody tr").last).to_be_visible()
    expect(page.locator(".pages tbody.print-only")).to_contain_text("more: see the file itself")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator(".finding details[open]").count() == 0


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
    assert len(rows) == PAGES
    assert rows[0]["url"] == f"{ROOT}/"
    evidence = json.loads(downloaded("Evidence").read_text(encoding="utf-8"))
    assert [record["type"] for record in evidence] == ["robots_txt"]


def test_a_report_of_nothing_is_a_report(open_report: ReportOpener) -> None:
    report = sample_report(1)
    report["findings"], report["clusters"], report["clicks"] = [], [], []
    report["graph"] = {"nodes": [], "edges": [], "collapsed": [], "edges_left_out": False}
    report["politeness"], report["robots"], report["sitemaps"] = {}, [], []
    report["tree"]["children"] = []
    report["coverage"] |= {"estimate": None, "high": None, "sources": [], "overlap": []}
    page = open_report(report, width=360)
    expect(page.locator("#findings")).to_contain_text("Nothing was found that needs attention")
    expect(page.locator("#coverage")).to_contain_text("No estimate can be made")
    page.locator("#links").scroll_into_view_if_needed()
    expect(page.locator("#links")).to_contain_text("No links are known")


def test_without_a_graphics_card_the_graph_is_a_table(open_report: ReportOpener) -> None:
    page = open_report(beforehand="HTMLCanvasElement.prototype.getContext = () => null")
    page.locator("#links").scroll_into_view_if_needed()
    expect(page.locator("#links")).to_contain_text("cannot draw the graph")
    expect(page.get_by_role("table", name="Pages by links to them")).to_be_visible()


def test_an_old_browser_shows_what_it_can(open_report: ReportOpener) -> None:
    page = open_report(beforehand="delete globalThis.DecompressionStream")
    expect(page.get_by_role("alert")).to_contain_text("cannot show the whole report")
    expect(page.locator("body")).to_contain_text("Sitemap entries that answer 404")
