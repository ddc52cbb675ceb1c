"""The region and path of an element: which part of the page it is in, and how to get there.

The role and the tag of an element come first, then its label and class names, for sites that are
made of `div` alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sitecrawl.html.links import NO_REGION, Region
from sitecrawl.html.rules import (
    LANDMARK_TAGS,
    LIST_TAGS,
    REGION_LABELS,
    REGION_ROLES,
    REGION_TAGS,
    REGION_WORDS,
    SECTION_ROLES,
    SECTION_TAGS,
)

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode


_REGION_OF_WORD = {word: region for region, words in REGION_WORDS.items() for word in words.split()}
_SPECIFIC = frozenset({Region.BREADCRUMB, Region.PAGINATION})
# `footer__inner`, `Footer_root__x3fa` and `footer--dark` all are of the block `footer`.
_BLOCK_END = re.compile(r"_|--")
_MAX_ATTRIBUTE_CHARACTERS = 200
# An element's name alone, or with its class, id, role, aria-label and itemtype.
MarkKey = str | tuple[str, str | None, str | None, str | None, str | None, str | None]
_STEP_NAME = re.compile(r"[A-Za-z0-9_-]{1,40}")


@dataclass(frozen=True, slots=True)
class Mark:
    """What an element is to those inside it; `step` is its part of their path."""

    step: str
    region: str
    is_semantic: bool
    is_section: bool
    is_list: bool
    starts_path: bool


def mark_of(key: MarkKey) -> Mark:
    """Read an element's name and attributes."""
    parts = (key, "", "", "", "", "") if isinstance(key, str) else key
    tag, classes, name, role, label, item_type = (
        part[:_MAX_ATTRIBUTE_CHARACTERS] if part else "" for part in parts
    )
    role = role.strip().lower()
    tokens = classes.split()
    region, is_semantic = _region(tag, name, tokens, role, label, item_type)
    return Mark(
        step=_step(tag, name, tokens),
        region=region,
        is_semantic=is_semantic,
        is_section=tag in SECTION_TAGS or role in SECTION_ROLES,
        is_list=tag in LIST_TAGS or role == "menu",
        starts_path=bool(name) or tag in LANDMARK_TAGS,
    )


def is_specific(region: str) -> bool:
    """Whether a region says what its links do, not only where they are."""
    return region in _SPECIFIC


def _region(
    tag: str, name: str, tokens: list[str], role: str, label: str, item_type: str
) -> tuple[str, bool]:
    by_words = _region_by_words(name, tokens)
    specific = by_words if by_words in _SPECIFIC else ""
    if item_type.endswith("BreadcrumbList"):
        specific = Region.BREADCRUMB
    elif label and not specific:
        specific = next((region for words, region in REGION_LABELS if words.search(label)), "")
    semantic = REGION_ROLES.get(role) or REGION_TAGS.get(tag)
    if specific:
        return specific, True
    return (semantic, True) if semantic else (by_words, False)


def _region_by_words(name: str, tokens: list[str]) -> str:
    for token in (name, *tokens):
        block = _BLOCK_END.split(token.lower(), 1)[0]
        if region := _REGION_OF_WORD.get(block):
            return region
        if "breadcrumb" in block:
            return Region.BREADCRUMB
        if "pagination" in block:
            return Region.PAGINATION
    return NO_REGION


def _step(tag: str, name: str, tokens: list[str]) -> str:
    tag = tag[:40]
    if name and _STEP_NAME.fullmatch(name):
        return f"{tag}#{name}"
    if tokens and _STEP_NAME.fullmatch(tokens[0]):
        return f"{tag}.{tokens[0]}"
    return tag


_ARROW = " > "
_CUT = "..."
_MAX_KEPT_PLACES = 10_000
_MAX_KEPT_CHARACTERS = 1_000
_MAX_KEPT_NAMES = 20
_MAX_NAME_CHARACTERS = 40
# They open no region, whatever their classes say; not looking is what makes this fast.
_PLAIN_TAGS = frozenset({"li", "h1", "h2", "h3", "h4", "h5", "h6", "strong", "em", "b", "tr"})


class Place:
    """What holds for everything directly inside an element, and inside those like it."""

    __slots__ = ("inner", "is_section", "is_semantic", "links", "lists", "path", "region")

    def __init__(self, region: str, path: str, *, lists: int, is_section: bool, is_semantic: bool):
        self.region = region
        self.path = path
        self.lists = lists
        self.is_section = is_section
        self.is_semantic = is_semantic
        self.inner: dict[MarkKey, Place] = {}
        # The paths to the links in it, by the names of their elements.
        self.links: dict[str, str] = {}

    def opened(self, mark: Mark, max_path_characters: int) -> Place:
        """Give the place inside an element that stands in this one."""
        region, is_semantic = _region_inside(self, mark)
        # A menu's own lists count, not those that it stands in.
        lists = self.lists if region == self.region else 0
        return Place(
            region,
            mark.step if mark.starts_path else self.path_to(mark.step, max_path_characters),
            lists=lists + mark.is_list,
            is_section=self.is_section or mark.is_section,
            is_semantic=is_semantic,
        )

    def path_to(self, step: str, max_characters: int) -> str:
        """Give the path to an element in this place; the end of a long one says the most."""
        path = f"{self.path}{_ARROW}{step}" if self.path else step
        excess = len(path) - max_characters
        if excess <= 0:
            return path
        cut = path.find(_ARROW, excess + len(_CUT))
        return _CUT + path[cut:] if cut >= 0 else step[:max_characters]


class _KeptPlaces:
    """The places of all pages so far, as a tree; when it is too large, it starts anew."""

    def __init__(self) -> None:
        self._roots: dict[int, Place] = {}
        self._number = 0

    def root(self, max_path_characters: int) -> Place:
        if self._number > _MAX_KEPT_PLACES:
            self._roots.clear()
            self._number = 0
        if max_path_characters not in self._roots:
            self._roots[max_path_characters] = Place(
                Region.CONTENT, "", lists=0, is_section=False, is_semantic=False
            )
        return self._roots[max_path_characters]

    def add(self, outer: Place, key: MarkKey, max_path_characters: int) -> Place:
        place = outer.opened(mark_of(key), max_path_characters)
        # A page may have megabytes of class names; they are not worth keeping.
        if sum(map(len, filter(None, key))) <= _MAX_KEPT_CHARACTERS:
            outer.inner[key] = place
            self._number += 1
        return place


_kept = _KeptPlaces()


class Places:
    """The places of one document, found on the way up from the links."""

    def __init__(self, max_path_characters: int):
        self._max_path_characters = max_path_characters
        self._root = _kept.root(max_path_characters)
        self._known: dict[int, Place] = {}
        self._numbers: dict[str, int] = {}

    def around(self, node: LexborNode) -> Place:
        """Give the place that a node stands in."""
        parent = node.parent
        if parent is None:
            return self._root
        mem_id = parent.mem_id
        place = self._known.get(mem_id)
        if place is None:
            place = self._known[mem_id] = self._inside(self._climb(parent), parent)
        return place

    def enter(self, content: LexborNode) -> None:
        """Remember where the content of a template stands: those in it do not know."""
        self._known[content.mem_id] = self.around(content)

    def inside(self, root: LexborNode, place: Place) -> Places:
        """The places below an element of another tree, which is to stand in *place* this time."""
        inner = Places(self._max_path_characters)
        inner._known[root.mem_id] = place
        inner._numbers = self._numbers
        return inner

    def have_none_of(self, others: Places) -> bool:
        """Whether no path of the others was given here."""
        return self._numbers.keys().isdisjoint(others._numbers)

    def take_paths(self, others: Places) -> None:
        """Count the paths of others, of which none was given here."""
        self._numbers.update(others._numbers)

    def path_to(self, tag: str, place: Place) -> str:
        """Give the path to the next link in a place, by the name of its element.

        Its number counts the links that the same path leads to; the first has none.
        """
        path = place.links.get(tag)
        if path is None:
            path = place.path_to(tag[:_MAX_NAME_CHARACTERS], self._max_path_characters)
            if len(place.links) < _MAX_KEPT_NAMES and len(tag) <= _MAX_NAME_CHARACTERS:
                place.links[tag] = path
        number = self._numbers[path] = self._numbers.get(path, 0) + 1
        return path if number == 1 else f"{path}:nth({number})"

    def _climb(self, node: LexborNode) -> Place:
        """Give the place that a node stands in, however much of what is above is unknown."""
        place: Place | None = None
        unknown = []
        element = node.parent
        while element is not None:
            place = self._known.get(element.mem_id)
            if place is not None:
                break
            unknown.append(element)
            element = element.parent
        place = place or self._root
        for element in reversed(unknown):
            place = self._known[element.mem_id] = self._inside(place, element)
        return place

    def _inside(self, outer: Place, element: LexborNode) -> Place:
        tag = element.tag or ""
        key: MarkKey = tag
        if tag not in _PLAIN_TAGS:
            if not element.is_element_node:
                return outer
            attributes = element.attributes
            if attributes:
                get = attributes.get
                key = (
                    tag,
                    get("class"),
                    get("id"),
                    get("role"),
                    get("aria-label"),
                    get("itemtype"),
                )
        return outer.inner.get(key) or _kept.add(outer, key, self._max_path_characters)


def _region_inside(outer: Place, mark: Mark) -> tuple[str, bool]:
    """Decide between an element's own region and the one around it.

    What says what links do beats where they are, a menu in the header is a menu, and class
    names do not overrule elements and roles, except for what they say is a menu in a header.
    """
    own, around = mark.region, outer.region
    if not own or own == around:
        return around, outer.is_semantic
    if is_specific(own):
        return own, True
    if is_specific(around) or (own in {Region.HEADER, Region.FOOTER} and outer.is_section):
        return around, outer.is_semantic
    if own == Region.NAVIGATION:
        is_stronger = mark.is_semantic or not outer.is_semantic or around == Region.HEADER
    else:
        is_stronger = around == Region.CONTENT or (mark.is_semantic and not outer.is_semantic)
    return (own, mark.is_semantic) if is_stronger else (around, outer.is_semantic)
