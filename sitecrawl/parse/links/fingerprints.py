"""Hashes of a page's text: exact, folded, and one whose distance says how near two texts are."""

from __future__ import annotations

import re
import string
from dataclasses import dataclass
from itertools import islice
from struct import Struct
from typing import TYPE_CHECKING

import xxhash

if TYPE_CHECKING:
    from collections.abc import Iterable

_BITS = 64
_ALL_BITS = (1 << _BITS) - 1
_SIGN_BIT = 1 << (_BITS - 1)
# Each bit of a hash has a lane of 16 bits, wide enough to count this many words.
_LANES = Struct(f"<{_BITS + 1}H")
_SPREAD_BYTES = [
    bytes(byte >> lane // 2 & 1 if lane % 2 == 0 else 0 for lane in range(16))
    for byte in range(256)
]
_ONE_WORD = 1 << 16 * _BITS
_MAX_WORDS = 65_535
_MAX_KNOWN_WORDS = 30_000
_MAX_WORD_CHARACTERS = 100
_NO_LETTERS = re.compile(r"[\W\d_]+")
_DROPPED = (string.whitespace + string.digits + string.punctuation).encode()


@dataclass(frozen=True, slots=True)
class TextHashes:
    exact: str
    folded: int
    fingerprint: int
    characters: int


class _WordLanes(dict[str, int]):
    """The hashes of words, of their letters alone, with their bits in lanes.

    The sum of many counts each bit, and in the last lane the words themselves. Words come again
    on every page of a site, so they are remembered. When there are too many, all are forgotten:
    the frequent ones are back at once.
    """

    def __missing__(self, word: str) -> int:
        letters = word[:_MAX_WORD_CHARACTERS]
        if not letters.isalpha():
            letters = _NO_LETTERS.sub("", letters)
        lanes = 0
        if letters:
            digest = xxhash.xxh3_64_digest(letters.casefold().encode("utf-8", "replace"))
            spread = b"".join(map(_SPREAD_BYTES.__getitem__, reversed(digest)))
            lanes = int.from_bytes(spread, "little") | _ONE_WORD
        if len(self) >= _MAX_KNOWN_WORDS:
            self.clear()
        if len(word) <= _MAX_WORD_CHARACTERS:
            self[word] = lanes
        return lanes


_word_lanes = _WordLanes()


def hash_text(text: str) -> TextHashes:
    """Hash a text in three ways.

    - `exact` changes with every character but white space,
    - `folded` not with case, ASCII digits and punctuation,
    - `fingerprint` is a simhash over the distinct words without their digits.
    """
    words = text.split()
    plain = " ".join(words)
    encoded = plain.encode("utf-8", "replace")
    # Most texts are ASCII, and folding their bytes is cheaper.
    folded = (
        encoded.lower()
        if len(encoded) == len(plain)
        else plain.casefold().encode("utf-8", "replace")
    )
    return TextHashes(
        exact=xxhash.xxh3_64_hexdigest(encoded),
        folded=_signed(xxhash.xxh3_64_intdigest(folded.translate(None, _DROPPED))),
        fingerprint=_fingerprint(words),
        characters=len(plain),
    )


def fingerprint_distance(a: int, b: int) -> int:
    """Give the number of bits, of 64, in which two fingerprints differ.

    >>> fingerprint_distance(-1, 0), fingerprint_distance(5, 4)
    (64, 1)
    """
    return ((a ^ b) & _ALL_BITS).bit_count()


def _fingerprint(words: list[str]) -> int:
    """Set each bit that is set in the hashes of most of the distinct words."""
    distinct: Iterable[str] = set(words)
    if len(words) > _MAX_WORDS:
        # The order of a set changes with each process; what is cut off may not.
        distinct = islice(dict.fromkeys(words), _MAX_WORDS)
    total = sum(map(_word_lanes.__getitem__, distinct))
    *counts, number = _LANES.unpack(total.to_bytes(_LANES.size, "little"))
    half = number // 2
    fingerprint = 0
    for bit, count in enumerate(counts):
        if count > half:
            fingerprint |= 1 << bit
    return _signed(fingerprint)


def _signed(number: int) -> int:
    """Give the same 64 bits as the signed integers of databases."""
    return number - 2**_BITS if number & _SIGN_BIT else number
