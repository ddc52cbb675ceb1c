"""Positions of ids in a column."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.report.mentions import IdIndex

ids = st.integers(-(1 << 63), (1 << 63) - 1)


@given(st.lists(ids, unique=True), st.lists(ids))
def test_the_position_of_an_id_is_its_index(column: list[int], others: list[int]) -> None:
    index = IdIndex(column)
    wanted = [*column, *others]
    expected = [column.index(each) if each in column else -1 for each in wanted]
    assert index.positions(wanted).tolist() == expected
    assert len(index) == len(column)
