"""Lays boxes out in a rectangle, each as large as its number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Box:
    name: str
    number: int
    x: float
    y: float
    width: float
    height: float


def treemap(items: Sequence[tuple[str, int]], width: float, height: float) -> list[Box]:
    """The boxes of the items, which come the largest first; those without a number are left out.

    Every half of the items gets its share of the longer side.

    >>> [(box.name, box.x, box.width) for box in treemap([("a", 3), ("b", 1)], 100, 50)]
    [('a', 0, 75.0), ('b', 75.0, 25.0)]
    """
    boxes: list[Box] = []
    _lay([each for each in items if each[1] > 0], (0, 0, width, height), boxes)
    return boxes


def _lay(
    items: Sequence[tuple[str, int]],
    place: tuple[float, float, float, float],
    boxes: list[Box],
) -> None:
    x, y, width, height = place
    if len(items) <= 1:
        boxes.extend(Box(name, number, x, y, width, height) for name, number in items)
        return
    total = sum(number for _, number in items)
    count, first = 1, items[0][1]
    while count < len(items) - 1 and first < total / 2:
        first += items[count][1]
        count += 1
    share = first / total
    if width >= height:
        _lay(items[:count], (x, y, width * share, height), boxes)
        _lay(items[count:], (x + width * share, y, width * (1 - share), height), boxes)
    else:
        _lay(items[:count], (x, y, width, height * share), boxes)
        _lay(items[count:], (x, y + height * share, width, height * (1 - share)), boxes)
