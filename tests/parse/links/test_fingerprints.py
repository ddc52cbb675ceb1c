from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.parse.links import fingerprint_distance
from sitecrawl.parse.links.fingerprints import _MAX_KNOWN_WORDS, _word_lanes, hash_text

VOCABULARY = [f"{a}{b}{c}" for a in "bdfgk" for b in ("an", "el", "ir", "os") for c in "mnprst"]


def prose(seed: int, words: int = 400) -> list[str]:
    return random.Random(seed).choices(VOCABULARY, k=words)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Some text", " Some\n\ttext ", ("exact", "folded", "fingerprint")),
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
        "6a2a2ca7d320fff6",
        -819411506212884345,
        -4502818278189920017,
        29,
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
    assert distances[0] <= 6
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


def test_known_words_are_bounded_and_forgetting_changes_nothing() -> None:
    text = " ".join(prose(2))
    before = hash_text(text)
    letters = "abcdefghijklmnopqrstuvwxyz"
    hash_text(
        " ".join(a + b + c + d for a in letters for b in letters for c in letters for d in "xy")
    )
    hash_text(" ".join(a + b + c for a in letters for b in letters for c in letters))
    assert len(_word_lanes) <= _MAX_KNOWN_WORDS
    assert hash_text(text) == before


def test_long_words_are_cut_and_not_remembered() -> None:
    word = "longword" * 1_000
    assert hash_text(word).fingerprint == hash_text(word + "more").fingerprint
    assert hash_text(word).exact != hash_text(word + "more").exact
    assert word not in _word_lanes


def test_the_words_of_a_huge_text_are_counted_up_to_a_number() -> None:
    # As many words as a lane can count, in the order of the text.
    words = [
        f"{'x' * (number % 7)}{number:b}".translate({48: "a", 49: "b"}) for number in range(70_000)
    ]
    found = hash_text(" ".join(words))
    assert found.fingerprint == hash_text(" ".join(words[:65_535])).fingerprint
