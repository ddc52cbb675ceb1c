"""Makes text from outside safe to print, and survives a reader that has gone."""

from __future__ import annotations

import os
from typing import IO


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


def discard_output(file: IO[str]) -> None:
    """Discard what is written to *file* from now on, as after ``| head`` has ended.

    What is still in its buffer goes, too: Python would try to write it when the process ends, and
    complain.
    """
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, file.fileno())
    os.close(devnull)
