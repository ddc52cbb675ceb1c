"""Where an element stands: region, nesting in lists, and a path that a person can follow.

The pages of a site are built alike, so places are kept from page to page: there is one for each
chain of elements that look alike. On one page, what is known of an ancestor serves all links
below it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitecrawl.parse.links.regions import Mark, MarkKey, is_specific, mark_of
from sitecrawl.parse.links.vocabulary import Region

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

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
