"""Texts that are the same, nearly the same, or not; docs/findings.md states the threshold."""

from __future__ import annotations

import gzip
import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.findings.text_similarity import (
    NEAR_DUPLICATE,
    NearDuplicate,
    TextSketch,
    difference_words,
    near_duplicates,
    shingles,
    similarity,
    word_difference,
)
from sitecrawl.html.text import hash_text

# Main texts of the documentation of Python, PostgreSQL, Django, the JDK and of the Debian handbook,
# in pairs, with what a person says of each: "same", "near" (the same but for names, numbers or a
# few words) or "different".
_PAIRS = Path(__file__).parent / "data" / "text_pairs.json.gz"
_VOCABULARY = [f"{a}{b}{c}" for a in "bdfgk" for b in ("an", "el", "ir", "os") for c in "mnprst"]


def _labelled() -> list[tuple[str, str, str]]:
    data: dict[str, Any] = json.loads(gzip.decompress(_PAIRS.read_bytes()))
    texts = data["texts"]
    return [(texts[pair["one"]], texts[pair["other"]], pair["label"]) for pair in data["pairs"]]


def _found(one: str, other: str) -> str:
    if hash_text(one) == hash_text(other):
        return "same"
    is_near = similarity(shingles(one), shingles(other)) >= NEAR_DUPLICATE
    return "near" if is_near else "different"


def _near(texts: list[str]) -> list[NearDuplicate]:
    known = [shingles(text) for text in texts]
    return list(near_duplicates([TextSketch.of(each) for each in known], known.__getitem__))


def test_what_is_called_a_duplicate_of_real_pages_is_one() -> None:
    labelled = _labelled()
    called = [(found, label) for a, b, label in labelled if (found := _found(a, b)) != "different"]
    assert len(called) >= 50
    right = sum(found == label for found, label in called)
    assert right / len(called) >= 0.98
    # The labels are not all the same.
    for label in ("same", "near", "different"):
        assert sum(each == label for _, _, each in labelled) >= 15
    is_same = [label == "same" for found, label in called if found == "same"]
    assert all(is_same)


def test_pages_that_differ_in_numbers_are_not_the_same() -> None:
    assert _found("Django 1.0 RC2 is out", "Django 1.0 RC5 is out") != "same"


@pytest.mark.parametrize(
    ("changed", "is_near"), [(0, True), (3, True), (6, True), (12, False), (100, False)]
)
def test_the_threshold_is_a_share_of_the_shingles(changed: int, is_near: bool) -> None:
    # Words far from each other: each change breaks three of 400 shingles in both texts.
    words = [f"w{number}" for number in range(402)]
    other = [*words]
    for number in range(changed):
        other[4 * number] = f"x{number}"
    broken = len(
        {place for n in range(changed) for place in range(4 * n - 2, 4 * n + 1)} - {-1, -2}
    )
    share = (400 - broken) / (400 + broken)
    assert similarity(shingles(" ".join(words)), shingles(" ".join(other))) == pytest.approx(share)
    assert (share >= NEAR_DUPLICATE) is is_near
    assert bool(_near([" ".join(words), " ".join(other)])) is is_near


def test_a_near_duplicate_has_the_first_text_that_is_like_it() -> None:
    text = " ".join(f"w{number}" for number in range(300))
    other = " ".join(f"v{number}" for number in range(300))
    found = _near([other, text, f"{text} again", other, f"{text} and again"])
    assert [(near.text, near.original) for near in found] == [(2, 1), (3, 0), (4, 1)]
    assert found[1].similarity == 1


@given(st.lists(st.lists(st.sampled_from(_VOCABULARY), max_size=12).map(" ".join), max_size=8))
def test_what_is_found_is_as_similar_as_it_says(texts: list[str]) -> None:
    for near in _near(texts):
        assert near.original < near.text
        exact = similarity(shingles(texts[near.text]), shingles(texts[near.original]))
        assert near.similarity == exact >= NEAR_DUPLICATE


@pytest.mark.parametrize("text", ["", " \n", "one", "one two", "!?"])
def test_short_texts_are_compared_as_well(text: str) -> None:
    known = shingles(text)
    assert similarity(known, known) == (1 if len(known) else 0)
    assert similarity(known, shingles("another text of some words")) == 0


def test_very_many_of_one_mould_take_no_time() -> None:
    # Each is half of what all have in common: comparing each with each would take minutes.
    common = " ".join(f"w{number}" for number in range(100))
    texts = [f"{common} {' '.join(f'{n}x{m}' for m in range(100))}" for n in range(2_000)]
    started = time.process_time()
    assert _near(texts) == []
    assert time.process_time() - started < 20


def test_the_difference_is_shown_in_words() -> None:
    before = "Django 1.4.13 release notes. It fixes two issues in 1.4.12."
    after = "Django 1.5.8 release notes. It fixes two issues in 1.5.7. Bugfixes"
    difference = word_difference(before, after)
    assert (difference.total, difference.is_cut) == (2, False)
    assert difference_words(difference) == '"1.4.13" → "1.5.8", "1.4.12." → "1.5.7. Bugfixes"'
    assert difference_words(word_difference(after, after)) == ""
    assert difference_words(word_difference("a", "a b")) == 'added "b"'
    assert difference_words(word_difference("a b", "a")) == 'removed "b"'


def test_a_long_difference_is_shortened() -> None:
    before = " ".join(f"same{n} old{n}" for n in range(4_000))
    after = " ".join(f"same{n} new{n}" for n in range(4_000))
    difference = word_difference(before, after, max_changes=2)
    assert (len(difference.changes), difference.is_cut) == (2, True)
    assert difference_words(difference).endswith(f", {difference.total - 2:,} more")
    [change] = word_difference("a", "a " + "word " * 100).changes
    assert len(change.after) == 60
