"""Which pages are rendered."""

from __future__ import annotations

import pytest

from sitecrawl.render.need import Verdict
from sitecrawl.render.trials import Decision, RenderMode, RenderTrials

A = "https://a.example"


@pytest.mark.parametrize(
    ("mode", "need", "expected"),
    [
        (RenderMode.AUTO, Verdict.YES, Decision.RENDER),
        (RenderMode.AUTO, Verdict.MAYBE, Decision.TRY),
        (RenderMode.AUTO, Verdict.NO, Decision.LEAVE),
        *((RenderMode.ALWAYS, need, Decision.RENDER) for need in Verdict),
        *((RenderMode.NEVER, need, Decision.LEAVE) for need in Verdict),
    ],
)
def test_the_mode_and_the_need_decide(mode: RenderMode, need: Verdict, expected: Decision) -> None:
    assert RenderTrials(mode).decide(f"{A}/x", need) is expected


@pytest.mark.parametrize(("gained", "expected"), [(0, Decision.LEAVE), (3, Decision.RENDER)])
def test_the_first_doubtful_page_decides_for_its_kind(gained: int, expected: Decision) -> None:
    trials = RenderTrials(RenderMode.AUTO)
    trials.conclude(f"{A}/shop/tents", gained=gained)
    assert trials.decide(f"{A}/shop/boots", Verdict.MAYBE) is expected
    assert trials.decide(f"{A}/shop/7", Verdict.MAYBE) is expected


@pytest.mark.parametrize("other", ["/blog/tents", "/tents", "/shop/tents/reviews", "/"])
def test_other_kinds_are_tried_for_themselves(other: str) -> None:
    trials = RenderTrials(RenderMode.AUTO)
    trials.conclude(f"{A}/shop/tents", gained=0)
    assert trials.decide(A + other, Verdict.MAYBE) is Decision.TRY


def test_the_root_says_nothing_of_the_pages_beside_each_other() -> None:
    trials = RenderTrials(RenderMode.AUTO)
    trials.conclude(f"{A}/", gained=0)
    assert trials.decide(f"{A}/contact", Verdict.MAYBE) is Decision.TRY
    trials.conclude(f"{A}/contact", gained=0)
    assert trials.decide(f"{A}/about", Verdict.MAYBE) is Decision.LEAVE


def test_a_page_that_had_to_be_rendered_may_change_the_mind_about_its_kind() -> None:
    trials = RenderTrials(RenderMode.AUTO)
    trials.conclude(f"{A}/shop/tents", gained=0)
    trials.conclude(f"{A}/shop/boots", gained=2)
    assert trials.decide(f"{A}/shop/coats", Verdict.MAYBE) is Decision.RENDER


def test_what_brought_something_once_is_not_given_up() -> None:
    trials = RenderTrials(RenderMode.AUTO)
    trials.conclude(f"{A}/shop/tents", gained=2)
    trials.conclude(f"{A}/shop/boots", gained=0)
    assert trials.decide(f"{A}/shop/coats", Verdict.MAYBE) is Decision.RENDER
