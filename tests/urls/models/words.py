"""Texts of model pages, and the fingerprint of a text."""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

_BITS = 64
_LANE_BITS = 16
_CONSONANTS, _VOWELS = "bcdfgklmnprstvw", "aeiou"
_NO_LETTERS = re.compile(r"[\W\d_]+")


class Answer(NamedTuple):
    links: list[str]
    text: str
    is_broken: bool = False


Model = Callable[[str], Answer]
"""From the path and query of a page to what it says."""


def names(first: int, count: int) -> list[str]:
    """Made-up words, one for each number."""
    syllables = [c + v for c in _CONSONANTS for v in _VOWELS]
    size = len(syllables)
    return [
        syllables[n // size**2 % size] + syllables[n // size % size] + syllables[n % size]
        for n in range(first, first + count)
    ]


_VOCABULARY = names(100_000, 5_000)


def prose(seed: object, words: int = 60) -> str:
    """The same text for the same seed, and another for every other."""
    return " ".join(random.Random(str(seed)).choices(_VOCABULARY, k=words))


FRAME = prose("menu and footer", 40)


@cache
def _lanes(word: str) -> int:
    """The bits of a word's hash, far enough apart to be added up."""
    word = _NO_LETTERS.sub("", word).casefold()
    digest = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest())
    return sum(1 << _LANE_BITS * bit for bit in range(_BITS) if digest >> bit & 1) if word else 0


def simhash(text: str) -> int | None:
    """The majority of each bit over the hashes of the distinct words, without digits."""
    lanes = [lane for lane in map(_lanes, set(text.split())) if lane]
    counts = sum(lanes).to_bytes(_BITS * _LANE_BITS // 8, "little")
    columns = memoryview(counts).cast("H")
    return sum(1 << bit for bit in range(_BITS) if 2 * columns[bit] > len(lanes)) if lanes else None
