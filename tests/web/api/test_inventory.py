"""The inventory of a scanned site by the API."""

from __future__ import annotations

import csv
import io
import zipfile
from threading import BoundedSemaphore
from typing import TYPE_CHECKING, Any

import pytest

from sitecrawl.services import reports

if TYPE_CHECKING:
    from tests.web.world import World


def get(world: World, path: str, **params: Any) -> Any:
    answer = world.viewer.get(f"/api/sites/{world.site_id}/{path}", params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


def download(world: World, path: str) -> bytes:
    answer = world.viewer.get(f"/api/sites/{world.site_id}/{path}")
    assert answer.status_code == 200, answer.text
    return answer.content


def test_a_page_says_why_it_is_on_the_list(shared_world: World) -> None:
    page = get(shared_world, f"pages/{shared_world.page_id}")
    assert page["url"] == shared_world.site.at("/blog/a")
    assert page["status"] == "listed"
    assert {each["source"] for each in page["mentions"]} >= {"sitemap", "link"}
    assert page["verdict"]["allowed"] is True
    assert page["visit"]["status"] == 200
    assert page["clickPath"][0]["url"] == shared_world.site.at("/")


def test_a_refused_page_says_which_line_of_robots_txt(shared_world: World) -> None:
    page = get(shared_world, "pages/why", url=shared_world.site.at("/secret/x"))
    assert page["verdict"]["allowed"] is False
    assert page["verdict"]["rule"] == "Disallow: /secret"
    robots = get(shared_world, "robots")
    assert "Disallow: /secret" in robots["files"][0]["text"]
    line = page["verdict"]["line"]
    assert robots["files"][0]["text"].splitlines()[line - 1] == "Disallow: /secret"
    assert [rule["pages"] for rule in robots["rules"] if not rule["allowed"]] == [1]


def test_links_of_a_page_come_in_pages_of_a_list(shared_world: World) -> None:
    home = get(shared_world, "pages/why", url=shared_world.site.at("/"))["id"]
    out = get(shared_world, f"pages/{home}/links-out")["links"]
    assert {each["url"] for each in out} >= {
        shared_world.site.at(path) for path in ("/blog/a", "/about", "/unlisted")
    }
    whole = get(shared_world, f"pages/{home}/links-in")["links"]
    pieces, cursor = [], None
    while True:
        params = {"limit": 2} | ({"cursor": cursor} if cursor else {})
        part = get(shared_world, f"pages/{home}/links-in", **params)
        pieces += part["links"]
        cursor = part["nextCursor"]
        if cursor is None:
            break
    assert pieces == whole
    assert len(whole) > 2


def test_documents_and_evidence(shared_world: World) -> None:
    found, *_places_tried = get(shared_world, "documents", kind="sitemap")["documents"]
    assert found["url"] == shared_world.site.at("/sitemap.xml")
    assert found["outcome"] in {"ok", "not_modified"}
    first = get(shared_world, "documents", limit=1)
    rest = get(shared_world, "documents", limit=1, cursor=first["nextCursor"])
    assert first["documents"][0]["id"] < rest["documents"][0]["id"]
    kinds = {each["type"] for each in get(shared_world, "evidence")["evidence"]}
    assert {"robots_txt", "discovery_summary"} <= kinds


def test_tree_menu_coverage_findings_and_report(shared_world: World) -> None:
    [host] = get(shared_world, "tree")["hosts"]
    assert {each["name"] for each in host["folders"]} >= {"blog", "about"}
    assert get(shared_world, "coverage")["hasCrawled"] is True
    kinds = {each["kind"] for each in get(shared_world, "findings")["findings"]}
    assert "broken_link" in kinds or kinds
    assert get(shared_world, "report")["report"]["site"]["root_url"].startswith("http://")
    get(shared_world, "menu")


@pytest.mark.parametrize("format_", ["html", "json", "md", "csv", "xlsx"])
def test_reports_can_be_downloaded(shared_world: World, format_: str) -> None:
    data = download(shared_world, f"report.{format_}")
    assert data.startswith(b"PK") if format_ in {"csv", "xlsx"} else data


def test_reports_of_large_sites_are_made_in_a_process_of_their_own(
    shared_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = f"/api/sites/{shared_world.site_id}/report"
    before = shared_world.viewer.get(path).json()
    monkeypatch.setattr(reports, "LARGE_PAGES", 0)
    monkeypatch.setattr(reports, "gather_report", None)  # of this process
    assert shared_world.viewer.get(path).json() == before
    # One at a time.
    monkeypatch.setattr(reports, "_large_reports", BoundedSemaphore(0))
    for each in (path, f"{path}.html"):
        busy = shared_world.viewer.get(each)
        assert (busy.status_code, busy.headers["retry-after"]) == (429, "30")


def test_lists_that_need_a_crawl(shared_world: World) -> None:
    rows = list(csv.DictReader(io.StringIO(download(shared_world, "orphans.csv").decode())))
    assert shared_world.site.at("/orphan") in [row["url"] for row in rows]
    assert shared_world.site.at("/unlisted") in download(shared_world, "unlisted.text").decode()
    assert download(shared_world, "sitemap-diff.json")
    assert b"<graphml" in download(shared_world, "links.graphml")


def test_cells_of_downloads_are_no_formulas(shared_world: World) -> None:
    text = download(shared_world, "links.csv").decode()
    assert "=1+1" not in [cell for row in csv.reader(io.StringIO(text)) for cell in row]


def test_files_that_a_site_can_serve(shared_world: World) -> None:
    with zipfile.ZipFile(io.BytesIO(download(shared_world, "sitemaps.zip"))) as archive:
        assert archive.namelist()
    assert download(shared_world, "llms.txt").startswith(b"# ")


def test_the_detail_of_a_site_counts_its_urls(shared_world: World) -> None:
    answer = shared_world.viewer.get(f"/api/sites/{shared_world.site_id}").json()
    assert answer["summary"] == {"totalUrls": 7, "activeUrls": 6, "inactiveUrls": 1}
    found = answer["sitemaps"][0]
    assert found["urlCounts"]["active"] >= 2
    assert found["lastStatus"] in {200, 304}
    assert [scan["status"] for scan in answer["recentScans"]] == ["success", "success"]


def test_what_is_not_there_is_404(shared_world: World) -> None:
    base = f"/api/sites/{shared_world.site_id}"
    for path in ("pages/1", "pages/9999999999999999999", "coverage?scan=999", "pages/1/links-in"):
        assert shared_world.viewer.get(f"{base}/{path}").status_code == 404, path
    assert shared_world.viewer.get(f"{base}/report.exe").status_code == 422
    assert shared_world.viewer.get("/api/sites/99999/coverage").status_code == 404
