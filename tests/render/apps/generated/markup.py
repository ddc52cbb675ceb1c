"""What a generated page is put together from, and the place where the pieces are made."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Generic, TypeVar

from tests.render.apps.generated import vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from random import Random

    from tests.render.apps.truth import Need, Step

T = TypeVar("T")

_PLACE = re.compile(r"%(\w+)%")
_SYLLABLES = (
    "ba",
    "ce",
    "di",
    "fo",
    "gu",
    "ka",
    "le",
    "mi",
    "no",
    "pu",
    "ra",
    "se",
    "ti",
    "vo",
    "zu",
)


@dataclass(frozen=True, slots=True)
class Markup:
    """A piece of a page. ``script`` finds its elements below ``scope``, an element or a root."""

    html: str
    script: str = ""
    module: str = ""
    """Runs once, before the page is shown: definitions of custom elements."""


@dataclass(frozen=True, slots=True)
class Way:
    """What a visitor has to do, and what that needs."""

    steps: tuple[Step, ...]
    needs: frozenset[Need]
    how: str


@dataclass(frozen=True, slots=True)
class Door:
    """A piece of a page that leads to another page."""

    markup: Markup
    way: Way


@dataclass(frozen=True, slots=True)
class Target:
    """The page that a door leads to."""

    path: str
    label: str
    move: str
    """The statement that goes there."""
    needs: frozenset[Need]
    how: str


class Deck(Generic[T]):
    """Deals every card once before any comes again, so that a few seeds show everything."""

    def __init__(self, random: Random, cards: Iterable[T]) -> None:
        self._random = random
        self._cards = tuple(cards)
        self._pile: list[T] = []

    def draw(self) -> T:
        if not self._pile:
            self._pile = self._random.sample(self._cards, len(self._cards))
        return self._pile.pop()


@dataclass(slots=True)
class Workshop:
    """The dice, the names that are taken, and what the pieces need beside their page."""

    random: Random
    styles: list[str] = field(default_factory=list)
    actions: dict[str, str] = field(default_factory=dict)
    """What the central dispatcher does, by key."""
    embeds: dict[str, str] = field(default_factory=dict)
    """Documents for frames, by path."""
    data: dict[str, object] = field(default_factory=dict)
    """Answers to GET, by path."""
    _taken: set[str] = field(default_factory=set)

    def pick(self, options: Sequence[T]) -> T:
        return self.random.choice(options)

    def name(self) -> str:
        """For a class, an id, a key or, with a prefix, an element: never the same twice."""
        while True:
            name = "".join(self.random.choices(_SYLLABLES, k=3)) + str(self.random.randrange(10))
            if name not in self._taken:
                self._taken.add(name)
                return name

    def text(self) -> str:
        return self.pick(vocabulary.TEXTS)

    def style(self, rule: str, **values: str) -> None:
        self.styles.append(fill(rule, **values))

    def action(self, statement: str) -> str:
        """The key under which the dispatcher runs the statement, which may use ``event``."""
        key = self.name()
        self.actions[key] = statement
        return key

    def answer(self, body: object) -> str:
        """The path of an answer to GET."""
        path = f"/api/{self.name()}"
        self.data[path] = body
        return path


def fill(template: str, **values: str) -> str:
    """Puts values in the place of ``%name%``; unlike braces these mean nothing in scripts."""
    return _PLACE.sub(lambda place: values[place[1]], template)


def quoted(value: object) -> str:
    """As a literal of a script."""
    return json.dumps(value, ensure_ascii=False)


def joined(pieces: Iterable[Markup]) -> Markup:
    each = tuple(pieces)
    return Markup(
        "\n".join(piece.html for piece in each),
        "\n".join(f"{{ {piece.script} }}" for piece in each if piece.script),
        "\n".join(piece.module for piece in each if piece.module),
    )


def shown(text: str) -> str:
    """As text or as an attribute of a page."""
    return escape(text)
