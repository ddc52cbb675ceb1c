"""Finds texts that are nearly alike, by fingerprints of which few bits differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

# Of two fingerprints that differ in at most 3 bits, one of these four pieces is the same.
_PIECES: Final = 4
_PIECE_BITS: Final = 16
_MAX_DISTANCE: Final = _PIECES - 1
# Neighbours in a piece that are compared: a million pages of one mould must not take a day.
_NEIGHBOURS: Final = 32


def near_originals(fingerprints: Sequence[int]) -> dict[int, int]:
    """The places of texts that are nearly that of an earlier one, with the place of the earliest.

    Linear in their number: of very many texts with a common piece only neighbours are compared.

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
