from __future__ import annotations

from pathlib import Path

import pytest

from sitecrawl.robots.agents import AgentMatching
from sitecrawl.robots.file import RobotsFindingKind
from sitecrawl.robots.verdict import CONFIDENCE, Verdict, VerdictReason

PAGE = (Path(__file__).parents[2] / "docs/robots.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("reason", VerdictReason)
def test_every_reason_is_documented_and_explained(reason: VerdictReason) -> None:
    row = next(line for line in PAGE.splitlines() if line.startswith(f"| `{reason}` |"))
    assert row.endswith(f" {CONFIDENCE[reason]} |")
    verdict = Verdict(True, reason, "Allow: /", 1, "*", "HTTP 503")
    assert "{" not in verdict.explanation


@pytest.mark.parametrize("word", [*RobotsFindingKind, *AgentMatching])
def test_every_word_is_documented(word: str) -> None:
    assert f"`{word}`" in PAGE


def test_an_explanation_says_what_decided() -> None:
    verdict = Verdict(False, VerdictReason.UNREACHABLE, cause="HTTP 503")
    assert verdict.explanation == (
        "robots.txt could not be had (HTTP 503), so nothing may be fetched"
    )
