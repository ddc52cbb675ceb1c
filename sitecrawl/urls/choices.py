"""Tells the free combination of filters from parameters that choose a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

# More different values than a list has filters: they are names of pages.
_MAX_VALUES = 2_000
_MAX_SETS = 500
# A filter's value comes in many URLs, a page's name in a few: itself, its print view, its parts.
_MIN_URLS_PER_VALUE = 8


class Choices:
    """The parameters of the URLs of one path.

    They are combined freely, as filters are, when two things come together: there are more
    different sets of parameters than parameters, and few values make up many URLs.

    >>> choices = Choices()
    >>> for a, b, c in [(a, b, c) for a in "12345" for b in "12345" for c in ["", *"12345"]]:
    ...     choices.add([("a", a), ("b", b), ("c", c)] if c else [("b", a), ("c", b)])
    ...     choices.add([("a", a), ("c", b)])
    >>> choices.are_combined
    False
    >>> for a, b in [(a, b) for a in "12345" for b in "12345"]:
    ...     choices.add([("a", a), ("b", b)])
    >>> choices.are_combined
    True
    """

    def __init__(self) -> None:
        self.are_combined = False
        """Once they are, they stay so."""
        self._urls = 0
        self._names: set[str] = set()
        self._sets: set[tuple[str, ...]] = set()
        self._values: set[int] = set()

    def add(self, parameters: Sequence[tuple[str, str]]) -> None:
        """Take note of the parameters of one more URL."""
        if self.are_combined or len(self._values) > _MAX_VALUES:
            return
        self._urls += 1
        names = sorted({name for name, _ in parameters})
        self._names.update(names)
        if len(self._sets) < _MAX_SETS:
            self._sets.add(tuple(names))
        self._values.update(map(hash, parameters))
        has_many_sets = len(self._sets) > len(self._names)
        self.are_combined = has_many_sets and self._urls >= _MIN_URLS_PER_VALUE * len(self._values)
