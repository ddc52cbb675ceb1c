"""The numbers behind charts: where an axis ends, and boxes as large as their number."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Rows = Sequence[tuple[str, Mapping[str, float | None]]]
    """Of each bar or point, its label and its numbers by series."""

KINDS: Final = tuple(
    (kind, f"kind-{kind}") for kind in ("added", "removed", "updated", "moved", "other")
)
"""Series of changes by kind, with their classes in the style sheet."""


def by_kind(counts: Mapping[str, int]) -> dict[str, int]:
    """Counts of changes by the kinds that charts show.

    >>> by_kind({"added": 2, "lastmod": 1, "returned": 3, "pages": 9})
    {'added': 2, 'removed': 0, 'updated': 0, 'moved': 0, 'other': 4}
    """
    found = {kind: counts.get(kind, 0) for kind, _ in KINDS}
    shown = {*found, "pages"}
    found["other"] += sum(number for kind, number in counts.items() if kind not in shown)
    return found


def peak(rows: Rows) -> float:
    """Where the axis of lines ends."""
    return round_up(max((n or 0 for _, values in rows for n in values.values()), default=0))


def stacked_peak(rows: Rows) -> float:
    """Where the axis of stacked bars ends."""
    return round_up(max((sum(n or 0 for n in values.values()) for _, values in rows), default=0))


def round_up(number: float) -> float:
    """Round up to a number whose half is easy to read; at least 2.

    >>> [round_up(each) for each in (0, 2, 17, 152, 1000, 1001)]
    [2, 2, 20, 200, 1000, 2000]
    """
    if number <= 2:  # noqa: PLR2004
        return 2
    unit = int(10 ** math.floor(math.log10(number)))
    return next(unit * factor for factor in (1, 2, 4, 6, 8, 10) if number <= unit * factor)


def axis_number(number: float) -> str:
    """
    >>> axis_number(1500), axis_number(2_000_000), axis_number(1.0)
    ('1,500', '2M', '1')
    """
    for size, unit in ((1_000_000, "M"), (10_000, "k")):
        if number >= size:
            return f"{number / (1_000 if unit == 'k' else size):g}{unit}"
    return f"{number:,.0f}"


@dataclass(frozen=True, slots=True)
class Box:
    """Its place and size are shares of the whole, in percent."""

    name: str
    number: int
    x: float
    y: float
    width: float
    height: float


def treemap(items: Sequence[tuple[str, int]], aspect: float = 2.2) -> list[Box]:
    """The boxes of the items, which come the largest first; those without a number are left out.

    Every half of the items gets its share of the longer side. *aspect* is that of the picture.

    >>> [(box.name, box.x, box.width) for box in treemap([("a", 3), ("b", 1)])]
    [('a', 0.0, 75.0), ('b', 75.0, 25.0)]
    """
    boxes: list[Box] = []
    _lay([each for each in items if each[1] > 0], (0, 0, 100 * aspect, 100), boxes)
    return [replace(box, x=box.x / aspect, width=box.width / aspect) for box in boxes]


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
