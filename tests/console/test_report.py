from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from sitecrawl.console.report import terminal_report
from tests.report.hostile import RIGHT_TO_LEFT, hostile_report
from tests.report.sample import sample_report

if TYPE_CHECKING:
    from sitecrawl.report.data import ReportData


def printed(report: ReportData, width: int = 100) -> str:
    file = io.StringIO()
    Console(file=file, width=width, highlight=False).print(terminal_report(report))
    return file.getvalue()


def test_the_main_things_are_on_it() -> None:
    text = printed(sample_report(3_000))
    for words in (
        "https://www.lindenhof-garden.example/  scan 12",
        "Pages on the list                 3,000",
        "3,000 known, about 3,240 in all (95 % interval 3,090 to 3,510)",
        "limit hit: 1,204 pages more clicks away (SITECRAWL_MAX_CRAWL_DEPTH=2)",
        "17  fix soon         Sitemap entries that answer 404",
        "sitemap  2,400   80 %  ████████████████████████",
        "and 1 more",
    ):
        assert words in text


@pytest.mark.parametrize("width", [60, 100, 200])
def test_no_line_is_wider_than_the_screen(width: int) -> None:
    assert max(map(len, printed(sample_report(1_000), width).splitlines())) <= width


def test_a_site_cannot_steer_the_terminal() -> None:
    report = hostile_report()
    report["clusters"][0]["name"] = "\x1b]0;title\x07[bold]x[/bold]"
    report["clusters"][0]["kind"] = "section"
    report["clusters"][0]["pages"] = 10**9  # the first of its table
    text = printed(report)
    assert "\x1b" not in text
    assert RIGHT_TO_LEFT not in text
    assert "[bold]x[/bold]" in text


def test_a_site_without_findings_says_so() -> None:
    report = sample_report(10)
    report["findings"], report["clusters"], report["types"] = [], [], []
    assert "Nothing was found that needs attention." in printed(report)
