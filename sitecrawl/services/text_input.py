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


def checked_name(text: str, max_length: int) -> str:
    """The name without outer spaces; ``InvalidInputError`` for none, or for one that is no line."""
    name = text.strip()
    if not name or len(name) > max_length or not name.isprintable():
        raise InvalidInputError("name", f"expected 1 to {max_length} printable characters")
    return name
