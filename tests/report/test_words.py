from __future__ import annotations

import pytest

from sitecrawl.report.words import by_severity, coverage_words, limit_words
from tests.report.sample import sample_report

EXHAUSTIVE = "all reachable pages were visited"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "100 known, about 108 in all (95 % interval 103 to 117)"),
        ({"high": None}, "100 known, about 108 in all (at least 103)"),
        (
            {"is_trusted": False, "high": None},
            "100 known, about 108 in all (at least 103; not to be trusted without its doubts)",
        ),
        ({"estimate": None}, "100 known; how many there are in all cannot be estimated"),
        (
            {"estimate": None, "is_exhaustive": True},
            f"100 known; {EXHAUSTIVE}",
        ),
        (
            {"is_exhaustive": True},
            f"100 known; {EXHAUSTIVE}, about 108 in all (95 % interval 103 to 117)",
        ),
    ],
    ids=["trusted", "open", "doubted", "none", "exhaustive", "exhaustive and trusted"],
)
def test_coverage_in_a_sentence(changes: dict[str, object], words: str) -> None:
    coverage = {**sample_report(100)["coverage"], **changes}
    assert coverage_words(coverage) == words  # type: ignore[arg-type]


def test_findings_by_weight_then_by_number() -> None:
    findings = sample_report(100)["findings"]
    more = {**findings[1], "count": 99}
    ordered = by_severity([*findings[:1], *findings[2:], more])  # type: ignore[list-item]
    assert [finding["count"] for finding in ordered] == [99, 17, 48, 3]


@pytest.mark.parametrize(
    ("setting", "words"),
    [("SITECRAWL_X", "pages (SITECRAWL_X=1,000)"), ("", "pages (limit 1,000)")],
)
def test_a_limit_names_what_raises_it(setting: str, words: str) -> None:
    assert limit_words({"what": "pages", "setting": setting, "limit": 1_000}) == words
