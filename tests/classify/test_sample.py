from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.classify.sample import RowSample


def sampled(keys: list[str], limit: int, batch: int = 7) -> list[tuple[str]]:
    sample: RowSample[tuple[str]] = RowSample(limit)
    for start in range(0, len(keys), batch):
        sample.add([(key,) for key in keys[start : start + batch]])
    return sample.rows()


@given(st.integers(0, 200), st.integers(1, 50), st.integers(1, 30), st.integers(0, 99))
def test_it_depends_on_the_rows_alone(rows: int, limit: int, batch: int, seed: int) -> None:
    keys = [f"key {number}" for number in range(rows)]
    shuffled = list(keys)
    Random(seed).shuffle(shuffled)
    assert sampled(keys, limit) == sampled(shuffled, limit, batch)


def test_few_rows_are_all_in_it() -> None:
    keys = [str(number) for number in range(20)]
    assert sorted(row[0] for row in sampled(keys, 10)) == sorted(keys)


def test_many_rows_are_few_in_it() -> None:
    rows = sampled([str(number) for number in range(5_000)], 100)
    assert 100 <= len(rows) <= 200
    # From everywhere.
    assert 1_500 < sum(int(row[0]) for row in rows) / len(rows) < 3_500
