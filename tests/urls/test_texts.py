from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.urls.texts import Likeness, SeenTexts

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
