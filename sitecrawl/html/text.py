"""The text of a page: its main text, a hash that is equal for equal texts, a similarity hash."""

from __future__ import annotations

import string
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import xxhash

from sitecrawl.html.links import Region

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray
    from selectolax.lexbor import LexborNode

    from sitecrawl.html.regions import ElementContexts

    Hashes = NDArray[Any]


_BITS = 64
_ALL_BITS = (1 << _BITS) - 1
_WHITE_SPACE = string.whitespace.encode()
_NO_BREAK_SPACE = "\N{NO-BREAK SPACE}"
_SPACE = b" "
_NO_LETTERS = (string.digits + string.punctuation).encode()
_FOLDED = bytes.maketrans(
    string.ascii_uppercase.encode() + _WHITE_SPACE,
    string.ascii_lowercase.encode() + _SPACE * len(_WHITE_SPACE),
)
# Punctuation separates words; signs that change a number or a name are part of it.
_SEPARATORS = "".join(sign for sign in string.punctuation if sign not in "+-#%$.").encode()
_SEPARATED = bytes.maketrans(
    string.ascii_uppercase.encode() + _WHITE_SPACE + _SEPARATORS,
    string.ascii_lowercase.encode() + _SPACE * len(_WHITE_SPACE + _SEPARATORS),
)
# The hash of a word is a polynomial of its bytes at a large odd number.
_BASE = 0x9E3779B97F4A7C15
_MIXERS = (0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
# Powers are kept for so many bytes; longer texts are cut between words.
_PIECE_BYTES = 1 << 16
# The largest count of a lane of eight bits.
_LANE_COUNTS = 255


def hash_text(text: str) -> str:
    """The same for texts that differ in white space only.

    >>> hash_text("a b") == hash_text("ab\\n"), hash_text("RC2") == hash_text("RC5")
    (True, False)
    """
    if not text.isascii():
        text = text.replace(_NO_BREAK_SPACE, " ")
    return xxhash.xxh3_64_hexdigest(text.encode("utf-8", "replace").translate(None, _WHITE_SPACE))


def count_characters(text: str) -> int:
    """The bytes of the text in UTF-8, without white space.

    >>> count_characters("a b\\n")
    2
    """
    if not text.isascii():
        text = text.replace(_NO_BREAK_SPACE, " ")
    return len(text.encode("utf-8", "replace").translate(None, _WHITE_SPACE))


def fingerprint_words(text: str) -> int:
    """A simhash over the distinct words without their digits.

    It is the same for the days of a calendar, and nearly the same for an error page with the
    address in it: it tells traps and error pages, not duplicates.
    """
    folded = text if text.isascii() else text.replace(_NO_BREAK_SPACE, " ").casefold()
    return _fingerprint(folded.encode("utf-8", "replace").translate(_FOLDED, _NO_LETTERS))


def hash_words(text: str) -> Hashes:
    """A hash of each word and number of the text, in their order, without case and punctuation."""
    import numpy as np

    folded = text if text.isascii() else text.replace(_NO_BREAK_SPACE, " ").casefold()
    words = folded.encode("utf-8", "replace").translate(_SEPARATED)
    return _mixed(np.concatenate([_word_sums(piece) for piece in _pieces(words)]))


def fingerprint_distance(a: int, b: int) -> int:
    """The number of bits, of 64, in which two fingerprints differ.

    >>> fingerprint_distance(-1, 0), fingerprint_distance(5, 4)
    (64, 1)
    """
    return ((a ^ b) & _ALL_BITS).bit_count()


def _fingerprint(words: bytes) -> int:
    """Set each bit that is set in the hashes of most of the distinct words."""
    import numpy as np  # not at the top: it is large, and most commands read no page

    pieces = [_word_sums(piece) for piece in _pieces(words)]
    sums = pieces[0] if len(pieces) == 1 else np.concatenate(pieces)
    sums.sort()
    is_first = np.empty(len(sums), dtype=bool)
    is_first[:1] = True
    np.not_equal(sums[1:], sums[:-1], out=is_first[1:])
    distinct = _mixed(sums[is_first])
    if not len(distinct):
        return 0
    # Each bit becomes a byte, eight of them a number: one sum counts the bits of many hashes.
    bits = np.unpackbits(distinct.view(np.uint8), bitorder="little")
    lanes = bits.view(np.uint64).reshape(-1, 8)
    sums = np.add.reduceat(lanes, np.arange(0, len(lanes), _LANE_COUNTS), axis=0)
    counts = sums.view(np.uint8).sum(axis=0, dtype=np.int64)
    majority = np.packbits(counts > len(distinct) // 2, bitorder="little")
    return int.from_bytes(majority.tobytes(), "little", signed=True)


def _pieces(words: bytes) -> Iterator[bytes]:
    start = 0
    while len(words) - start > _PIECE_BYTES:
        end = words.rfind(_SPACE, start, start + _PIECE_BYTES)
        end = start + _PIECE_BYTES if end <= start else end
        yield words[start:end]
        start = end
    yield words[start:]


def _word_sums(words: bytes) -> Hashes:
    """The polynomial sums of all words at once; a call per word would cost more than the page."""
    import numpy as np

    powers, inverse_powers = _powers()
    codes = np.frombuffer(words, dtype=np.uint8)
    is_letter = np.zeros(len(codes) + 2, dtype=np.int8)
    np.not_equal(codes, _SPACE[0], out=is_letter[1:-1].view(bool))
    (edges,) = (is_letter[1:] != is_letter[:-1]).nonzero()
    sums = np.zeros(len(codes) + 1, dtype=np.uint64)
    np.multiply(codes, powers[: len(codes)], out=sums[1:])
    np.add.accumulate(sums, out=sums)
    at_edges = sums[edges]
    # As if each word were at the start of the text.
    word_sums: Hashes = (at_edges[1::2] - at_edges[::2]) * inverse_powers[edges[::2]]
    return word_sums


def _mixed(sums: Hashes) -> Hashes:
    """Mix the sums over all bits; different sums stay different."""
    import numpy as np

    for mixer, shift in zip(_MIXERS, (30, 27), strict=True):
        sums ^= sums >> np.uint64(shift)
        sums *= np.uint64(mixer)
    sums ^= sums >> np.uint64(31)
    return sums


@cache
def _powers() -> tuple[Hashes, Hashes]:
    """The powers of the base, and their inverses."""
    import numpy as np

    tables = []
    for base in (_BASE, pow(_BASE, -1, 1 << _BITS)):
        factors = np.full(_PIECE_BYTES + 1, base, dtype=np.uint64)
        factors[0] = 1
        tables.append(np.cumprod(factors))
    return tables[0], tables[1]


def storable(texts: list[str]) -> list[str]:
    r"""The texts in a form that every database accepts: no NUL, ``?`` for lone surrogates.

    >>> storable(["plain", "a\0b\ud800"])
    ['plain', 'ab?']
    """
    together = "".join(texts)
    if "\0" not in together and together.isascii():
        return texts
    return [text.replace("\0", "").encode("utf-8", "replace").decode() for text in texts]


# --- the main text -----------------------------------------------------------------------------

_MAIN: Final = "main,[role=main]"
# Elements that have a region of their own are among these.
_BLOCKS: Final = "nav,header,footer,aside,div,section,ul,table"
_LANDMARKS: Final = "nav,[role=navigation]"
_OUTSIDE: Final = frozenset(Region) - {Region.CONTENT}
# A page with less text than this, in characters, is all menu: a table of contents, an index.
_FEWEST_CHARACTERS: Final = 100


def main_text(body: LexborNode, contexts: ElementContexts, whole_text: str) -> str:
    """The text of the body without menus, headers, footers and side bars; changes the tree.

    Pages are compared by it: the menus of two short pages would make them near duplicates.
    *whole_text* is returned for a page that has hardly any text of its own.
    """
    main = body.css_first(_MAIN)
    # Side bars and headings inside of the main element belong to the content.
    surrounding = main.css(_LANDMARKS) if main is not None else body.css(_BLOCKS)
    removed = [
        node
        for node in surrounding
        # What is inside of such an element goes with it.
        if contexts.inside(node).region in _OUTSIDE and contexts.around(node).region not in _OUTSIDE
    ]
    if main is None and not removed:
        return whole_text
    for node in removed:
        node.decompose()
    text = (main or body).text(separator=" ")
    return text if len(text) - text.count(" ") >= _FEWEST_CHARACTERS else whole_text
