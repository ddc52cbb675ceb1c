from __future__ import annotations

import csv
import gzip
import json
import pickle
import signal
import sys
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import openpyxl
import pytest
from pyarrow import parquet

from tests.site import SiteServer
from tests.site.build import page, robots, sitemap
from tests.site.project import ROOT, Project

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from tests.site.project import CrawlResult, ProcessResult

CONTRACT = {
    *("url", "key", "status", "reason", "source", "sources", "depth", "parent", "title"),
    *("lastmod", "changefreq", "sitemap_priority", "robots_allowed", "robots_rule", "category"),
    *("clusters", "language", "importance", "priority", "discovered_at"),
}
ENOUGH = "SITECRAWL_MIN_SITEMAP_URLS=1"


def test_one_scan_writes_every_format_with_every_field(
    site: SiteServer, run_scrapy: Callable[..., ProcessResult]
) -> None:
    site.routes.update({"/robots.txt": robots("/map.xml"), "/map.xml": sitemap("/a", "/b?q=1,2")})
    feeds = ["-O", "urls.jsonl", "-O", "urls.json", "-O", "urls.csv"]
    done = run_scrapy("crawl", "discover", "-a", f"domain={site.url}", "-s", ENOUGH, *feeds)
    done.succeeded()
    folder = done.database.parent
    lines = [json.loads(line) for line in (folder / "urls.jsonl").read_text().splitlines()]
    rows = json.loads((folder / "urls.json").read_text())
    with (folder / "urls.csv").open(newline="") as file:
        cells = list(csv.DictReader(file))
    assert [row["url"] for row in lines] == [site.at("/a"), site.at("/b?q=1,2")]
    assert rows == lines
    assert [row["url"] for row in cells] == [row["url"] for row in lines]
    for row in (*lines, *cells):
        assert set(row) >= CONTRACT
    report = done.stderr[done.stderr.index("stored ") :]
    assert all(name in report for name in ("urls.jsonl", "urls.json", "urls.csv"))


@pytest.mark.parametrize("feed", ["urls.jsonl", "urls.json", "urls.csv"])
def test_a_site_without_pages_gives_an_empty_but_valid_feed(
    site: SiteServer, crawl: Callable[..., CrawlResult], feed: str
) -> None:
    site.routes["/"] = page("Home")
    done = crawl(site.url, settings={"SITECRAWL_SITEMAP_PLACES": "/sitemap.xml"}, feed=feed)
    text = done.succeeded().feed.read_text()
    if feed.endswith(".json"):
        assert json.loads(text) == []
    elif feed.endswith(".csv"):
        (header,) = csv.reader(text.splitlines())
        assert set(header) >= CONTRACT
    else:
        assert text == ""


def test_a_feed_that_cannot_be_written_is_said_and_fails(
    site: SiteServer, run_scrapy: Callable[..., ProcessResult]
) -> None:
    site.routes.update({"/robots.txt": robots("/map.xml"), "/map.xml": sitemap("/a")})
    target = "/proc/sitecrawl/urls.jsonl"
    done = run_scrapy("crawl", "discover", "-a", f"domain={site.url}", "-s", ENOUGH, "-O", target)
    assert done.returncode != 0
    assert "Traceback" not in done.output
    assert target in done.stderr


# --- Scrapy's settings of feeds: one scan writes a feed for each --------------------------------

PARTS = """
from scrapy.extensions.feedexport import ItemFilter

class Shop(ItemFilter):
    def accepts(self, item):
        return "/shop/" in item["url"]

def name(params, spider):
    return {**params, "kind": "named"}
"""
PATHS = ["/a", *(f"/shop/{number}" for number in range(4)), "/z"]
FEEDS: dict[str, dict[str, Any]] = {
    "fields.jsonl": {"format": "jsonlines", "fields": ["source", "url"]},
    "fields.csv": {"format": "csv", "fields": {"url": "Address", "depth": "Depth"}},
    "filtered.jsonl": {"format": "jsonlines", "item_filter": "feedparts.Shop"},
    "batch-%(batch_id)d.csv": {"format": "csv", "batch_item_count": 4},
    "packed.jsonl.gz": {
        "format": "jsonlines",
        "postprocessing": ["scrapy.extensions.postprocessing.GzipPlugin"],
    },
    "ascii.jsonl": {"format": "jsonlines", "encoding": None},
    "latin.csv": {"format": "csv", "encoding": "latin-1", "fields": ["url", "title"]},
    "indented.json": {"format": "json", "indent": 2},
    "one-line.json": {"format": "json", "indent": None},
    "%(kind)s.jsonl": {"format": "jsonlines", "uri_params": "feedparts.name"},
    "appended.jsonl": {"format": "jsonlines", "overwrite": False},
    "replaced.jsonl": {"format": "jsonlines", "overwrite": True},
    "options.csv": {"format": "csv", "item_export_kwargs": {"delimiter": ";"}},
    "pages.xml": {"format": "xml", "fields": ["url"]},
    "pages.pickle": {"format": "pickle"},
    "pages.xlsx": {"format": "xlsx"},
    "pages.parquet": {"format": "parquet"},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a scan of six pages has written all FEEDS."""
    project = Project.in_folder(tmp_path_factory.mktemp("feeds"))
    (project.folder / "feedparts.py").write_text(PARTS)
    for name in ("appended.jsonl", "replaced.jsonl"):
        (project.folder / name).write_text('{"url": "before"}\n')
    with SiteServer() as server:
        server.routes.update({"/robots.txt": robots("/map.xml"), "/map.xml": sitemap(*PATHS)})
        arguments = ["-a", f"domain={server.url}", "-s", ENOUGH, "-s", f"FEEDS={json.dumps(FEEDS)}"]
        command = [sys.executable, "-m", "scrapy", "crawl", "discover", *arguments]
        done = project.run(*command).succeeded()
    assert "Traceback" not in done.output
    assert not list(project.folder.glob("*.partial"))
    return project.folder


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def paths(urls: Iterable[str]) -> list[str]:
    return [urlsplit(url).path for url in urls]


def test_fields(folder: Path) -> None:
    assert [list(row) for row in lines(folder / "fields.jsonl")] == [["source", "url"]] * 6
    with (folder / "fields.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert paths(row["Address"] for row in rows) == PATHS
    assert [row["Depth"] for row in rows] == ["1", "2", "2", "2", "2", "1"]


def test_item_filters(folder: Path) -> None:
    assert paths(row["url"] for row in lines(folder / "filtered.jsonl")) == PATHS[1:5]


def test_batches(folder: Path) -> None:
    found = []
    for batch in (1, 2):
        with (folder / f"batch-{batch}.csv").open(newline="") as file:
            found.append(paths(row["url"] for row in csv.DictReader(file)))
    assert found == [PATHS[:4], PATHS[4:]]


def test_postprocessing(folder: Path) -> None:
    text = gzip.decompress((folder / "packed.jsonl.gz").read_bytes()).decode()
    assert paths(json.loads(line)["url"] for line in text.splitlines()) == PATHS


def test_encodings(folder: Path) -> None:
    assert (folder / "ascii.jsonl").read_bytes().isascii()
    assert paths(row["url"] for row in lines(folder / "ascii.jsonl")) == PATHS
    assert (folder / "latin.csv").read_text(encoding="latin-1").startswith("url,title")


def test_indent(folder: Path) -> None:
    text = (folder / "indented.json").read_text()
    assert '\n  "url": ' in text
    assert paths(row["url"] for row in json.loads(text)) == PATHS
    flat = (folder / "one-line.json").read_text()
    assert "\n" not in flat
    assert json.loads(flat) == json.loads(text)


def test_uri_params(folder: Path) -> None:
    assert len(lines(folder / "named.jsonl")) == 6


def test_overwrite(folder: Path) -> None:
    assert lines(folder / "appended.jsonl")[0]["url"] == "before"
    assert len(lines(folder / "appended.jsonl")) == 7
    assert len(lines(folder / "replaced.jsonl")) == 6


def test_options_of_exporters(folder: Path) -> None:
    assert (folder / "options.csv").read_text().startswith("url;key;")


def test_other_formats(folder: Path) -> None:
    assert (folder / "pages.xml").read_text().count("<item><url>") == 6
    with (folder / "pages.pickle").open("rb") as file:
        assert urlsplit(pickle.load(file)["url"]).path == "/a"
    sheet = openpyxl.load_workbook(folder / "pages.xlsx").active
    assert sheet.max_row == 7
    assert parquet.read_table(folder / "pages.parquet").num_rows == 6


@pytest.mark.parametrize("option", ["-o", "-O"])
def test_a_failed_scan_leaves_the_old_feed(
    project: Project, run_scrapy: Callable[..., ProcessResult], option: str
) -> None:
    feed = project.folder / "urls.jsonl"
    feed.write_text("old")
    done = run_scrapy("crawl", "discover", "-a", "domain=http://127.0.0.1:9/", option, str(feed))
    assert done.returncode != 0
    assert feed.read_text() == "old"
    assert "Traceback" not in done.output


KILLER = """
import os
import signal


class Killer:
    def __init__(self, file, options):
        self.file = file
        self.rows = 0

    def write(self, data):
        self.file.write(data)
        self.rows += data.count(bytes([10]))
        if self.rows > 2:
            os.kill(os.getpid(), signal.SIGKILL)

    def close(self):
        self.file.close()
"""


@pytest.mark.parametrize("old", ["old", None])
def test_kill_9_while_a_feed_is_written_leaves_the_old_one(
    site: SiteServer,
    project: Project,
    run_scrapy: Callable[..., ProcessResult],
    run_cli: Callable[..., ProcessResult],
    old: str | None,
) -> None:
    site.routes.update({"/robots.txt": robots("/map.xml"), "/map.xml": sitemap(*PATHS)})
    (project.folder / "killing.py").write_text(KILLER)
    feed = project.folder / "urls.jsonl"
    if old:
        feed.write_text(old)
    feeds = {"urls.jsonl": {"format": "jsonlines", "postprocessing": ["killing.Killer"]}}
    done = run_scrapy(
        *("crawl", "discover", "-a", f"domain={site.url}", "-s", ENOUGH),
        *("-s", f"FEEDS={json.dumps(feeds)}"),
        environment={"PYTHONPATH": f"{ROOT}:{project.folder}"},
    )
    assert done.returncode == -signal.SIGKILL
    assert (feed.read_text() if feed.exists() else None) == old
    run_cli("urls", site.url, "-o", "urls.jsonl").succeeded()
    assert paths(row["url"] for row in lines(feed)) == PATHS
    assert not list(project.folder.glob(".*.partial"))
