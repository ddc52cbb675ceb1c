"""The findings as data."""

from __future__ import annotations

from sitecrawl.findings.kinds import DESCRIPTIONS, SiteFinding


def test_every_finding_is_described() -> None:
    assert set(DESCRIPTIONS) == set(SiteFinding)
    assert len({description.title for description in DESCRIPTIONS.values()}) == len(DESCRIPTIONS)
    for description in DESCRIPTIONS.values():
        assert description.advice.endswith(".")
        assert not description.title.endswith(".")
