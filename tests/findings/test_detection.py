"""Redirect chains and pages with nearly the same text."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.findings.detection import near_originals, redirect_chains

MAX_DISTANCE = 3
fingerprints = st.integers(-(1 << 63), (1 << 63) - 1)


def flipped(fingerprint: int, bits: set[int]) -> int:
    value = fingerprint & (1 << 64) - 1
    for bit in bits:
        value ^= 1 << bit
    return value - (1 << 64) if value >> 63 else value


@given(fingerprints, st.sets(st.integers(0, 63), max_size=MAX_DISTANCE))
def test_few_bits_make_no_difference(fingerprint: int, bits: set[int]) -> None:
    assert near_originals([fingerprint, flipped(fingerprint, bits)]) == {1: 0}


@given(fingerprints, st.sets(st.integers(0, 63), min_size=MAX_DISTANCE + 1))
def test_many_bits_do(fingerprint: int, bits: set[int]) -> None:
    assert near_originals([fingerprint, flipped(fingerprint, bits)]) == {}


@given(st.lists(fingerprints, max_size=40))
def test_the_original_comes_first(texts: list[int]) -> None:
    for place, original in near_originals(texts).items():
        assert original < place
        differing = (texts[original] ^ texts[place]) & (1 << 64) - 1
        assert differing.bit_count() <= MAX_DISTANCE


def test_the_same_fingerprint_is_near_as_well() -> None:
    assert near_originals([7, 7, 7]) == {1: 0, 2: 0}


def test_nothing() -> None:
    assert near_originals([]) == {}
    assert near_originals([5]) == {}


def test_very_many_of_one_mould_take_no_time() -> None:
    # All have three pieces in common: comparing each with each would take minutes.
    texts = [number << 32 for number in range(60_000)]
    started = time.process_time()
    assert len(near_originals(texts)) > 50_000
    assert time.process_time() - started < 10


@pytest.mark.parametrize(
    ("targets", "chains"),
    [
        pytest.param({"a": "b"}, [], id="a single redirect"),
        pytest.param({"a": "b", "b": "c"}, [["a", "b", "c"]], id="two in a row"),
        pytest.param({"b": "c", "a": "b"}, [["a", "b", "c"]], id="in any order"),
        pytest.param(
            {"a": "c", "b": "c", "c": "d"}, [["a", "c", "d"], ["b", "c", "d"]], id="two ways"
        ),
        pytest.param({"a": "b", "b": "a"}, [], id="a circle"),
        pytest.param({"x": "a", "a": "b", "b": "a"}, [["x", "a", "b"]], id="into a circle"),
        pytest.param({"a": "a"}, [], id="to itself"),
    ],
)
def test_chains(targets: dict[str, str], chains: list[list[str]]) -> None:
    assert redirect_chains(targets) == chains
