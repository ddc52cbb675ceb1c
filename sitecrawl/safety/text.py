"""Text from outside that is shown to people."""

from __future__ import annotations


def printable(text: str) -> str:
    """*text* with everything that could steer a terminal, or break a line, written as an escape.

    >>> printable("a\\x1b[31mb\\n"), printable("größe")
    ('a\\\\x1b[31mb\\\\n', 'größe')
    """
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else _escaped(char) for char in text)


def _escaped(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")
