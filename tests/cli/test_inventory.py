"""``sitecrawl scans`` and ``sitecrawl urls``."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import openpyxl
import pytest
from pyarrow import parquet

from sitecrawl.store.queries.feed import FEED_FIELDS
from tests.cli.conftest import MANY
from tests.cli.inprocess import run_inside
from tests.site import Reply
from tests.site.build import sitemap
from tests.site.project import Project
from tests.site.users import as_nobody

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.cli.conftest import Crawled, Inventory
    from tests.site import SiteServer
    from tests.site.project import ProcessResult

_LISTED = 3 + 12 + 2  # in pages.xml, and what only the other maps list


def listed(inventory: Inventory, *options: str) -> list[str]:
    lines = inventory.run("urls", inventory.shop.url, *options).succeeded().stdout.splitlines()
    return [line.removeprefix(inventory.shop.url) for line in lines]


# --- scans --------------------------------------------------------------------------------------


def test_where_there_is_nothing_that_is_said(
    cli: Callable[..., ProcessResult], project: Project
) -> None:
    cli("migrate").succeeded()
    for command, words in (
        (("scans",), "there are no scans yet; start one: sitecrawl discover DOMAIN"),
        (("export", "parquet", "--all", "-o", "parquet"), "nothing to export: there is no scan"),
    ):
        done = cli(*command).succeeded()
        assert done.stdout == ""
        assert words in done.stderr


def test_scans_newest_first(inventory: Inventory) -> None:
    lines = inventory.process("scans").succeeded().stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["3", "2", "1"]
    newest = lines[0]
    assert re.search(r"\d{4}-\d\d-\d\d \d\d:\d\d", newest)
    assert "finished" in newest
    assert "5,000 URLs" in newest
    assert newest.endswith(f"{inventory.wiki.url}/")


def test_scans_of_one_site(inventory: Inventory) -> None:
    host = inventory.shop.url.removeprefix("http://")
    lines = inventory.run("scans", host, "--limit", "1").succeeded().stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["2"]


def test_scans_count_what_they_found(inventory: Inventory) -> None:
    lines = inventory.run("scans", inventory.shop.url).succeeded().stdout.splitlines()
    assert [re.findall(r"(\S+) URLs", line) for line in lines] == [["17"], ["18"]]


def test_a_scan_that_reads_no_list_is_shown_with_what_the_inventory_lists(
    site: SiteServer, project: Project
) -> None:
    settings = {"SITECRAWL_CRAWL": "never", "SITECRAWL_SITEMAP_PLACES": "/sitemap.xml"}
    site.routes["/sitemap.xml"] = sitemap(*map(site.at, ("/a", "/b", "/c")))
    project.crawl(site.url, settings=settings).succeeded()
    site.routes["/sitemap.xml"] = Reply(status=500)
    project.crawl(site.url, settings=settings)
    lines = run_inside(project, "scans").succeeded().stdout.splitlines()
    assert [re.findall(r"(\S+) URLs", line) for line in lines] == [["3"], ["3"]]


@pytest.mark.parametrize("command", ["scans", "urls"])
def test_an_unknown_site_is_named_with_the_known_ones(inventory: Inventory, command: str) -> None:
    done = inventory.run(command, "unknown.example")
    assert done.returncode == 2
    assert "'unknown.example' is not a site that has been scanned" in done.stderr
    assert inventory.shop.url.removeprefix("http://") in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("args", [("scans",), ("urls", "x.example"), ("why", "https://x.example/")])
def test_without_a_database_the_answer_is_what_to_do(
    cli: Callable[..., ProcessResult], args: tuple[str, ...]
) -> None:
    done = cli(*args)
    assert done.returncode == 1
    assert "does not exist; a first scan creates it" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not done.database.exists()


def test_a_database_that_is_none_is_said(cli: Callable[..., ProcessResult], tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    other.write_text("something else, and long enough for a header of SQLite" * 9)
    done = cli("scans", "--database", f"sqlite:///{other}")
    assert done.returncode == 1
    assert str(other) in done.stderr
    assert "Traceback" not in done.stderr
    wrong = cli("scans", "--database", "mysql://u:secret@h/d")
    assert wrong.returncode in {1, 2}
    assert "'mysql' is not supported" in wrong.stderr
    assert "secret" not in wrong.output


def test_another_database_can_be_named(
    cli: Callable[..., ProcessResult], inventory: Inventory
) -> None:
    named = cli("scans", "--database", f"sqlite:///{inventory.project.database}")
    assert named.succeeded().stdout == inventory.run("scans").stdout


# --- urls ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["scans", "urls", "why", "tree", "report"])
def test_a_database_that_may_only_be_read_is_read(
    inventory: Inventory, open_folder: Path, command: str
) -> None:
    copy = Project.in_folder(open_folder)
    shutil.copy(inventory.project.database, copy.database)
    target = [inventory.shop.at("/about") if command == "why" else inventory.shop.url]
    written = open_folder / "report.json"
    options = ["-o", str(written)] if command == "report" else []
    # The first run also imports what only root may read, where Python is root's own.
    usual = run_inside(copy, command, *target, *options).succeeded()
    copy.database.chmod(0o444)
    copy.folder.chmod(0o555)
    open_folder.chmod(0o777)
    written.unlink(missing_ok=True)
    with as_nobody():
        done = run_inside(copy, command, *target, *options).succeeded()
    assert done.stdout == usual.stdout
    assert [each.name for each in copy.folder.iterdir()] == ["sitecrawl.db"]


def test_urls_lists_what_the_newest_scan_found(inventory: Inventory) -> None:
    paths = listed(inventory)
    assert len(paths) == len(set(paths)) == _LISTED
    assert {"/", "/about", "/goods/11", "/hidden/deep/page", "/news/1"} <= set(paths)
    assert not {"/gone", "/admin/panel", "/price-list.pdf"} & set(paths)


@pytest.mark.parametrize("scheme", ["", "http://", "HTTP://"])
@pytest.mark.parametrize("end", ["", "/", "/goods/3"])
def test_the_site_can_be_written_in_many_ways(inventory: Inventory, scheme: str, end: str) -> None:
    host = inventory.wiki.url.removeprefix("http://")
    assert len(inventory.run("urls", scheme + host + end).stdout.splitlines()) == MANY


def test_the_site_is_found_by_its_canonical_address(inventory: Inventory) -> None:
    done = inventory.run("scans", f"http://127.1:{inventory.wiki.port}/", "--limit", "1")
    assert done.succeeded().stdout


def test_a_site_is_not_written_with_a_user_name(inventory: Inventory) -> None:
    done = inventory.run("scans", f"http://user@127.0.0.1:{inventory.wiki.port}/")
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("options", "paths"),
    [
        (("--contains", "/GOODS/1"), {"/goods/1", "/goods/10", "/goods/11"}),
        (("--contains", "100%_"), set()),
        (("--max-depth", "0"), {"/"}),
        (("--max-depth", "1"), {"/", "/about"}),
        (("--depth", "1"), {"/", "/about"}),
        (("--source", "feed"), {"/news/1", "/goods/0"}),
        (("--source", "link"), set()),
        (("--pattern", "/goods/{n}", "--contains", "s/1"), {"/goods/1", "/goods/10", "/goods/11"}),
        (("--pattern", "https://any.example/goods/99/", "--contains", "s/2"), {"/goods/2"}),
        (("--reason", "skipped_path"), {"/admin/panel"}),
        (("--reason", "skipped_file_type"), {"/price-list.pdf"}),
        (("--reason", "offsite"), {"https://elsewhere.example/x"}),
        (("--reason", "invalid_url"), {"http://[broken"}),
        (("--refused", "--contains", "panel"), {"/admin/panel"}),
        (("--status", "refused", "--contains", "panel"), {"/admin/panel"}),
        (("--status", "listed", "--contains", "about"), {"/about"}),
        (("--status", "broken"), set()),
        (("--contains", "panel"), set()),
        (("--type", "home"), {"/"}),
        (("--category", "primary", "--depth", "1"), {"/", "/about"}),
        (("--language", "de"), set()),
        (("--category", "utility"), {"/de/impressum"}),
        (("--cluster", "/goods", "--contains", "s/2"), {"/goods/2"}),
        (("--cluster", "/goods/{id}", "--contains", "s/2"), {"/goods/2"}),
    ],
)
def test_filters(inventory: Inventory, options: tuple[str, ...], paths: set[str]) -> None:
    assert set(listed(inventory, *options)) == paths


def test_a_reason_that_there_is_not_is_refused(inventory: Inventory) -> None:
    done = inventory.run("urls", inventory.shop.url, "--reason", "offside")
    assert done.returncode == 2
    assert "offside" in done.stderr
    assert "offsite" in done.stderr


@pytest.mark.parametrize(
    ("option", "value", "expected"),
    [
        ("--source", "sitmap", "expected one of start, sitemap, "),
        ("--region", "nav", "expected one of navigation, header, "),
        ("--status", "40", "expected listed, refused, broken, an HTTP status such as 404, or a "),
        ("--status", "6xx", "expected listed, refused, broken, an HTTP status such as 404, or a "),
        ("--pattern", "item/{n}", "expected a path such as /item/{n}, or a URL"),
        ("--category", "content", "expected one of primary, support, utility"),
        ("--type", "blog", "expected one of home, listing, "),
        ("--language", "german", "expected the code of a language, such as de or pt-br"),
        ("--cluster", "/good", "the site has no such cluster; near ones: /goods"),
    ],
)
def test_a_filter_that_can_match_nothing_is_refused(
    inventory: Inventory, option: str, value: str, expected: str
) -> None:
    done = inventory.run("urls", inventory.shop.url, option, value)
    assert done.returncode == 2
    assert f"sitecrawl: {option} {value}: {expected}" in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("options", "paths"),
    [
        (("--region", "navigation"), ["/about", "/shop/deals", "/shop"]),
        (("--source", "redirect"), ["/shop"]),
        (("--clicks", "0"), ["/"]),
        (("--status", "404"), ["/gone"]),
        (("--status", "3xx"), ["/old", "/older"]),
        (("--status", "200"), ["/", "/about", "/copy"]),
        (("--text", "team", "--clicks", "1"), ["/about"]),
        (("--reason", "trap_calendar"), ["/day/3"]),
        (("--reason", "soft_404"), ["/missing"]),
    ],
)
def test_filters_of_what_a_crawl_found(
    crawled: Crawled, options: tuple[str, ...], paths: list[str]
) -> None:
    lines = crawled.run("urls", "example.com", *options).succeeded().stdout.splitlines()
    assert [line.removeprefix("https://example.com") for line in lines] == paths


def test_rows_have_what_the_crawl_found(crawled: Crawled) -> None:
    lines = crawled.run("urls", "example.com", "-f", "jsonl").succeeded().stdout.splitlines()
    rows = {row["url"]: row for row in map(json.loads, lines)}
    copy = rows["https://example.com/copy"]
    assert (copy["region"], copy["anchor"], copy["clicks"]) == ("footer", "Copy", 1)
    assert (copy["http_status"], copy["content_type"]) == (200, "text/html")
    assert copy["canonical"] == copy["duplicate_of"] == "https://example.com/about"
    assert rows["https://example.com/alone"]["clicks"] is None


def test_refused_urls_come_with_the_listed_ones(inventory: Inventory) -> None:
    assert len(listed(inventory, "--refused")) == _LISTED + 4


def test_a_scan_of_another_site_is_refused(inventory: Inventory) -> None:
    for number in ("3", "99"):
        done = inventory.run("urls", inventory.shop.url, "--scan", number)
        assert done.returncode == 2
        assert f"scan {number} is not a scan of" in done.stderr


def test_an_earlier_scan(inventory: Inventory) -> None:
    # The store keeps what is known now: what has gone since is not in an older inventory either.
    assert set(listed(inventory)) <= {*listed(inventory, "--scan", "1"), "/gone"}


# --- formats ------------------------------------------------------------------------------------


def test_formats_on_the_screen(inventory: Inventory) -> None:
    lines = inventory.run("urls", inventory.shop.url, "-f", "jsonl").succeeded().stdout.splitlines()
    rows = [json.loads(line) for line in lines]
    assert len(rows) == _LISTED
    assert all(tuple(row) == FEED_FIELDS for row in rows)
    as_json = inventory.run("urls", inventory.shop.url, "-f", "json").succeeded().stdout
    assert json.loads(as_json) == rows
    as_csv = inventory.run("urls", inventory.shop.url, "-f", "csv").succeeded().stdout
    assert [line["url"] for line in csv.DictReader(io.StringIO(as_csv))] == [
        row["url"] for row in rows
    ]
    once = next(row for row in rows if row["url"].endswith("/goods/5"))
    assert once["lastmod"] == "2026-01-02"
    assert once["parent"] == inventory.shop.at("/pages.xml")
    assert (once["source"], once["sources"]) == ("sitemap", ["sitemap"])
    both = next(row for row in rows if row["url"].endswith("/goods/0"))
    assert sorted(both["sources"]) == ["feed", "sitemap"]
    german = next(row for row in rows if row["url"].endswith("/impressum"))
    assert (german["category"], german["type"]) == ("utility", "legal")
    assert german["language"] is None, "a code alone may mean anything"


def test_the_ending_decides_the_format(inventory: Inventory, tmp_path: Path) -> None:
    for ending in ("xlsx", "parquet", "csv", "txt"):
        path = tmp_path / f"urls.{ending}"
        done = inventory.run("urls", inventory.shop.url, "-o", str(path)).succeeded()
        assert done.stdout == ""
        assert done.stderr == f"{_LISTED} URLs written to {path}\n"
    sheet = openpyxl.load_workbook(tmp_path / "urls.xlsx").active
    table = parquet.read_table(tmp_path / "urls.parquet")
    assert sheet is not None
    urls = [row[0] for row in sheet.iter_rows(min_row=2, values_only=True)]
    assert urls == table["url"].to_pylist()
    assert urls == (tmp_path / "urls.txt").read_text().splitlines()
    assert (tmp_path / "urls.csv").read_text().startswith(",".join(FEED_FIELDS))


def test_binary_formats_can_be_redirected(inventory: Inventory, tmp_path: Path) -> None:
    path = tmp_path / "urls.xlsx"
    command = f"'{sys.executable}' -m sitecrawl urls {inventory.shop.url} -f xlsx > '{path}'"
    done = inventory.project.run("bash", "-c", command)
    assert (done.returncode, done.stderr) == (0, "")
    assert openpyxl.load_workbook(path).active is not None


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ("urls.docx", ".docx"),
        ("no/such/folder/urls.csv", "No such file or directory"),
        ("folder.csv", "Is a directory"),
    ],
)
def test_a_file_that_cannot_be_written_is_said(
    inventory: Inventory, output: str, words: str
) -> None:
    (inventory.project.folder / "folder.csv").mkdir(exist_ok=True)
    done = inventory.run("urls", inventory.shop.url, "-o", output)
    assert done.returncode == 2
    assert f"-o {output}: " in done.stderr
    assert words in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("format_", ["text", "csv", "json", "jsonl", "xlsx", "parquet"])
def test_a_full_disk_is_said(inventory: Inventory, format_: str) -> None:
    done = inventory.process("urls", inventory.wiki.url, "-o", "/dev/full", "-f", format_)
    assert done.returncode in {1, 2}
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("ending", "package", "extra"),
    [("xlsx", "xlsxwriter", "excel"), ("parquet", "pyarrow", "parquet")],
)
def test_a_missing_package_is_named_before_a_file_is_touched(
    inventory: Inventory,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    ending: str,
    package: str,
    extra: str,
) -> None:
    output = tmp_path / f"urls.{ending}"
    output.write_text("precious")
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, f"sitecrawl.exporters.{ending}", raising=False)
    done = inventory.run("urls", inventory.shop.url, "-o", str(output))
    assert done.returncode == 2
    assert package in done.stderr
    assert f"sitecrawl[{extra}]" in done.stderr
    assert output.read_text() == "precious"


def test_an_empty_list_says_why(inventory: Inventory) -> None:
    done = inventory.run("urls", inventory.wiki.url, "--contains", "/nowhere").succeeded()
    assert not done.stdout
    assert re.search(r"no URL of \S+ fits; 5,00[0-9] are on its list", done.stderr)


# --- lists --------------------------------------------------------------------------------------


def test_a_list_goes_on_after_its_cursor(inventory: Inventory) -> None:
    whole = listed(inventory, "--sort", "-url")
    assert whole == sorted(whole, reverse=True)
    first = inventory.run("urls", inventory.shop.url, "--sort", "-url", "--limit", "10").succeeded()
    cursor = re.search(r"more follow: --cursor (\S+)", first.stderr)
    assert cursor
    rest = listed(inventory, "--sort", "-url", "--limit", "10", "--cursor", cursor[1])
    assert [*listed(inventory, "--sort", "-url", "--limit", "10"), *rest] == whole


def test_a_wrong_sort_or_cursor_is_named(inventory: Inventory) -> None:
    for options, words in (
        (["--sort", "colour"], "sort: 'colour'"),
        (["--cursor", "x"], "cursor:"),
    ):
        done = inventory.run("urls", inventory.shop.url, *options)
        assert done.returncode == 2
        assert words in done.stderr


def test_facets_are_counted(inventory: Inventory) -> None:
    lines = inventory.run("urls", inventory.shop.url, "--facets").succeeded().stdout.splitlines()
    assert lines[0] == f"{_LISTED} URLs"
    assert re.fullmatch(rf" +{_LISTED}  listed", lines[3])
