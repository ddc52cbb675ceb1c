"""Waiting longer each time."""

from __future__ import annotations

_MAX_DOUBLINGS = 30


def backoff_seconds(first_seconds: float, times: int, chance: float) -> float:
    """Twice as long each time, and up to a quarter longer by *chance* (0 to 1).

    The chance keeps what failed together from coming back together.

    >>> [backoff_seconds(0.2, times, 0) for times in (1, 2, 3)]
    [0.2, 0.4, 0.8]
    >>> backoff_seconds(0.2, 1, 1)
    0.25
    """
    doublings = min(max(times - 1, 0), _MAX_DOUBLINGS)
    return first_seconds * 2.0**doublings * (1 + chance / 4)
