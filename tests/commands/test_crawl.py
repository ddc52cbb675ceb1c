"""``scrapy crawl``: Scrapy's own front, with checked arguments and exit codes that tell."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import openpyxl
import pytest
from lxml import etree
from pyarrow import parquet

from sitecrawl.config import ConfigError
from sitecrawl.scan.arguments import SpiderArguments
from tests.site.build import robots, sitemap
from tests.site.project import ROOT, crawl_command

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.site import SiteServer
    from tests.site.project import CrawlResult, ProcessResult, Project


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


@pytest.fixture
def shop(site: SiteServer) -> SiteServer:
    site.routes |= {
        "/": b"<h1>Shop</h1>",
        "/robots.txt": robots("/sitemap.xml"),
        "/sitemap.xml": sitemap(*(site.at(f"/goods/{number}") for number in range(12))),
    }
    return site


def test_feeds_by_their_ending(
    shop: SiteServer, project: Project, run_scrapy: Callable[..., ProcessResult]
) -> None:
    run_scrapy(
        *("crawl", "discover", "-a", f"domain={shop.url}"),
        *("-O", "u.jsonl", "-O", "u.json", "-O", "u.csv", "-O", "u.jl:jsonlines"),
        *("-O", "u.xml", "-O", "u.xlsx", "-O", "u.parquet"),
    ).succeeded()
    rows = rows_of(project.folder / "u.jsonl")
    assert [row["url"] for row in rows] == [shop.at(f"/goods/{number}") for number in range(12)]
    assert json.loads((project.folder / "u.json").read_text()) == rows
    lines = list(csv.DictReader((project.folder / "u.csv").read_text().splitlines()))
    assert [line["url"] for line in lines] == [row["url"] for row in rows]
    assert (project.folder / "u.jl").read_text() == (project.folder / "u.jsonl").read_text()
    urls = [row["url"] for row in rows]
    document = etree.parse(project.folder / "u.xml")
    assert [each.text for each in document.iterfind("item/url")] == urls
    header, *lines_of_sheet = openpyxl.load_workbook(project.folder / "u.xlsx").active.values
    assert [line[header.index("url")] for line in lines_of_sheet] == urls
    assert parquet.read_table(project.folder / "u.parquet")["url"].to_pylist() == urls


def test_a_misspelled_setting_is_told(
    shop: SiteServer, run_scrapy: Callable[..., ProcessResult]
) -> None:
    command = ("crawl", "discover", "-a", f"domain={shop.url}")
    own = ("-s", "MY_SHOP_TOKEN=x", "-s", "MAX_PAGES=3")  # settings of a user's own component
    done = run_scrapy(*command, "-s", "DOWNLOAD_DELY=3", *own).succeeded()
    words = "-s DOWNLOAD_DELY: there is no such setting; did you mean DOWNLOAD_DELAY?"
    assert done.stderr.count(words) == 1
    assert "MY_SHOP_TOKEN:" not in done.stderr
    refused = run_scrapy(*command, "-s", "SITECRAWL_MAX_PAGE=3")
    assert refused.returncode == 2
    assert "did you mean SITECRAWL_MAX_PAGES?" in refused.stderr


def test_the_sitemap_spider(shop: SiteServer, crawl: Callable[..., CrawlResult]) -> None:
    assert len(crawl(shop.url, spider="sitemap").urls) == 12


def test_arguments_that_are_settings_win_over_them(
    shop: SiteServer, crawl: Callable[..., CrawlResult]
) -> None:
    done = crawl(
        shop.url,
        base="/good",
        strict="false",
        skip="/goods/1,/goods/2",
        settings={"SITECRAWL_STRICT_PATHS": True},
    )
    assert len(done.urls) == 10


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"domain": ""}, "argument domain='': expected a text that is not empty"),
        ({}, "argument domain is missing: give a domain or a URL (-a domain="),
        ({"domain": "not a domain"}, "domain 'not a domain': contains a space"),
        ({"domain": "x.example", "depth": "3"}, "argument depth: there is no such argument; there"),
        ({"domain": "x.example", "profile": "adit"}, "profile 'adit': there is no such profile"),
        ({"domain": "x.example", "strict": "maybe"}, "argument strict='maybe': expected true or"),
        ({"domain": "x.example", "base": "http://["}, "argument base='http://[': expected a URL"),
        ({"domain": "x.example", "skip": "/a,tag"}, "argument skip: skip path 'tag'"),
    ],
)
def test_a_wrong_argument_is_named(arguments: dict[str, str], words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        SpiderArguments.parse(arguments)
    assert str(caught.value).startswith(words)


def test_an_unknown_argument_comes_with_the_known_ones() -> None:
    with pytest.raises(ConfigError, match="there are domain, profile, base, strict, subdomains, "):
        SpiderArguments.parse({"depth": "3"})


def test_arguments() -> None:
    arguments = SpiderArguments.parse(
        {
            "domain": " Example.com/docs/ ",
            "profile": "docs",
            "base": "/docs/, https://help.example.com/",
            "strict": "no",
            "skip": "/tag/*",
        }
    )
    assert arguments.target.url == "https://example.com/docs/"
    assert arguments.profile == "docs"
    # Paths are resolved once the site has answered: it may redirect to another host.
    assert arguments.bases == ("/docs/", "https://help.example.com/")
    assert (arguments.strict, arguments.subdomains) == (False, None)
    assert arguments.skip == ("/tag/*",)


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ((), "error: argument domain is missing"),
        (("-a", "domain=x.example", "-a", "depth=3"), "argument depth: there is no such argument"),
        (("-a", "domain=x.example", "-a", "skip=tag"), "argument skip: skip path 'tag'"),
        (
            ("-a", "domain=x.example", "-s", "SITECRAWL_MAX_SITEMAPS=x"),
            "SITECRAWL_MAX_SITEMAPS='x'",
        ),
    ],
)
def test_wrong_usage_is_a_message_and_2(
    run_scrapy: Callable[..., ProcessResult], args: tuple[str, ...], words: str
) -> None:
    done = run_scrapy("crawl", "discover", *args)
    assert done.returncode == 2
    assert words in done.output
    assert "Traceback" not in done.output
    assert not done.database.exists()


def test_a_wrong_variable_is_a_message_and_2(run_scrapy: Callable[..., ProcessResult]) -> None:
    done = run_scrapy(
        *("crawl", "discover", "-a", "domain=x.example"), environment={"MAX_PAGES": "many"}
    )
    assert done.returncode == 2
    assert "environment variable MAX_PAGES='many'" in done.output
    assert "Traceback" not in done.output


def test_the_environment_is_below_the_command_line(
    shop: SiteServer, crawl: Callable[..., CrawlResult]
) -> None:
    variables = {"URL_DISCOVERY_MAX_SITEMAP_URLS": "5"}
    assert len(crawl(shop.url, environment=variables).urls) == 5
    settings = {"SITECRAWL_MAX_SITEMAP_URLS": 7}
    assert len(crawl(shop.url, environment=variables, settings=settings).urls) == 7


def test_a_profile_is_an_argument(
    shop: SiteServer, project: Project, run_scrapy: Callable[..., ProcessResult]
) -> None:
    shop.routes["/sitemap.xml"] = sitemap(shop.at("/a"), shop.at("/search?q=1"))
    done = run_scrapy(
        *("crawl", "discover", "-a", f"domain={shop.url}", "-a", "profile=audit"),
        *("-s", "SITECRAWL_MIN_SITEMAP_URLS=1", "-O", "u.jsonl"),
    )
    assert done.succeeded().query("SELECT profile FROM scans") == [("audit",)]
    rows = rows_of(project.folder / "u.jsonl")
    assert [row["url"] for row in rows] == [shop.at("/a")]


def test_the_user_agent_of_the_environment_is_sent(
    shop: SiteServer, crawl: Callable[..., CrawlResult]
) -> None:
    crawl(shop.url, environment={"USER_AGENT": "Audit/1.0"}).succeeded()
    assert {entry.header("User-Agent") for entry in shop.requests()} == {"Audit/1.0"}


def test_a_site_that_cannot_be_reached_is_1(
    site: SiteServer, crawl: Callable[..., CrawlResult]
) -> None:
    site.stop()
    done = crawl(site.url, settings={"RETRY_TIMES": 0})
    assert done.returncode == 1
    assert "cannot be reached" in done.stderr
    assert "Traceback" not in done.stderr


def test_scrapy_project_picks_a_profile(project: Project) -> None:
    shutil.copy(ROOT / "scrapy.cfg", project.folder)
    without_module = ("env", "-u", "SCRAPY_SETTINGS_MODULE", "SCRAPY_PROJECT=audit")
    scrapy = (sys.executable, "-m", "scrapy", "settings", "--get", "SITECRAWL_PROFILE")
    assert project.run(*without_module, *scrapy).succeeded().stdout.strip() == "audit"


def test_to_be_found_among_the_commands_it_needs_nothing_of_the_project() -> None:
    program = """
import sys, sitecrawl.commands.crawl
print(*sorted(name for name in sys.modules if name.startswith("sitecrawl.")))
"""
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    assert done.stdout.split() == ["sitecrawl.commands", "sitecrawl.commands.crawl"]


def test_a_scan_imports_only_what_it_needs(shop: SiteServer, project: Project) -> None:
    program = """
import atexit, sys
from scrapy.cmdline import execute

unneeded = {"rich", "alembic", "psycopg", "sqlalchemy.dialects.postgresql", "sqlalchemy.orm"}
atexit.register(lambda: print(*sorted(unneeded & sys.modules.keys()), "end"))
execute()
"""
    _, _, _, *arguments = crawl_command(shop.url)
    done = project.run(sys.executable, "-c", program, *arguments).succeeded()
    assert len(rows_of(project.folder / "urls.jsonl")) == 12
    assert done.stdout.split() == ["end"]
