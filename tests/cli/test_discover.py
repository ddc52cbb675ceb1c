"""``sitecrawl discover`` as a process, against a served site."""

from __future__ import annotations

import csv
import json
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.inprocess import run_inside
from tests.site.build import robots, sitemap, sitemap_index, text_map
from tests.site.reply import Reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.site import SiteServer
    from tests.site.project import ProcessResult, Project


@pytest.fixture
def discover(project: Project) -> Callable[..., ProcessResult]:
    """``sitecrawl discover --profile fast``."""
    command = (sys.executable, "-m", "sitecrawl", "discover", "--profile", "fast")
    return lambda *args, **options: project.run(*command, *args, **options)


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


@pytest.fixture
def shop(site: SiteServer) -> SiteServer:
    """A dozen pages and some that are refused."""
    urls = [site.at("/"), *(site.at(f"/goods/{number}") for number in range(11))]
    refused = [site.at("/admin"), site.at("/a.pdf"), "https://elsewhere.example/"]
    site.routes |= {
        "/": b"<h1>Shop</h1>",
        "/robots.txt": robots("/sitemap.xml"),
        "/sitemap.xml": Reply(sitemap(*urls, *refused), content_type="text/xml", etag='"1"'),
    }
    return site


def test_a_scan_ends_with_a_summary_and_what_to_run_next(
    shop: SiteServer, project: Project, discover: Callable[..., ProcessResult]
) -> None:
    done = discover(
        *(shop.url, "-o", "urls.jsonl", "-o", "urls.json", "-o", "urls.csv")
    ).succeeded()
    assert done.stdout == ""
    assert "[scrapy" not in done.stderr
    assert f"{shop.url}/  finished" in done.stderr
    assert re.search(r"^found +12 URLs", done.stderr, re.MULTILINE)
    assert "12 from sitemap" in done.stderr
    assert re.search(r"^refused +3 URLs, kept with their reason", done.stderr, re.MULTILINE)
    assert "1 on another host" in done.stderr
    assert re.search(r"^cost +3 requests, ", done.stderr, re.MULTILINE)
    rows = rows_of(project.folder / "urls.jsonl")
    assert [row["url"] for row in rows[:2]] == [shop.at("/"), shop.at("/goods/0")]
    assert json.loads((project.folder / "urls.json").read_text()) == rows
    lines = list(csv.DictReader((project.folder / "urls.csv").read_text().splitlines()))
    assert [line["url"] for line in lines] == [row["url"] for row in rows]
    assert all(f"feed       urls.{end}" in done.stderr for end in ("jsonl", "json", "csv"))
    assert done.query("SELECT status FROM scans") == [("finished",)]


@pytest.mark.parametrize("is_on_path", [True, False], ids=["on PATH", "not on PATH"])
def test_the_commands_to_go_on_with_work_as_they_are_shown(
    shop: SiteServer, project: Project, discover: Callable[..., ProcessResult], is_on_path: bool
) -> None:
    elsewhere = f"sqlite:///{project.folder}/other.db"
    folders = ["/usr/bin", "/bin", *([str(Path(sys.executable).parent)] if is_on_path else [])]
    environment = {"PATH": ":".join(folders)}
    done = discover(shop.url, "--database", elsewhere, environment=environment).succeeded()
    commands = re.findall(r"^(?:next)? +(\S*sitecrawl .*?) *$", done.stderr, re.MULTILINE)
    assert len(commands) == 3
    assert all(command.startswith("sitecrawl ") == is_on_path for command in commands)
    for command in commands:
        shown = project.run("sh", "-c", command, environment=environment)
        assert shown.succeeded().output.strip()


def test_a_second_scan_of_an_unchanged_site_finds_the_same_number(
    shop: SiteServer, discover: Callable[..., ProcessResult]
) -> None:
    first, second = discover(shop.url).succeeded(), discover(shop.url).succeeded()
    assert [entry.status for entry in shop.requests("/sitemap.xml")] == [200, 304]
    found = re.compile(r"^found +([\d,]+) URLs", re.MULTILINE)
    assert found.findall(first.stderr) == found.findall(second.stderr) == ["12"]
    assert "in documents that have not changed" in second.stderr


def test_refused_pages_are_in_the_feed_when_asked_for(
    shop: SiteServer, project: Project, discover: Callable[..., ProcessResult]
) -> None:
    discover(shop.url, "-o", "u.jsonl", "-s", "SITECRAWL_FEED_REFUSED=1").succeeded()
    rows = rows_of(project.folder / "u.jsonl")
    refused = {row["url"]: (row["reason"], row["rule"]) for row in rows if row["reason"]}
    assert refused.keys() == {shop.at("/admin"), shop.at("/a.pdf"), "https://elsewhere.example/"}
    assert refused[shop.at("/admin")] == ("skipped_path", "/admin")


def test_base_and_skip(
    shop: SiteServer, project: Project, discover: Callable[..., ProcessResult]
) -> None:
    discover(shop.url, "--base", "/goods/", "--skip", "/goods/1*", "-o", "u.jsonl").succeeded()
    rows = rows_of(project.folder / "u.jsonl")
    paths = {row["url"].removeprefix(shop.url) for row in rows}
    assert paths == {f"/goods/{number}" for number in (0, *range(2, 10))}


def test_sitemaps_only(shop: SiteServer, discover: Callable[..., ProcessResult]) -> None:
    done = discover(shop.url, "--sitemaps-only").succeeded()
    assert re.search(r"^found +12 URLs", done.stderr, re.MULTILINE)


def test_the_demo(run_cli: Callable[..., ProcessResult], project: Project) -> None:
    done = run_cli("discover", "--demo", "-o", "demo.jsonl").succeeded()
    [found] = re.findall(r"^found +([\d,]+) URLs", done.stderr, re.MULTILINE)
    rows = rows_of(project.folder / "demo.jsonl")
    assert len(rows) == int(found.replace(",", "")) > 100
    assert {"sitemap", "feed"} <= {source for row in rows for source in row["sources"]}


def test_verbose_shows_the_log(shop: SiteServer, discover: Callable[..., ProcessResult]) -> None:
    assert "[scrapy" in discover(shop.url, "--verbose").succeeded().stderr


# --- what was asked for cannot be ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ((), "give either a domain"),
        (("example.com", "--demo"), "give either a domain"),
        (("not a domain",), "space"),
        (("ftp://example.com/",), "ftp"),
        (("http://127.0.0.1:9/", "-o", "urls.txt"), "-o urls.txt"),
        (("http://127.0.0.1:9/", "-o", "urls"), "-o urls"),
        (("http://127.0.0.1:9/", "-o", "no/folder/urls.csv"), "no/folder does not exist"),
        (("http://127.0.0.1:9/", "-o", "folder.csv"), "-o folder.csv: is a folder"),
        (("http://127.0.0.1:9/", "--base", "http://["), "'http://['"),
        (("http://127.0.0.1:9/", "--profile", "adit"), "'adit'"),
        (("http://127.0.0.1:9/", "-s", "nonsense"), "NAME=VALUE"),
    ],
)
def test_wrong_usage_is_one_line_in_the_words_of_the_command(
    project: Project, args: tuple[str, ...], words: str
) -> None:
    (project.folder / "folder.csv").mkdir()
    _assert_usage(run_inside(project, "discover", *args), words)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_feed_that_cannot_be_written_is_found_before_the_scan(project: Project) -> None:
    (project.folder / "kept").mkdir(mode=0o500)
    done = run_inside(project, "discover", "http://127.0.0.1:9/", "-o", "kept/urls.csv")
    _assert_usage(done, f"-o kept/urls.csv: you may not write into {project.folder}/kept")


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--skip", "tag"), "'tag'"),
        (("-s", "SITECRAWL_SKIP_PATHS=x"), "SITECRAWL_SKIP_PATHS"),
        (("-s", "SITECRAWL_MAX_PAGE=5"), "did you mean SITECRAWL_MAX_PAGES?"),
        (("-s", "MAX_CRAWL_PAGES=5"), "did you mean SITECRAWL_MAX_CRAWL_PAGES?"),
        (("-s", "SITECRAWL_DATABASE_URL= "), "SITECRAWL_DATABASE_URL"),
    ],
)
def test_wrong_settings_are_one_line(
    discover: Callable[..., ProcessResult], args: tuple[str, ...], words: str
) -> None:
    _assert_usage(discover("http://127.0.0.1:9/", *args), words)


def _assert_usage(done: ProcessResult, words: str) -> None:
    assert done.returncode == 2
    assert words in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert " -a " not in done.stderr  # an option of "scrapy crawl", not of this command
    assert not done.database.exists()


# --- what can go wrong --------------------------------------------------------------------------


def test_a_site_that_cannot_be_reached_is_1(
    site: SiteServer, discover: Callable[..., ProcessResult]
) -> None:
    site.stop()
    done = discover(site.url, "-s", "RETRY_TIMES=0", "-o", "urls.jsonl")
    assert done.returncode == 1
    assert f"failed: {site.url}/ cannot be reached" in done.stderr
    assert "Traceback" not in done.stderr
    assert re.search(r"^found +0 URLs", done.stderr, re.MULTILINE)
    assert "sitecrawl urls" not in done.stderr


def test_a_database_that_cannot_be_used_is_1(
    shop: SiteServer, project: Project, discover: Callable[..., ProcessResult]
) -> None:
    url = f"sqlite:///{project.folder}/no/folder/s.db"
    done = discover(shop.url, "-s", f"SITECRAWL_DATABASE_URL={url}", "-o", "urls.jsonl")
    assert done.returncode == 1
    assert "no/folder does not exist; create it first" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_time_limit_makes_a_part_and_that_is_3(
    shop: SiteServer, discover: Callable[..., ProcessResult]
) -> None:
    shop.routes["/robots.txt"] = robots("/sitemap.xml", "/slow.xml")
    shop.routes["/slow.xml"] = Reply(b"", delay_seconds=6)
    done = discover(shop.url, "-s", "SITECRAWL_MAX_SCAN_MINUTES=0.05", "-o", "urls.jsonl")
    assert done.returncode == 3
    assert "partial: the time was up (SITECRAWL_MAX_SCAN_MINUTES)" in done.stderr
    assert re.search(r"^found +12 URLs", done.stderr, re.MULTILINE)


def test_a_summary_does_not_claim_more_than_was_read(
    shop: SiteServer, discover: Callable[..., ProcessResult]
) -> None:
    shop.routes["/robots.txt"] = robots("/sitemap.xml", "/broken.xml")
    shop.routes["/broken.xml"] = Reply(b"", status=500)
    done = discover(shop.url, "-s", "RETRY_TIMES=0")
    assert "1 HTTP error" in done.stderr
    assert "have been read" not in done.stderr


def test_a_limit_that_was_hit_is_said_with_its_setting(
    shop: SiteServer, discover: Callable[..., ProcessResult]
) -> None:
    done = discover(shop.url, "-s", "SITECRAWL_MAX_SITEMAP_URLS=5")
    assert re.search(r"^limit hit +.*SITECRAWL_MAX_SITEMAP_URLS=5 ", done.stderr, re.MULTILINE)
    assert re.search(r"^found +5 URLs", done.stderr, re.MULTILINE)
    assert "have been read" not in done.stderr


def test_what_a_site_writes_does_not_steer_the_terminal(
    shop: SiteServer, discover: Callable[..., ProcessResult], cli: Callable[..., ProcessResult]
) -> None:
    hostile = "\x1b[31m[red]http://x/\x07"
    shop.routes["/robots.txt"] = robots("/index.xml")
    shop.routes["/index.xml"] = sitemap_index(
        shop.at("/sitemap.xml"), shop.at("/list.txt"), shop.at("/[red]%1b[31m.xml")
    )
    shop.routes["/list.txt"] = text_map(shop.at("/fine"), hostile, f"http://[{hostile}")
    done = discover(shop.url, "--verbose").succeeded()
    outputs = [
        done.output,
        cli("urls", shop.url, "--refused").succeeded().output,
        cli("why", shop.at("/nowhere")).succeeded().output,
        cli("scans").succeeded().output,
    ]
    assert "/fine" in outputs[1]
    for output in outputs:
        assert not set(output) & {"\x1b", "\x07", "\x9b"}
        assert "\N{VERTICAL TABULATION}" not in output


@pytest.mark.parametrize("is_option", [False, True], ids=["variable", "option"])
def test_the_password_of_the_database_is_not_shown(
    shop: SiteServer,
    discover: Callable[..., ProcessResult],
    postgres_tables_url: str,
    is_option: bool,
) -> None:
    url = re.sub(r"//(\w+):?[^@/]*@", r"//\1:pa55word@", postgres_tables_url)
    assert "pa55word" in url
    variable = {} if is_option else {"SITECRAWL_DATABASE_URL": url}
    option = ("-s", f"SITECRAWL_DATABASE_URL={url}") if is_option else ()
    done = discover(shop.url, "--verbose", *option, environment=variable).succeeded()
    assert re.search(r"^found +12 URLs", done.stderr, re.MULTILINE)
    assert re.search(r"^stored +scan 1 in postgresql\S*//\w+:\*\*\*@", done.stderr, re.MULTILINE)
    assert "pa55word" not in done.output
