"""``sitecrawl report``: formats, files, and what is wrong usage."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING
from zipfile import ZipFile

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Crawled

SITE = "https://example.com"


def test_without_options_it_writes_the_file_to_open(crawled: Crawled) -> None:
    result = crawled.run("report", SITE).succeeded()
    assert result.stdout == ""
    assert result.stderr == f"report of {SITE}/ written to report.html\n"
    text = (crawled.project.folder / "report.html").read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>\n")
    assert f"<title>Site report: {SITE}/</title>" in text


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("a.html", b"<!doctype html>"),
        ("a.json", b'{"site": '),
        ("a.md", b"# Site report: "),
        ("A.ZIP", b"PK"),
    ],
)
def test_the_ending_says_the_format(
    crawled: Crawled, tmp_path: Path, name: str, start: bytes
) -> None:
    path = tmp_path / name
    result = crawled.run("report", SITE, "-o", str(path)).succeeded()
    assert path.read_bytes().startswith(start)
    assert result.stderr == f"report of {SITE}/ written to {path}\n"


def test_a_format_without_a_file_goes_to_the_screen(crawled: Crawled) -> None:
    report = json.loads(crawled.run("report", SITE, "--format", "json").succeeded().stdout)
    assert report["site"]["root_url"] == f"{SITE}/"
    assert crawled.run("report", SITE, "-f", "md").succeeded().stdout.startswith("# Site report")


def test_a_format_wins_over_the_ending(crawled: Crawled, tmp_path: Path) -> None:
    crawled.run("report", SITE, "-f", "csv", "-o", str(tmp_path / "a.data")).succeeded()
    with ZipFile(io.BytesIO((tmp_path / "a.data").read_bytes())) as archive:
        assert {"pages.csv", "findings.csv", "clusters.csv"} <= set(archive.namelist())


def test_the_short_version_fits_a_screen(crawled: Crawled) -> None:
    text = crawled.run("report", SITE, "--terminal").succeeded().stdout
    assert text.startswith(f"{SITE}/  scan 1")
    assert "How complete is the list?" in text
    assert "Findings" in text
    assert text.count("\n") < 80


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (
            ("-o", "report.xls"),
            "expected a name with one of .html, .json, .md, .zip, .xlsx, or --format",
        ),
        (
            ("-o", "report.csv"),
            "expected a name with one of .html, .json, .md, .zip, .xlsx, or --format",
        ),
        (("--terminal", "-f", "md"), "--terminal prints to the screen"),
        (("--terminal", "-o", "a.html"), "--terminal prints to the screen"),
        (("-o", "no/such/folder/a.html"), "No such file or directory"),
    ],
)
def test_wrong_usage_is_said_in_one_line(
    crawled: Crawled, args: tuple[str, ...], words: str
) -> None:
    result = crawled.run("report", SITE, *args)
    assert result.returncode == 2
    assert words in result.stderr
    assert result.stderr.count("\n") == 1
