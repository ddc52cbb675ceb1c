from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.html.text import fingerprint_distance, hash_text

VOCABULARY = [f"{a}{b}{c}" for a in "bdfgk" for b in ("an", "el", "ir", "os") for c in "mnprst"]


def prose(seed: int, words: int = 400) -> list[str]:
    return random.Random(seed).choices(VOCABULARY, k=words)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Some text", " Some\n\t\u00a0text ", ("exact", "folded", "fingerprint")),
        ("Some text.", "some TEXT", ("folded", "fingerprint")),
        ("page 2 of 17", "page 13 of 17!", ("folded", "fingerprint")),
        ("ÉTÉ à Zürich", "été À zürich", ("folded", "fingerprint")),
        ("one two", "two one", ("fingerprint",)),
        ("one two", "one three", ()),
    ],
)
def test_what_each_hash_does_not_see(one: str, other: str, same: tuple[str, ...]) -> None:
    first, second = hash_text(one), hash_text(other)
    for name in ("exact", "folded", "fingerprint"):
        assert (getattr(first, name) == getattr(second, name)) is (name in same)


def test_hashes_stay_the_same_for_ever() -> None:
    # They are stored, and compared with those of later scans.
    found = hash_text("The quick brown fox, 2 times.")
    assert (found.exact, found.folded, found.fingerprint, found.characters) == (
        "0fde1e18db103102",
        -819411506212884345,
        -3816134916089986802,
        24,
    )
    found = hash_text("Été à Zürich:\u00a0été, ÉTÉ! 3 Straßen\tund\nSTRASSEN")
    assert (found.exact, found.folded, found.fingerprint, found.characters) == (
        "0370eaf2fb2d7302",
        747266745940192610,
        -3701055807624083940,
        47,
    )


def test_distance_grows_with_the_difference() -> None:
    words = prose(1)
    fingerprint = hash_text(" ".join(words)).fingerprint
    changed = [*words]
    distances = []
    for share in (0.01, 0.3, 1.0):
        for place in range(int(len(words) * share)):
            changed[place] = f"other{'abcdefghij'[place % 10] * (place // 10 + 1)}"
        other = hash_text(" ".join(changed)).fingerprint
        distances.append(fingerprint_distance(fingerprint, other))
    assert distances == sorted(distances)
    assert distances[0] <= 8
    assert distances[-1] > 16


def test_texts_of_their_own_are_far_apart() -> None:
    one = hash_text("Beans climb poles in June and need water every evening").fingerprint
    two = hash_text("Our returns desk opens weekdays; bring the receipt along").fingerprint
    assert fingerprint_distance(one, two) > 8


def test_no_text_has_no_fingerprint() -> None:
    assert hash_text("").fingerprint == hash_text(" 12 34 !").fingerprint == 0
    assert hash_text("").characters == 0


@given(st.text())
def test_any_text_has_hashes_of_64_bits(text: str) -> None:
    found = hash_text(text)
    assert len(found.exact) == 16
    assert -(2**63) <= found.folded < 2**63
    assert -(2**63) <= found.fingerprint < 2**63
    assert found == hash_text(text)


@given(st.integers(-(2**63), 2**63 - 1), st.integers(-(2**63), 2**63 - 1))
def test_distance_is_symmetric_and_zero_only_for_equals(a: int, b: int) -> None:
    assert fingerprint_distance(a, b) == fingerprint_distance(b, a) <= 64
    assert (fingerprint_distance(a, b) == 0) is (a == b)


def test_a_huge_text_is_hashed_in_pieces_that_nobody_sees() -> None:
    words = prose(2, words=100_000)
    together = hash_text(" ".join(words))
    assert together.fingerprint == hash_text(" ".join(sorted({*words}))).fingerprint
    assert together.fingerprint == hash_text("\n \n".join(reversed(words))).fingerprint


def test_many_distinct_words_are_all_counted() -> None:
    """More than a lane can count, and than its sums could."""
    words = [f"{number:b}".translate({48: "a", 49: "b"}) for number in range(70_000)]
    few, many = (hash_text(" ".join(words[:end])).fingerprint for end in (300, 70_000))
    assert few == hash_text(" ".join(reversed(words[:300]))).fingerprint
    assert many == hash_text(" ".join(reversed(words))).fingerprint
    assert fingerprint_distance(few, many) > 8


def test_a_word_without_an_end_has_a_hash() -> None:
    word = "longword" * 20_000
    assert hash_text(word).fingerprint == hash_text(word).fingerprint != 0
    assert hash_text(word).exact != hash_text(word + "more").exact


@given(st.lists(st.text("abcdefgh", min_size=1, max_size=8), min_size=1))
def test_every_bit_is_that_of_most_distinct_words(words: list[str]) -> None:
    distinct = sorted({*words})
    alone = [hash_text(word).fingerprint for word in distinct]
    fingerprint = hash_text(" ".join(words)).fingerprint
    for bit in range(64):
        votes = sum(each >> bit & 1 for each in alone)
        assert (fingerprint >> bit & 1) == (votes > len(distinct) // 2)
