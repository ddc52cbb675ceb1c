"""Recognises a path that has the segments of another one in a different order."""

from __future__ import annotations

_MAX_PATHS = 50_000


class PathOrders:
    """The order in which each set of segments was seen first.

    Relative links and filters in paths lead to ``/a/b`` and ``/b/a``; folders seldom do.

    >>> orders = PathOrders()
    >>> orders.add("/a/b")
    >>> [orders.is_reordered(path) for path in ("/a/b", "/b/a", "/b/c")]
    [False, True, False]
    """

    def __init__(self) -> None:
        self._firsts: dict[int, int] = {}

    def add(self, path: str) -> None:
        if len(self._firsts) < _MAX_PATHS:
            self._firsts.setdefault(_segments(path), hash(path))

    def is_reordered(self, path: str) -> bool:
        own = hash(path)
        return self._firsts.get(_segments(path), own) != own


def _segments(path: str) -> int:
    return hash(tuple(sorted(path.split("/"))))
