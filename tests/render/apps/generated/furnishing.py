"""Puts doors and dangers on the planned pages, and keeps what is true of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.render.apps.generated.beyond import beyond
from tests.render.apps.generated.containers import (
    CONTAINERS,
    SHADOWS,
    Container,
    endless_list,
    load_more,
    scrolled_box,
    wizard,
)
from tests.render.apps.generated.doors import (
    BINDINGS,
    ELEMENTS,
    SPECIAL_DOORS,
    Binding,
    clickable,
    fits,
    link,
)
from tests.render.apps.generated.markup import Deck, Door, Markup, Target, Workshop, joined
from tests.render.apps.generated.routers import MOVES, Move, Router, target
from tests.render.apps.truth import Danger, Need, RouteTruth, Step

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.render.apps.generated.dangers import Trap
    from tests.render.apps.generated.plan import PlannedPage

_START = "/"
# These take room, and the frame is above every page.
_NOT_IN_FRAME = frozenset({endless_list, load_more, scrolled_box, wizard})
_LISTENER = BINDINGS[0]


@dataclass(slots=True)
class Furnisher:
    make: Workshop
    router: Router
    routes: dict[str, RouteTruth] = field(default_factory=dict)
    dangers: dict[str, Danger] = field(default_factory=dict)
    dispatchers: dict[str, str] = field(init=False)
    """The attribute that each listening root looks for."""
    _elements: Deck[str] = field(init=False)
    _bindings: Deck[Binding] = field(init=False)
    _moves: Deck[Move] = field(init=False)
    _containers: Deck[Callable[[Workshop, Markup], Container]] = field(init=False)
    _kinds: Deck[str] = field(init=False)
    _specials: Deck[Callable[[Workshop, Target], Door]] = field(init=False)

    def __post_init__(self) -> None:
        random = self.make.random
        roots = ("root", "document", "window")
        self.dispatchers = {root: f"data-{self.make.name()}" for root in roots}
        self._elements = Deck(random, ELEMENTS)
        self._bindings = Deck(random, BINDINGS)
        self._moves = Deck(random, MOVES)
        self._containers = Deck(random, CONTAINERS)
        self._kinds = Deck(random, ("clickable",) * 4 + ("link",) * 2 + ("special",) * 4)
        self._specials = Deck(random, SPECIAL_DOORS)

    def furnish(self, page: PlannedPage) -> Markup:
        """All that leads on from a page, and all that does harm there, in any order."""
        doors, traps = list(page.doors), list(page.traps)
        pieces = [beyond(self.make, self._target(to), way) for way, to in page.hidden.items()]
        while doors:
            if self.make.random.random() < 0.5:
                inside = [doors.pop() for _ in range(min(len(doors), self.make.pick((1, 1, 2))))]
                with_trap = [traps.pop()] if traps and self.make.random.random() < 0.6 else []
                pieces.append(self._contained(page, inside, with_trap))
            elif traps and self.make.random.random() < 0.3:
                pieces.append(self._card_with_trap(page, doors.pop(), traps.pop()))
            else:
                pieces.append(self._bare(page, doors.pop()))
        for trap in traps:
            self._note_danger(page, trap)
            pieces.append(trap.markup)
        self.make.random.shuffle(pieces)
        return joined(pieces)

    def sends_at_load(self, page: PlannedPage, request: str) -> None:
        """Nobody clicks, and no word tells of it: a danger without steps."""
        name = self.make.name()
        self.dangers[name] = Danger(name, page.path, (), request, is_disguised=True)

    def _target(self, to: PlannedPage) -> Target:
        move = self._moves.draw()
        return target(self.make, self.router, move, to.path, to.title, to.key)

    def _contained(self, page: PlannedPage, inside: list[PlannedPage], traps: list[Trap]) -> Markup:
        kind = self._containers.draw()
        while not page.path and kind in _NOT_IN_FRAME:
            kind = self._containers.draw()
        doors = [self._plain_door(page, to, is_in_shadow=kind in SHADOWS) for to in inside]
        pieces = [door.markup for door in doors] + [trap.markup for trap in traps]
        container = kind(self.make, joined(pieces))
        for to, door in zip(inside, doors, strict=True):
            self._note_route(page, to, door, container)
        for trap in traps:
            self._note_danger(page, trap, container.way.steps)
        return container.markup

    def _bare(self, page: PlannedPage, to: PlannedPage) -> Markup:
        # A frame's own frame would show on every page.
        is_special = bool(page.path) and self._kinds.draw() == "special"
        if is_special:
            door = self._specials.draw()(self.make, self._target(to))
        else:
            door = self._plain_door(page, to, is_in_shadow=False)
        self._note_route(page, to, door)
        return door.markup

    def _plain_door(self, page: PlannedPage, to: PlannedPage, *, is_in_shadow: bool) -> Door:
        reached = self._target(to)
        if self._kinds.draw() == "link":
            return link(self.make, reached, page.path)
        element, binding = self._elements.draw(), self._bindings.draw()
        while not fits(element, binding) or (is_in_shadow and binding.dispatcher):
            binding = self._bindings.draw()
        return clickable(self.make, reached, element, binding, self.dispatchers)

    def _card_with_trap(self, page: PlannedPage, to: PlannedPage, trap: Trap) -> Markup:
        """The card leads on, and what does harm stands on the card."""
        door = clickable(self.make, self._target(to), "card", _LISTENER, self.dispatchers)
        html = door.markup.html.removesuffix("</div>") + f"{trap.markup.html}</div>"
        self._note_route(page, to, door)
        self._note_danger(page, trap)
        return joined([Markup(html, door.markup.script), Markup("", trap.markup.script)])

    def _note_route(
        self, page: PlannedPage, to: PlannedPage, door: Door, container: Container | None = None
    ) -> None:
        steps, needs, how = door.way.steps, door.way.needs, door.way.how
        if container is not None:
            steps = container.way.steps + steps
            how = f"{how}, in: {container.way.how}"
            # What is in the page can be read there, though nobody sees it.
            is_readable = container.is_in_page and Need.LINK in needs
            needs |= frozenset() if is_readable else container.way.needs
        start = page.path or _START
        self.routes[to.path] = RouteTruth(to.path, to.title, how, start, steps, needs)

    def _note_danger(self, page: PlannedPage, trap: Trap, before: tuple[Step, ...] = ()) -> None:
        self.dangers[trap.name] = Danger(
            trap.name, page.path or _START, before + trap.steps, trap.request, trap.is_disguised
        )
