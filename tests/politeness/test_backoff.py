from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.politeness.backoff import backoff_seconds


@given(st.floats(0.001, 10), st.integers(1, 29), st.floats(0, 1), st.floats(0, 1))
def test_each_is_longer_than_the_one_before(
    first: float, times: int, chance: float, other: float
) -> None:
    assert backoff_seconds(first, times + 1, chance) > backoff_seconds(first, times, other)
    assert backoff_seconds(first, times, chance) >= first


@given(st.integers(-5, 10**9))
def test_it_is_always_a_number(times: int) -> None:
    assert 0.2 <= backoff_seconds(0.2, times, 1) <= 0.25 * 2**30
