"""The slow way to match, step by step as RFC 9309 describes it; the fast way must agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sitecrawl.robots.patterns import Pattern


def matches(path: str, pattern: Pattern) -> bool:
    """Keep all the places that the pieces so far may end at."""
    first, *others = pattern.pieces
    ends = {len(first)} if path.startswith(first) else set()
    for piece in others:
        ends = {
            start + len(piece)
            for start in range(min(ends, default=len(path) + 1), len(path) + 1)
            if path.startswith(piece, start)
        }
    return len(path) in ends if pattern.is_anchored else bool(ends)


def first_match(path: str, patterns: Sequence[Pattern]) -> int:
    found = (number for number, each in enumerate(patterns) if matches(path, each))
    return next(found, len(patterns))
