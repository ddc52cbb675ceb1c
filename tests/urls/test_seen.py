from __future__ import annotations

import random
import tracemalloc

from hypothesis import given, settings
from hypothesis import strategies as st

from sitecrawl.urls.seen import _MULTIPLIER, Likeness, SeenIds, SeenTexts

FIRST_SIZE = 1 << 16


def add_each(known: set[int], batch: list[int]) -> list[bool]:
    """What ``add_all`` has to answer."""
    answers = [
        number not in known and batch.index(number) == row for row, number in enumerate(batch)
    ]
    known.update(batch)
    return answers


def ids_at_home_in(slot: int, count: int, size: int = FIRST_SIZE) -> list[int]:
    """Ids that all belong to one slot of a table, half of them still after its growth.

    That is the spreading of ids, undone.
    """
    inverse = pow(int(_MULTIPLIER), -1, 2**64)
    wanted = [(number << 33) + number % 2 * size + slot for number in range(1, count + 1)]
    found = [(number ^ number >> 32) * inverse % 2**64 for number in wanted]
    return [number - 2**64 if number >= 2**63 else number for number in found]


def random_ids(count: int, seed: int) -> list[int]:
    rng = random.Random(seed)
    return [rng.getrandbits(64) - 2**63 for _ in range(count)]


_IDS = (
    st.integers(-(2**63), 2**63 - 1)
    | st.integers(-5, 5)
    | st.integers(-100, 100).map(lambda number: number << 40)
    | st.sampled_from(ids_at_home_in(FIRST_SIZE - 1, 20))
)


@settings(max_examples=150)
@given(st.lists(st.lists(_IDS, max_size=30), max_size=8))
def test_answers_as_a_set_does(batches: list[list[int]]) -> None:
    seen = SeenIds()
    known: set[int] = set()
    for batch in batches:
        assert seen.add_all(batch) == add_each(known, batch)
    assert len(seen) == len(known)
    assert all(number in seen for number in known)
    assert all(number in known for number in range(-6, 7) if number in seen)


def test_ids_of_every_age_are_known_and_take_little_room() -> None:
    numbers = [0, *random_ids(1_500_000, seed=9)]
    tracemalloc.start()
    seen = SeenIds()
    for start in range(0, len(numbers), 50_000):
        batch = numbers[start : start + 50_000]
        assert all(seen.add_all(batch))
        assert not any(seen.add_all(batch[::100] + numbers[:start:1_000]))
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(seen) == len(numbers)
    assert all(number in seen for number in numbers[::10_000])
    assert not any(number in seen for number in random_ids(100, seed=10))
    assert held < 12 * len(numbers)


def test_growth_keeps_every_id() -> None:
    numbers = random_ids(400_000, seed=5)
    seen = SeenIds()
    for start in range(0, len(numbers), 5000):
        assert all(seen.add_all(numbers[start : start + 5000]))
        assert not any(seen.add_all(numbers[: start + 5000 : 97]))
    assert len(seen) == len(numbers)
    assert not any(seen.add_all(numbers))
    assert not any(seen.add_all(random_ids(400_000, seed=5)[::-1]))


def test_growth_keeps_long_runs_and_those_that_wrap_around() -> None:
    slots = (0, 1, 7, FIRST_SIZE // 2, FIRST_SIZE - 2, FIRST_SIZE - 1)
    crowded = [number for slot in slots for number in ids_at_home_in(slot, 200)]
    size = 2 * FIRST_SIZE
    crowded += [
        number for slot in (FIRST_SIZE - 9, size - 1) for number in ids_at_home_in(slot, 200, size)
    ]
    assert len(set(crowded)) == len(crowded)
    seen = SeenIds()
    assert all(seen.add_all(crowded))
    filler = random_ids(160_000, seed=6)
    for start in range(0, len(filler), 5000):
        assert all(seen.add_all(filler[start : start + 5000]))
        assert not any(seen.add_all(crowded))
    assert not any(seen.add_all(filler))
    assert len(seen) == len(crowded) + len(filler)


def test_growth_keeps_an_id_that_had_wrapped_around_when_its_home_is_left() -> None:
    size = 2 * FIRST_SIZE
    seen = SeenIds()
    seen.add_all(
        [number for slot in range(100, 40_000) for number in ids_at_home_in(slot, 1, size)]
    )
    leaving, wrapped = ids_at_home_in(size - 1, 2, size)
    assert all(seen.add_all([leaving]) + seen.add_all([wrapped]))
    seen.add_all(
        [number for slot in range(40_000, 80_000) for number in ids_at_home_in(slot, 1, size)]
    )
    assert not any(seen.add_all([leaving, wrapped]))


def test_batch_larger_than_a_slice_counts_repeats() -> None:
    numbers = list(range(-70_000, 70_000))
    assert SeenIds().add_all(numbers + numbers) == [True] * len(numbers) + [False] * len(numbers)


def test_nothing_is_nothing() -> None:
    assert SeenIds().add_all([]) == []
    assert len(SeenIds()) == 0
    assert 0 not in SeenIds()


def test_million_ids_stay_under_20_megabytes_growth_included() -> None:
    numbers = random_ids(1_000_000, seed=7)
    tracemalloc.start()
    try:
        seen = SeenIds()
        for start in range(0, len(numbers), 5000):
            seen.add_all(numbers[start : start + 5000])
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(seen) == len(numbers)
    assert peak_bytes < 20_000_000


_FINGERPRINTS = st.integers(-(2**63), 2**63 - 1) | st.integers(0, 40)
_SEEN = st.tuples(_FINGERPRINTS, st.integers(0, 3), st.none() | st.integers(0, 4))


def expected(
    seen: list[tuple[int, int, int | None]], fingerprint: int, pattern: int, distance: int
) -> Likeness:
    near = [
        (where, depth)
        for other, where, depth in seen
        if ((other ^ fingerprint) & (2**64 - 1)).bit_count() <= distance
    ]
    depths = [depth for _, depth in near if depth is not None]
    return Likeness(
        is_anywhere=bool(near),
        is_in_pattern=pattern in {where for where, _ in near},
        shallowest=min(depths, default=None),
    )


@given(st.lists(_SEEN, max_size=20), _FINGERPRINTS, st.integers(0, 3), st.integers(0, 8))
def test_answers_as_a_comparison_with_each(
    seen: list[tuple[int, int, int | None]], fingerprint: int, pattern: int, distance: int
) -> None:
    texts = SeenTexts()
    for text, where, depth in seen:
        texts.add(text, pattern=where, depth=depth)
    found = texts.likeness(fingerprint, pattern=pattern, distance=distance)
    assert found == expected(seen, fingerprint, pattern, distance)
    assert len(texts) == len({(text & (2**64 - 1), where) for text, where, _ in seen})


def test_growth_keeps_every_text() -> None:
    chance = random.Random(3)
    seen = [(chance.getrandbits(64), number, number % 7) for number in range(5_000)]
    texts = SeenTexts()
    for text, where, depth in seen:
        texts.add(text, pattern=where, depth=depth)
    for text, where, depth in seen[::97]:
        found = texts.likeness(text ^ 0b101, pattern=where, distance=3)
        assert found == Likeness(is_anywhere=True, is_in_pattern=True, shallowest=depth)


def test_only_so_many_are_kept() -> None:
    texts = SeenTexts(max_texts=2)
    for text in (0, 0xFF, 0xFFFF):
        texts.add(text, pattern=0, depth=1)
    assert len(texts) == 2
    assert not texts.likeness(0xFFFF, pattern=0, distance=3).is_anywhere
    texts.add(0, pattern=0, depth=0)
    assert texts.likeness(0, pattern=0, distance=0).shallowest == 0
