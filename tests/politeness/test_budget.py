from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.politeness.budget import ScanBudget


@given(st.integers(1, 50), st.lists(st.sampled_from(["take", "return"]), max_size=100))
def test_never_more_pages_than_the_limit(limit: int, steps: list[str]) -> None:
    budget, out = ScanBudget(limit, 0, 0), 0
    for step in steps:
        if step == "take":
            assert budget.take_page() == (out < limit)
            out = min(out + 1, limit)
        elif out:
            budget.return_page()
            out -= 1
        assert budget.pages == out
        assert budget.has_pages == (out < limit)


def test_no_limit() -> None:
    budget = ScanBudget(0, 0, started=5)
    assert all(budget.take_page() for _ in range(1000))
    assert budget.ends_at == math.inf
    assert not budget.is_over(1e12)
    assert not list(budget.warnings(1e12))


@pytest.mark.parametrize(("now", "is_over"), [(100, False), (159.9, False), (160, True)])
def test_time(now: float, is_over: bool) -> None:
    assert ScanBudget(0, 60, started=100).is_over(now) is is_over


def test_one_warning_at_four_fifths_of_the_pages() -> None:
    budget, heard = ScanBudget(10, 0, 0), []
    for _ in range(10):
        budget.take_page()
        heard.append(list(budget.warnings(0)))
    assert [len(each) for each in heard] == [0] * 7 + [1] + [0] * 2
    assert heard[7] == ["8 of 10 pages are used (SITECRAWL_MAX_PAGES)"]


def test_one_warning_at_four_fifths_of_the_time() -> None:
    budget = ScanBudget(0, 3600, started=100)
    assert not list(budget.warnings(100 + 2879))
    warning = "80% of the 60 minutes are used (SITECRAWL_MAX_SCAN_MINUTES)"
    assert list(budget.warnings(100 + 2880)) == [warning]
    assert not list(budget.warnings(100 + 3599))
