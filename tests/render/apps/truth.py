"""What is true of a test application: its routes, the way to each, and what would do harm."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


class Need(StrEnum):
    """What whoever looks for a route has to do: without it, the route stays hidden."""

    LINK = "link"
    """Read ``a[href]`` of the page after its scripts have run."""
    ROUTER_TABLE = "router-table"
    """Read the router's own table: nothing on any page leads there."""
    CLICK = "click"
    KEYBOARD = "keyboard"
    """Press Enter: a click does nothing."""
    OPEN_MENU = "open-menu"
    OPEN_MODAL = "open-modal"
    OPEN_TAB = "open-tab"
    OPEN_FOLD = "open-fold"
    SCROLL = "scroll"
    """Scroll down, so that a list loads more."""
    WAIT = "wait"
    """The route changes only some time after the click."""
    DOCUMENT = "document"
    """The click leaves the page: ``location.href =``, ``location.assign()``."""
    WINDOW_OPEN = "window-open"
    DIALOG = "dialog"
    """Answer an alert or a confirm dialog first."""
    IFRAME = "iframe"
    OPEN_SHADOW = "open-shadow"
    CLOSED_SHADOW = "closed-shadow"
    HASH = "hash"
    """The fragment is the route."""


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that a visitor does: ``do`` is click, click-at, click-in, enter, hover, scroll-to.

    - ``click-at`` clicks the middle of an element whose inside cannot be selected.
    - ``click-in`` clicks within ``frame``.
    """

    do: str
    selector: str
    frame: str = ""


@dataclass(frozen=True, slots=True)
class RouteTruth:
    path: str
    """With the fragment where that is the route."""
    heading: str
    """The ``h1`` that no other route has."""
    reached: str
    start: str
    """The page where the way begins."""
    steps: tuple[Step, ...]
    """Empty: the application's start, or a route that nothing leads to."""
    needs: frozenset[Need]


@dataclass(frozen=True, slots=True)
class Danger:
    name: str
    """As the application reports a click on it."""
    page: str
    steps: tuple[Step, ...]
    """Empty: the page sends the request by itself, and nobody clicks."""
    request: str
    """Method and path of what a click sends."""
    is_disguised: bool
    """Neither label nor icon nor class nor type says what it does: only its request does."""


@dataclass(frozen=True, slots=True)
class Truth:
    title: str
    start: str
    routes: Mapping[str, RouteTruth]
    patterns: tuple[str, ...]
    """Further routes of these shapes exist; they may be found, and need not be."""
    beyond: Mapping[str, str]
    """Routes that exist and need more than an explorer does, with what that is."""
    dangers: Mapping[str, Danger]

    def is_route(self, path: str) -> bool:
        """Whether the application has a page of its own there."""
        known = path in self.routes or path in self.beyond
        return known or any(fnmatchcase(path, pattern) for pattern in self.patterns)

    def needing(self, *needs: Need) -> frozenset[str]:
        """The routes that cannot be found without any of these."""
        return frozenset(path for path, route in self.routes.items() if route.needs & set(needs))


def read_truth(file: Path) -> Truth:
    said = json.loads(file.read_text())
    return Truth(
        title=said["title"],
        start=said["start"],
        routes={path: _route(path, entry) for path, entry in said["routes"].items()},
        patterns=tuple(said["patterns"]),
        beyond=said["beyond"],
        dangers={name: _danger(name, entry) for name, entry in said["dangers"].items()},
    )


def _route(path: str, said: Mapping[str, Any]) -> RouteTruth:
    return RouteTruth(
        path=path,
        heading=said["heading"],
        reached=said["reached"],
        start=said.get("from", "/") if "steps" in said else path,
        steps=_steps(said.get("steps", [])),
        needs=frozenset(Need(need) for need in said["needs"]),
    )


def _danger(name: str, said: Mapping[str, Any]) -> Danger:
    return Danger(
        name=name,
        page=said["page"],
        steps=_steps(said["steps"]),
        request=said["request"],
        is_disguised=said.get("disguised", False),
    )


def _steps(said: list[list[str]]) -> tuple[Step, ...]:
    return tuple(Step(*each) for each in said)
