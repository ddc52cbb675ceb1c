from __future__ import annotations

import pytest

from sitecrawl.changes.lastmod import LastmodFigures, LastmodTrust, judge_lastmod


@pytest.mark.parametrize(
    ("figures", "reason"),
    [
        (LastmodFigures(known=1_000, changed=40, equal=40), ""),
        (LastmodFigures(known=1_000, changed=90, equal=90), ""),
        (LastmodFigures(known=1_000, changed=500, equal=100), ""),
        (LastmodFigures(known=1_000, changed=500, equal=400), "400 of 500 new stamps are equal"),
        (LastmodFigures(known=1_000, changed=10, future=1), "1 of 10 new stamps are in the future"),
        (
            LastmodFigures(changed=10, checked_same_text=6, checked_new_text=2),
            "the text of 6 of 8 checked pages with a new stamp is what it was",
        ),
        (
            LastmodFigures(text_changed=6, text_changed_silently=5),
            "5 of 6 pages with a new text have the old stamp",
        ),
        (LastmodFigures(text_changed=4, text_changed_silently=4), ""),
    ],
)
def test_doubts(figures: LastmodFigures, reason: str) -> None:
    trust = judge_lastmod(figures, LastmodTrust())
    assert trust.is_trusted == (not reason)
    assert trust.reasons == ((reason,) if reason else ())


def test_lost_trust_comes_back_after_three_clean_scans() -> None:
    trust = judge_lastmod(LastmodFigures(known=1, changed=99, equal=99), LastmodTrust())
    seen = []
    for changed in (5, 0, 5, 5):
        trust = LastmodTrust.of_dict(
            judge_lastmod(LastmodFigures(changed=changed), trust).as_dict()
        )
        seen.append(trust.is_trusted)
    assert seen == [False, False, False, True]
