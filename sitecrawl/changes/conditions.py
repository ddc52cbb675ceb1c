"""Conditions on changes, such as ``removed>10,noindex,robots``: for those who stop a release."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from sitecrawl.changes.kinds import ChangeKind, EventKind

if TYPE_CHECKING:
    from collections.abc import Mapping

_CONDITION: Final = re.compile(r"\s*([a-z_]+)\s*(?:>\s*(\d{1,9}))?\s*")
_SHORT: Final = {
    "robots": EventKind.ROBOTS_CHANGED,
    "sitemap": EventKind.SITEMAP_CHANGED,
    "collapse": EventKind.INVENTORY_COLLAPSED,
}
_OF_UPDATES: Final = frozenset(
    {
        *(EventKind.BROKEN, EventKind.REPAIRED, EventKind.REDIRECTED, EventKind.NOINDEX),
        *(EventKind.INDEXABLE, EventKind.UPDATED, EventKind.LASTMOD),
    }
)
CONDITION_NAMES: Final = tuple(sorted({*_SHORT, *EventKind, *ChangeKind}))


class Condition(NamedTuple):
    """More than *limit* pages with an event of this kind."""

    kind: EventKind
    limit: int = 0

    def __str__(self) -> str:
        return f"{self.kind}>{self.limit}" if self.limit else str(self.kind)


def parse_conditions(text: str) -> list[Condition]:
    """
    >>> [str(each) for each in parse_conditions("removed>10, noindex,robots")]
    ['removed>10', 'noindex', 'robots_changed']
    >>> parse_conditions("vanished")
    Traceback (most recent call last):
    ValueError: 'vanished': expected a kind or kind>number, such as removed>10
    """
    found = []
    for part in text.split(","):
        match = _CONDITION.fullmatch(part)
        if match is None or match[1] not in CONDITION_NAMES:
            raise ValueError(f"{part!r}: expected a kind or kind>number, such as removed>10")
        found.append(Condition(_SHORT.get(match[1]) or EventKind(match[1]), int(match[2] or 0)))
    return found


def broken_conditions(
    conditions: list[Condition], pages: Mapping[EventKind, int]
) -> list[tuple[Condition, int]]:
    """Conditions that hold, each with the number of pages; *pages* by kind of event.

    >>> pages = {EventKind.NOINDEX: 2, EventKind.LASTMOD: 5, EventKind.REMOVED: 3}
    >>> conditions = parse_conditions("removed>3,noindex,updated>6")
    >>> [(str(condition), number) for condition, number in broken_conditions(conditions, pages)]
    [('noindex', 2), ('updated>6', 7)]
    """
    found = []
    for condition in conditions:
        kinds = _OF_UPDATES if condition.kind is EventKind.UPDATED else {condition.kind}
        number = sum(pages.get(kind, 0) for kind in kinds)
        if number > condition.limit:
            found.append((condition, number))
    return found
