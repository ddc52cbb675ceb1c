"""Text as every database takes it."""

from __future__ import annotations


def storable(texts: list[str]) -> list[str]:
    r"""The texts without NUL, and with ``?`` for halves of surrogate pairs, as JSON may hold them.

    >>> storable(["plain", "a\0b\ud800"])
    ['plain', 'ab?']
    """
    together = "".join(texts)
    if "\0" not in together and together.isascii():
        return texts
    return [text.replace("\0", "").encode("utf-8", "replace").decode() for text in texts]
