"""The crawl of a real site: pydoc's pages of the standard library, beside a walk of its files."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from benchmarks.trial.table import NOT_FOUND, Judgement, judge
from benchmarks.trial.truth import FileTruth
from tests.site import SiteServer, pydoc_site
from tests.site.project import Project

if TYPE_CHECKING:
    from tests.site.project import CrawlResult


@dataclass(frozen=True)
class Scanned:
    truth: FileTruth
    crawl: CrawlResult
    judgement: Judgement


@pytest.fixture(scope="module")
def scanned(tmp_path_factory: pytest.TempPathFactory) -> Scanned:
    root = tmp_path_factory.mktemp("pydoc")
    # In a process of its own: pydoc imports whatever it describes.
    command = [sys.executable, pydoc_site.__file__, str(root)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    truth = FileTruth.of(root)
    pages = {f"/{file.name}": file.read_bytes() for file in root.glob("*.html")}
    with SiteServer({**pages, "/": pages["/index.html"]}) as site:
        project = Project.in_folder(tmp_path_factory.mktemp("project"))
        crawl = project.crawl(
            f"{site.url}/",
            profile="docs",
            settings={"DOWNLOAD_DELAY": 0, "AUTOTHROTTLE_ENABLED": False},
            environment={"SITECRAWL_CRAWL": "always"},
        ).succeeded()
    return Scanned(truth, crawl, judge(crawl.urls, truth))


def test_site_is_of_some_size_and_has_broken_links(scanned: Scanned) -> None:
    assert len(scanned.truth.pages) > 100
    assert len(scanned.truth.broken) > 10


def test_every_page_is_found(scanned: Scanned) -> None:
    assert scanned.judgement.missing_pages == ()


def test_no_url_is_false(scanned: Scanned) -> None:
    assert scanned.judgement.untrue == {}


def test_no_page_is_listed_twice(scanned: Scanned) -> None:
    assert scanned.judgement.duplicates == ()


def test_a_wrong_list_would_be_noticed(scanned: Scanned) -> None:
    root = scanned.crawl.urls[0]
    wrong = [*scanned.crawl.urls[:-1], f"{root}index.html", f"{root}builtins.html"]
    judgement = judge(wrong, scanned.truth)
    assert len(judgement.missing_pages) == 1
    assert judgement.duplicates == (f"{root}index.html",)
    assert judgement.untrue == {f"{root}builtins.html": NOT_FOUND}
