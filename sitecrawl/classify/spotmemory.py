"""Remembers where the addresses of a whole inventory lie, so that nobody reads them twice."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sitecrawl.classify.spots import Spot

# A site of which every address lies elsewhere gains nothing.
_MAX_SPOTS: Final = 20_000


class SpotMemory:
    """The spots of batches of addresses: four bytes for each, given back in the same order."""

    def __init__(self) -> None:
        self._numbers = array("I")
        self._spots: list[Spot] = []
        self._number_of = _Numbers(self._spots)
        self._batches: list[tuple[int, str]] = []

    def add(self, urls: Sequence[str], spots: Sequence[Spot]) -> None:
        if not urls or len(self._spots) > _MAX_SPOTS:
            return
        number_of = self._number_of
        self._numbers.extend([number_of[spot] for spot in spots])
        self._batches.append((len(urls), urls[-1]))

    def recall(self) -> Iterator[RememberedBatch]:
        first = 0
        for size, last_url in self._batches:
            yield RememberedBatch(size, last_url, self._numbers[first : first + size], self._spots)
            first += size


class RememberedBatch:
    """The spots of one batch."""

    def __init__(self, size: int, last_url: str, numbers: array[int], spots: Sequence[Spot]):
        self._known = (size, last_url)
        self._numbers = numbers
        self._spots = spots

    def is_of(self, urls: Sequence[str]) -> bool:
        return self._known == (len(urls), urls[-1])

    def spots(self) -> list[Spot]:
        spots = self._spots
        return [spots[number] for number in self._numbers]


class _Numbers(dict["Spot", int]):
    """The place of each spot in the list of them."""

    def __init__(self, spots: list[Spot]):
        super().__init__()
        self._spots = spots

    def __missing__(self, spot: Spot) -> int:
        self._spots.append(spot)
        number = self[spot] = len(self._spots) - 1
        return number
