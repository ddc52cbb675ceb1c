from __future__ import annotations

import os
import pty
import re
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.site.build import page, robots, sitemap
from tests.site.project import crawl_command

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.site import SiteServer
    from tests.site.project import CrawlResult, Project

ENOUGH = {"SITECRAWL_MIN_SITEMAP_URLS": 1}


def test_a_run_ends_with_what_a_person_wants_to_know(
    site: SiteServer, crawl: Callable[..., CrawlResult]
) -> None:
    site.routes["/robots.txt"] = robots("/map.xml")
    site.routes["/map.xml"] = sitemap("/a", "/b", "/cart", "https://other.example/")
    done = crawl(site.url, settings=ENOUGH).succeeded()
    report = done.stderr[done.stderr.index(f"{site.url}/  finished") :]
    for words in (
        "2 URLs",
        "2 from sitemap",
        "2 URLs, kept with their reason",
        "1 skip rule for paths",
        "1 on another host",
        "2 read",
        "3 requests",
        f"scan 1 in sqlite:///{done.database}",
        "urls.jsonl",
        "sitecrawl urls",
        "sitecrawl why",
    ):
        assert words in report, words
    assert done.stdout == "", "stdout is for feeds"


def test_it_can_be_turned_off(site: SiteServer, crawl: Callable[..., CrawlResult]) -> None:
    site.routes["/"] = page("Home")
    settings = {"SITECRAWL_PROGRESS": "off", "LOG_LEVEL": "ERROR", "SITECRAWL_SITEMAP_PLACES": "/s"}
    done = crawl(site.url, settings=settings).succeeded()
    assert done.output.strip() == ""


def test_a_terminal_shows_progress_and_then_the_report(site: SiteServer, project: Project) -> None:
    site.routes["/robots.txt"] = robots("/map.xml")
    site.routes["/map.xml"] = sitemap(*(f"/{n}" for n in range(100)))
    settings = {**ENOUGH, "LOG_LEVEL": "WARNING", "DOWNLOAD_DELAY": 0.4}
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        crawl_command(site.url, settings=settings),
        cwd=project.folder,
        env={**project.environment, "TERM": "xterm-256color"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
    )
    os.close(theirs)
    shown = _read_all(ours)
    assert process.wait(120) == 0
    before, _, after = shown.partition("finished")
    assert "pages found" in before
    assert "100 URLs" in after


def test_progress_counts_pages_and_not_mentions(
    site: SiteServer, crawl: Callable[..., CrawlResult]
) -> None:
    links = [f"/{number}" for number in range(5)]
    # Each page mentions all of them.
    site.routes.update({path: page(path, *links) for path in ["/", *links]})
    settings = {
        "SITECRAWL_CRAWL": "always",
        "SITECRAWL_SITEMAP_PLACES": "/none.xml",
        "SITECRAWL_PROGRESS": "log",
        "SITECRAWL_PROGRESS_INTERVAL_SECONDS": 0.1,
        "DOWNLOAD_DELAY": 0.4,
    }
    done = crawl(site.url, settings=settings).succeeded()
    lines = re.findall(r"crawl: (\d+) pages found, (\d+) visited, (\d+) waiting, ", done.stderr)
    figures = [tuple(map(int, line)) for line in lines]
    assert figures
    assert all((found, visited + waiting) == (6, 6) for found, visited, waiting in figures)


@pytest.mark.parametrize("progress", ["log", "live"])
def test_a_scan_whose_reader_has_gone_ends_all_the_same(
    site: SiteServer, project: Project, progress: str
) -> None:
    """As with ``2>&1 | head -2``."""
    site.routes["/robots.txt"] = robots("/map.xml")
    site.routes["/map.xml"] = sitemap("/a")
    ours, theirs = os.pipe()
    settings = {**ENOUGH, "LOG_LEVEL": "ERROR", "SITECRAWL_PROGRESS": progress}
    # Pauses let the live line be drawn meanwhile.
    command = crawl_command(site.url, settings={**settings, "DOWNLOAD_DELAY": 0.4})
    process = subprocess.Popen(
        command,
        cwd=project.folder,
        env=project.environment,
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    os.close(ours)
    try:
        assert process.wait(120) == 0
    finally:
        process.kill()
        process.wait()
    assert len((project.folder / "urls.jsonl").read_text().splitlines()) == 1


def _read_all(descriptor: int) -> str:
    pieces = []
    with os.fdopen(descriptor, "rb", buffering=0) as terminal:
        while True:
            try:
                piece = terminal.read(65_536)
            except OSError:  # Linux says so when the other side is closed
                break
            if not piece:
                break
            pieces.append(piece)
    return b"".join(pieces).decode()
