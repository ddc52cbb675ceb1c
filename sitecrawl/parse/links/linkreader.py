"""Adds the links of elements as rows: where they stand, what they say, where they lead."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from sitecrawl.parse.links.attributes import Attributes, Targets
from sitecrawl.parse.links.languages import normalize_language
from sitecrawl.parse.links.places import Places
from sitecrawl.parse.links.reading import MenuEntry
from sitecrawl.parse.links.vocabulary import LinkSource, Region

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

    from sitecrawl.parse.links.reading import PageLimits
    from sitecrawl.parse.links.rows import LinkRows

_MENU_REGIONS = frozenset({Region.NAVIGATION, Region.HEADER, Region.ASIDE})
_NO_MENU_SOURCES = frozenset({LinkSource.IFRAME, LinkSource.FORM, LinkSource.INLINE_LOC})
_NO_PAGES = ("#", "mailto:", "tel:", "javascript:", "data:")
_MAX_LABELLED = 50
_LINKS_AT_ONCE = 1_000
_PAGING = frozenset({"next", "prev", "previous"})

# An element that leads somewhere. A named tuple would cost as much as all else about it.
Link = tuple["LexborNode", str, Attributes, Targets]


class LinkReader:
    """Reads links one after another, in the order of the document."""

    def __init__(
        self, rows: LinkRows, limits: PageLimits, text_budget: int, *, has_menu: bool = False
    ):
        self.menu: list[MenuEntry] = []
        self.limits = limits
        self.places = Places(limits.max_path_characters)
        self._has_menu = has_menu
        self._rows = rows
        self._max_anchor_characters = limits.max_anchor_characters
        # Links can be nested, and the text of the inner ones is part of the outer ones' text:
        # without a bound the cost would grow with the square of the page.
        self._text_budget = text_budget
        self._text_taken = 0

    def add(self, links: list[Link], places: Places | None = None) -> None:
        """Add links; *places* are needed for those of another tree."""
        for first in range(0, len(links), _LINKS_AT_ONCE):
            self._add(links[first : first + _LINKS_AT_ONCE], places or self.places)
            if self._rows.is_full:
                break

    def add_as_read(self, other: LinkReader) -> bool:
        """Add what another one has read, if it is what would be read here; False: it is not."""
        is_same = (
            other._text_taken < other._text_budget
            and self._text_taken + other._text_taken < self._text_budget
            and self.places.have_none_of(other.places)
            and self._rows.can_take(other._rows)
        )
        if is_same:
            self._text_taken += other._text_taken
            self.places.take_paths(other.places)
            self._rows.take(other._rows)
        return is_same

    def _add(self, links: list[Link], places: Places) -> None:
        # Column by column: short loops are faster than one that does everything.
        around = [places.around(node) for node, _, _, _ in links]
        paths = [places.path_to(link[1], place) for link, place in zip(links, around, strict=True)]
        anchors = [self._anchor(node, attributes) for node, _, attributes, _ in links]
        add, menu = self._rows.add, self.menu
        for (_, _, attributes, targets), place, path, anchor in zip(
            links, around, paths, anchors, strict=True
        ):
            region, rel, language = place.region, "", ""
            # Most have nothing but their address and a class.
            if "rel" in attributes:
                relations = (attributes["rel"] or "").lower().split()
                rel = " ".join(relations)
                if not _PAGING.isdisjoint(relations):
                    region = Region.PAGINATION
            if "hreflang" in attributes:
                language = normalize_language(attributes["hreflang"] or "")
            is_menu_place = self._has_menu and region in _MENU_REGIONS
            for source, loc in targets:
                row = add(source, loc, region, anchor, rel, path, language)
                if is_menu_place and row >= 0 and _is_menu_link(source, loc):
                    menu.append(MenuEntry(anchor, row, max(0, place.lists - 1)))

    def _anchor(self, node: LexborNode, attributes: Attributes) -> str:
        """Give the text of a link, or what stands for it where it is a picture."""
        limit = self._max_anchor_characters
        child = node.first_child
        text = child.text_content if child is not None and child.next is None else None
        if text is None and self._text_taken < self._text_budget:
            text = node.text(separator=" ")
            self._text_taken += len(text)
        words = text[: 8 * limit].split() if text else None
        if words:
            return " ".join(words)[:limit]
        label = attributes.get("aria-label") or attributes.get("alt")
        if not label and child is not None:
            label = _picture_label(node)
        label = label or attributes.get("title") or ""
        return " ".join(label[: 8 * limit].split())[:limit]


def _picture_label(node: LexborNode) -> str:
    """Give what stands for the first picture or icon in a link."""
    for element in islice(node.traverse(), 1, _MAX_LABELLED):
        found = element.attributes
        if label := found.get("alt") or found.get("aria-label") or found.get("title"):
            return label
    return ""


def _is_menu_link(source: LinkSource, loc: str) -> bool:
    return source not in _NO_MENU_SOURCES and not loc[:11].lower().startswith(_NO_PAGES)
