from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

import pytest

from sitecrawl.errors import ExitCode
from sitecrawl.store.engine import open_database
from tests.cli.inprocess import run_inside
from tests.store.crawling import Crawling

if TYPE_CHECKING:
    from tests.site.project import Project

BLOG = [f"/blog/a-post-about-{n}" for n in range(6)]


@pytest.fixture
def compared(project: Project) -> Project:
    """Three scans: one with four posts, one with six, one without the first two."""
    with open_database(f"sqlite:///{project.database}") as database:
        for paths in (BLOG[:4], BLOG, BLOG[2:], BLOG[2:]):
            crawling = Crawling(database)
            crawling.list_in_sitemap("/", "/about", *paths)
            crawling.end()
    return project


def test_changes_of_the_newest_scan(compared: Project) -> None:
    result = run_inside(compared, "changes", "example.com")
    assert result.returncode == 0
    assert result.stdout.splitlines() == [
        "example.com: scan 4 against scan 3 (6 pages)",
        "low       /blog: 2 articles were removed",
        f"          https://example.com{BLOG[0]}",
        f"          https://example.com{BLOG[1]}",
    ]


def test_the_gravest_comes_first_and_what_is_left_out_is_counted(project: Project) -> None:
    posts = [f"/blog/a-post-about-{number}" for number in range(20)]
    with open_database(f"sqlite:///{project.database}") as database:
        for paths in (posts[:10], posts[4:10], posts[4:]):
            crawling = Crawling(database)
            crawling.list_in_sitemap("/", "/about", *paths)
            crawling.end()
    lines = run_inside(project, "changes", "example.com").stdout.splitlines()
    assert [line for line in lines[1:] if not line.startswith("          http")] == [
        "low       /blog: 4 articles were removed",
        "info      /blog: 10 new articles",
        "          and 5 more",
    ]


def test_changes_since_a_date_in_all_formats(compared: Project) -> None:
    text = run_inside(compared, "changes", "example.com", "--since", "2w")
    assert "scan 2  info      /blog: 2 new articles" in text.stdout
    found = json.loads(
        run_inside(compared, "changes", "example.com", "--since", "1d", "--format", "json").stdout
    )
    assert [each["kind"] for each in found["changes"]] == [*["added"] * 2, *["removed"] * 2]
    table = run_inside(
        compared, "changes", "example.com", "--since", "1d", "--format", "csv"
    ).stdout
    assert len(list(csv.DictReader(io.StringIO(table)))) == 4
    markdown = run_inside(compared, "changes", "example.com", "--format", "md").stdout
    assert markdown.startswith("## Changes of example.com\n\n- **low** /blog: 2 articles")


@pytest.mark.parametrize(
    ("condition", "code"),
    [("removed>1", ExitCode.CHANGED), ("removed>2,noindex,robots", ExitCode.DONE)],
)
def test_a_condition_ends_with_an_exit_code(
    compared: Project, condition: str, code: ExitCode
) -> None:
    result = run_inside(compared, "changes", "example.com", "--fail-on", condition)
    assert result.returncode == code
    assert ("--fail-on removed>1: 2 found" in result.stderr) == bool(code)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--fail-on", "vanished"], "--fail-on: 'vanished': expected a kind"),
        (["--since", "soon"], "--since: 'soon': expected a date"),
        (["--kind", "none"], "--kind: 'none' is none of"),
        (["--severity", "bad"], "--severity: 'bad' is none of info, low"),
    ],
)
def test_wrong_options_are_named(compared: Project, options: list[str], words: str) -> None:
    result = run_inside(compared, "changes", "example.com", *options)
    assert result.returncode == ExitCode.USAGE
    assert words in result.stderr


def test_diff_of_any_two_scans(compared: Project) -> None:
    result = run_inside(compared, "diff", "example.com", "--scan", "1", "--scan", "4")
    assert result.stdout.splitlines()[:2] == [
        "example.com: scan 1 -> scan 4",
        "2 added, 2 removed, 0 updated, 0 source changed",
    ]
    assert f"- https://example.com{BLOG[0]}" in result.stdout
    assert f"+ https://example.com{BLOG[5]}" in result.stdout
    failed = run_inside(
        compared, "diff", "example.com", "--scan", "1", "--scan", "4", "--fail-on", "removed>1"
    )
    assert failed.returncode == ExitCode.CHANGED


def test_why_shows_the_history_of_a_page(compared: Project) -> None:
    run_inside(compared, "changes", "example.com")
    result = run_inside(compared, "why", f"https://example.com{BLOG[0]}")
    assert "  removed since scan 4" in result.stdout
    assert "scan 4: removed\n" in result.stdout
