"""Checks short texts that people type: names, tags, owners."""

from __future__ import annotations

from sitecrawl.errors import InvalidInputError


def checked_line(field: str, text: str, max_length: int) -> str:
    """The text without outer spaces; ``InvalidInputError`` for more than one short line."""
    line = text.strip()
    if len(line) > max_length:
        raise InvalidInputError(field, f"it has more than {max_length} characters")
    if not line.isprintable():
        raise InvalidInputError(field, "it has a line break or a control character")
    return line
