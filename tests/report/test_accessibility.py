"""axe-core looks at the report, in both schemes and at both sizes."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.report.sample import sample_report

if TYPE_CHECKING:
    from tests.report.conftest import ReportOpener

AXE = (Path(__file__).parent / "assets" / "axe.min.js").read_text(encoding="utf-8")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
def test_axe_finds_nothing(open_report: ReportOpener, width: int, scheme: str) -> None:
    page = open_report(sample_report(200), width=width, scheme=scheme)
    page.locator("#links").scroll_into_view_if_needed()
    page.wait_for_selector(".arc-row")
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true })")
    page.evaluate(f"{AXE}; 0")
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
    assert [(each["id"], each["impact"]) for each in found["violations"]] == []


def test_headings_make_an_outline(open_report: ReportOpener) -> None:
    levels = (
        open_report()
        .locator("h1, h2, h3, h4")
        .evaluate_all("all => all.map(each => Number(each.tagName[1]))")
    )
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_every_table_has_a_name_and_headings(open_report: ReportOpener) -> None:
    nameless = (
        open_report()
        .locator("table")
        .evaluate_all("all => all.filter(each => !each.caption?.textContent || !each.tHead).length")
    )
    assert nameless == 0
