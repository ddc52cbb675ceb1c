"""Detects redirect chains and pages with nearly the same text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# Two fingerprints that differ in at most 3 bits have at least one of these four pieces in common.
_PIECES: Final = 4
_PIECE_BITS: Final = 16
_MAX_DISTANCE: Final = _PIECES - 1
# Fingerprints with a common piece that are compared: bounds the work for a million similar pages.
_NEIGHBOURS: Final = 32


def near_originals(fingerprints: Sequence[int]) -> dict[int, int]:
    """By index of a text that is nearly the same as an earlier one, the index of the earliest.

    Fingerprints of similar texts differ in few bits. The work is linear in the number of texts.

    >>> near_originals([0b0000, 0xFFFF_0000, 0b0111, 0b0000])
    {2: 0, 3: 0}
    """
    if not fingerprints:
        return {}
    values = np.array(fingerprints, np.int64).view(np.uint64)
    texts, firsts, text_of = np.unique(values, return_index=True, return_inverse=True)
    # Earliest first, so that originals come before what is like them.
    order = np.argsort(firsts)
    texts, firsts, text_of = texts[order], firsts[order], np.argsort(order)[text_of]
    earliest = np.arange(len(texts))
    for piece in range(_PIECES):
        shift = np.uint64(piece * _PIECE_BITS)
        keys = (texts >> shift).astype(np.uint16)
        by_key = np.argsort(keys, kind="stable")
        for distance in range(1, min(_NEIGHBOURS, len(texts) - 1) + 1):
            one, other = by_key[:-distance], by_key[distance:]
            is_pair = keys[one] == keys[other]
            one, other = one[is_pair], other[is_pair]
            is_near = np.bitwise_count(texts[one] ^ texts[other]) <= _MAX_DISTANCE
            np.minimum.at(earliest, other[is_near], one[is_near])
    originals = firsts[earliest[text_of]]
    is_like = np.flatnonzero(originals < np.arange(len(values)))
    return dict(zip(is_like.tolist(), originals[is_like].tolist(), strict=True))


def redirect_chains(targets: Mapping[str, str]) -> list[list[str]]:
    """Chains of more than one redirect, each from a URL that is no target itself.

    *targets* has the target of each redirecting URL. Loops are no chains.

    >>> redirect_chains({"a": "b", "b": "c", "x": "c"})
    [['a', 'b', 'c']]
    """
    reached = set(targets.values())
    chains = []
    for start in targets:
        if start in reached:
            continue
        chain = [start]
        seen = {start}
        while (following := targets.get(chain[-1])) is not None and following not in seen:
            chain.append(following)
            seen.add(following)
        if len(chain) > 2:  # noqa: PLR2004 - one redirect has two ends
            chains.append(chain)
    return chains
