"""What counts as a page of its own: copies, index pages of folders, and downloads."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from tests.site import Reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.site import SiteServer
    from tests.site.project import CrawlResult, ProcessResult, Project

_SETTINGS = {
    "SITECRAWL_CRAWL": "always",
    "SITECRAWL_SITEMAP_PLACES": "",
    "SITECRAWL_SOFT_404": False,
}
_TEXT = " ".join(f"word{number}" for number in range(120))
_START = " ".join(f"start{number}" for number in range(40))
_LINKS = ("/index.html", "/rc2.html", "/rc5.html", "/copy.html", "/tool.py", "/notes.txt")


def _page(text: str, menu: str = "Menu") -> bytes:
    links = "".join(f'<li><a href="{link}">{link}</a></li>' for link in _LINKS)
    return f"<!doctype html><nav>{menu}<ul>{links}</ul></nav><main>{text}</main>".encode()


@pytest.fixture
def docs(site: SiteServer) -> SiteServer:
    site.routes.update(
        {
            "/": _page(_START, menu="Home"),
            "/index.html": _page(_START),
            "/rc2.html": _page(f"Django 1.0 RC2 {_TEXT}"),
            "/rc5.html": _page(f"Django 1.0 RC5 {_TEXT}"),
            "/copy.html": _page(f"Django 1.0\n RC2 {_TEXT}", menu="Another menu"),
            "/tool.py": Reply(b"print('<html>')\n", 200, {}, "text/x-python"),
            "/notes.txt": Reply(b"Some notes\n", 200, {}, "text/plain; charset=utf-8"),
        }
    )
    return site


def test_what_is_a_page_of_its_own(
    docs: SiteServer,
    crawl: Callable[..., CrawlResult],
    run_cli: Callable[..., ProcessResult],
) -> None:
    done = crawl(docs.url, settings={**_SETTINGS, "SITECRAWL_FEED_REFUSED": True}).succeeded()
    rows = {row["url"].removeprefix(docs.url.rstrip("/")): row for row in done.rows}

    assert rows["/"]["status"] == "listed"
    index = rows["/index.html"]
    assert (index["reason"], index["rule"]) == ("index_page", docs.at("/"))
    why = run_cli("why", docs.at("/index.html")).succeeded().stdout
    assert f"it is the same page as {docs.at('/')}: both were visited" in why

    assert rows["/copy.html"]["duplicate_of"] == docs.at("/rc2.html")
    assert rows["/rc5.html"]["duplicate_of"] is None
    report = json.loads(run_cli("report", docs.url, "--format", "json").succeeded().stdout)
    [near] = [each for each in report["findings"] if each["kind"] == "near_duplicate"]
    details = {each["url"]: each["detail"] for each in near["items"]}
    words = f'% the same as {docs.at("/rc2.html")}: "RC2" → "RC5"'
    assert details[docs.at("/rc5.html")].endswith(words)

    for path in ("/tool.py", "/notes.txt"):
        assert (rows[path]["type"], rows[path]["file_kind"]) == ("file", "text")


@pytest.mark.parametrize(
    ("settings", "kept"),
    [
        ({}, 5),
        ({"SITECRAWL_KEEP_TEXTS_MAX_PAGES": 2}, 2),
        ({"SITECRAWL_KEEP_TEXTS": False}, 0),
    ],
)
def test_texts_are_kept_as_told(
    docs: SiteServer,
    crawl: Callable[..., CrawlResult],
    project: Project,
    settings: dict[str, object],
    kept: int,
) -> None:
    crawl(docs.url, settings={**_SETTINGS, **settings}).succeeded()
    with closing(sqlite3.connect(project.database)) as connection:
        assert connection.execute("SELECT count(*) FROM page_texts").fetchone() == (kept,)
