"""Which pages a generated application has, and which leads to which."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import quote

from tests.render.apps.generated import beyond, vocabulary
from tests.render.apps.generated.dangers import (
    TRAPS,
    Trap,
    disguised,
    english,
    form,
    icon,
    labelled,
    log_out,
)

if TYPE_CHECKING:
    from tests.render.apps.generated.markup import Workshop
    from tests.render.apps.generated.routers import Router

MOST_DOORS = 5
_FRAME_DOORS = 3


@dataclass(slots=True)
class PlannedPage:
    path: str
    title: str
    key: str
    doors: list[PlannedPage] = field(default_factory=list)
    hidden: dict[str, PlannedPage] = field(default_factory=dict)
    """Doors that nobody is expected to find, by what they need."""
    traps: list[Trap] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Plan:
    frame: PlannedPage
    """What is around every page; it has no address of its own."""
    pages: tuple[PlannedPage, ...]
    """The start first."""
    hidden: tuple[PlannedPage, ...]


def plan(make: Workshop, router: Router) -> Plan:
    ways = make.random.sample(sorted(beyond.WAYS), 3)
    count = make.random.randint(15, 25)
    start, *others = _blank_pages(make, router, count + len(ways))
    pages, hidden = others[: -len(ways)], others[-len(ways) :]
    frame = PlannedPage("", "", "")
    reachable = [start]
    for number, page in enumerate(pages):
        _parent(make, frame, reachable, number).doors.append(page)
        reachable.append(page)
    for way, page in zip(ways, hidden, strict=True):
        make.pick(reachable).hidden[way] = page
    if make.random.random() < 0.7:
        frame.traps.append(log_out(make))
    kinds = [english, labelled, icon, disguised, form, *make.random.sample(TRAPS, 3)]
    for kind in kinds:
        make.pick(reachable).traps.append(kind(make))
    return Plan(frame, tuple(reachable), tuple(hidden))


def _parent(
    make: Workshop, frame: PlannedPage, reachable: list[PlannedPage], number: int
) -> PlannedPage:
    if number < _FRAME_DOORS:
        return frame
    start, *others = reachable
    if make.random.random() < 0.35 and len(start.doors) <= MOST_DOORS:
        return start
    return make.pick([page for page in others if len(page.doors) < MOST_DOORS])


def _blank_pages(make: Workshop, router: Router, count: int) -> list[PlannedPage]:
    pairs = list(itertools.product(vocabulary.ADJECTIVES, vocabulary.NOUNS))
    titles = [" ".join(pair) for pair in make.random.sample(pairs, count)]
    sections = make.random.sample(vocabulary.SECTIONS, 5)
    paths = ["/"]
    for number, title in enumerate(titles[1:]):
        slug = quote(title.lower().replace(" ", "-"))
        section = make.pick(sections)
        shapes = [
            f"{router.prefix}{section}/{slug}",
            f"{router.prefix}{section}/{100 + 7 * number}",
            f"{router.prefix}{slug}",
        ]
        if "#" not in router.prefix:
            shapes.append(f"/{section}?sheet={slug}")
        paths.append(make.pick(shapes))
    return [
        PlannedPage(path, title, make.name()) for path, title in zip(paths, titles, strict=True)
    ]
