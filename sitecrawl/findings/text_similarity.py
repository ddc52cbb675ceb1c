"""How alike two texts are, which of many texts are nearly the same, and in which words they differ.

Texts are compared by their shingles: each run of three words, numbers included. Two texts are near
duplicates if at least nine of ten of all shingles that occur in either of them occur in both
(their Jaccard index). A word that was replaced changes three shingles.
"""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from sitecrawl.html.text import hash_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    Shingles = NDArray[np.uint64]

NEAR_DUPLICATE: Final = 0.9
_WORDS: Final = 3
_FACTORS: Final = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)
_MIXER: Final = 0xBF58476D1CE4E5B9
# Texts are compared if they share one of so many of their smallest hashes: of two near duplicates
# each of them is shared with a probability of nine tenths.
_KEYS: Final = 8
_SKETCH_SIZE: Final = 64
# The sketches of two near duplicates share less than this once in ten thousand times.
_LEAST_ESTIMATE: Final = 0.75
# The first texts with a hash that each later one is compared with: bounds the work for thousands
# of pages with the same introduction.
_COMPARED: Final = 6
_MAX_DIFFERENCE_WORDS: Final = 5_000


class NearDuplicate(NamedTuple):
    """A text that is nearly the same as an earlier one; both by index."""

    text: int
    original: int
    similarity: float


class WordChange(NamedTuple):
    """Words of one text in place of those of another; ``""``: there are none."""

    before: str
    after: str


class TextDifference(NamedTuple):
    """In what two texts differ."""

    changes: list[WordChange]
    """The first ones, shortened."""
    total: int
    """How many there are."""
    is_cut: bool
    """Whether only the beginning of long texts was compared."""


def shingles(text: str) -> Shingles:
    """The hashes of the distinct shingles, in ascending order; a short text is a single one."""
    words = hash_words(text)
    length = min(_WORDS, len(words))
    count = len(words) - length + 1 if length else 0
    sums = np.zeros(count, np.uint64)
    for position, factor in enumerate(_FACTORS[:length]):
        sums += words[position : position + count] * np.uint64(factor)
    sums ^= sums >> np.uint64(29)
    sums *= np.uint64(_MIXER)
    return np.unique(sums ^ (sums >> np.uint64(32)))


def similarity(one: Shingles, other: Shingles) -> float:
    """The share of the shingles that both texts have.

    >>> similarity(shingles("a b c d e"), shingles("A b, c d f"))
    0.5
    """
    shared = len(np.intersect1d(one, other, assume_unique=True))
    either = len(one) + len(other) - shared
    return shared / either if either else 0.0


class TextSketch(NamedTuple):
    """What is kept of a text to find those that may be near duplicates of it."""

    shingle_count: int
    smallest: Shingles

    @classmethod
    def of(cls, text: Shingles) -> TextSketch:
        return cls(len(text), text[:_SKETCH_SIZE].copy())

    def may_be_near(self, other: TextSketch) -> bool:
        """Whether the exact similarity is worth to be computed."""
        counts = (self.shingle_count, other.shingle_count)
        if min(counts) < NEAR_DUPLICATE * max(counts):
            return False
        # The smallest hashes are a random sample of the shingles.
        together = np.union1d(self.smallest, other.smallest)[:_SKETCH_SIZE]
        shared = np.intersect1d(self.smallest, other.smallest, assume_unique=True)
        is_sampled = shared <= together[-1:]
        return bool(np.count_nonzero(is_sampled) >= _LEAST_ESTIMATE * len(together))


def near_duplicates(
    sketches: Sequence[TextSketch], read_shingles: Callable[[int], Shingles]
) -> Iterator[NearDuplicate]:
    """Texts that are nearly the same as an earlier one, in their order.

    *read_shingles* gives all shingles of the text with an index: too many to keep those of every
    text. The work is linear in the number of texts.
    """
    firsts: dict[int, list[int]] = {}
    for index, sketch in enumerate(sketches):
        keys = sketch.smallest[:_KEYS].tolist()
        candidates = sorted({each for key in keys for each in firsts.get(key, ())})
        for candidate in candidates:
            if not sketch.may_be_near(sketches[candidate]):
                continue
            found = similarity(read_shingles(index), read_shingles(candidate))
            if found >= NEAR_DUPLICATE:
                yield NearDuplicate(index, candidate, found)
                break
        else:
            # A near duplicate is no original: what is like it is like its original, or nearly so.
            for key in keys:
                known = firsts.setdefault(key, [])
                if len(known) < _COMPARED:
                    known.append(index)


def word_difference(
    before: str, after: str, *, max_changes: int = 5, max_characters: int = 60
) -> TextDifference:
    """The words in which two texts differ.

    >>> word_difference("Django 1.0 RC2 is out", "Django 1.0 RC5 is out now").changes
    [WordChange(before='RC2', after='RC5'), WordChange(before='', after='now')]
    """
    old, new = before.split(), after.split()
    is_cut = max(len(old), len(new)) > _MAX_DIFFERENCE_WORDS
    matcher = SequenceMatcher(None, old[:_MAX_DIFFERENCE_WORDS], new[:_MAX_DIFFERENCE_WORDS])
    changed = [codes for codes in matcher.get_opcodes() if codes[0] != "equal"]
    return TextDifference(
        [
            WordChange(_shown(old[a:b], max_characters), _shown(new[c:d], max_characters))
            for _, a, b, c, d in changed[:max_changes]
        ],
        len(changed),
        is_cut,
    )


def difference_words(difference: TextDifference) -> str:
    """The difference in one line.

    >>> difference_words(word_difference("a RC2", "a RC5 now"))
    '"RC2" → "RC5 now"'
    """
    shown = [_change_words(change) for change in difference.changes]
    rest = difference.total - len(shown)
    shown += [f"{rest:,} more"] if rest else []
    return ", ".join(shown)


def _change_words(change: WordChange) -> str:
    if not change.before:
        return f'added "{change.after}"'
    if not change.after:
        return f'removed "{change.before}"'
    return f'"{change.before}" → "{change.after}"'


def _shown(words: Sequence[str], max_characters: int) -> str:
    text = " ".join(words)
    return text if len(text) <= max_characters else f"{text[: max_characters - 1]}…"
